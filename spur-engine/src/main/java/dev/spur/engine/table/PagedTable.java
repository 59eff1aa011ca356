package dev.spur.engine.table;

import org.jspecify.annotations.Nullable;

/// Rows by number, written by one thread.
///
/// A tree of pages, 64 wide, only as high as the largest key needs. The writer owns the pages it
/// made since the last [#publish] and changes those in place; pages that a view may show are copied
/// first, together with the pages above them. An update therefore costs a few copies of 64
/// references at most, whatever the size of the table, and publishing costs nothing.
public final class PagedTable<T> {
    private @Nullable Page root;
    private int shift;
    private int size;
    private Object writer = new Object();

    public PagedTable() {}

    /// Goes on from what was published.
    PagedTable(@Nullable Page root, int shift, int size) {
        this.root = root;
        this.shift = shift;
        this.size = size;
    }

    public @Nullable T get(int key) {
        return Page.find(root, shift, key);
    }

    public int size() {
        return size;
    }

    public void put(int key, T row) {
        var top = root == null ? new Page(writer) : root.ownedBy(writer);
        while (!Page.reaches(key, shift)) {
            var higher = new Page(writer);
            higher.slots[0] = top;
            higher.used = 1;
            top = higher;
            shift += Page.BITS;
        }
        root = top;
        var page = top;
        for (var level = shift; level > 0; level -= Page.BITS) {
            page = childForWriting(page, Page.slot(key, level));
        }
        var slot = Page.slot(key, 0);
        if (page.slots[slot] == null) {
            page.used++;
            size++;
        }
        page.slots[slot] = row;
    }

    public void remove(int key) {
        if (get(key) == null || root == null) {
            return;
        }
        size--;
        root = without(root.ownedBy(writer), key, shift);
    }

    /// The rows as they are now; later changes do not reach the view.
    public TableView<T> publish() {
        writer = new Object();
        return new TableView<>(root, shift, size);
    }

    private Page childForWriting(Page page, int slot) {
        if (page.slots[slot] instanceof Page child) {
            var own = child.ownedBy(writer);
            page.slots[slot] = own;
            return own;
        }
        var child = new Page(writer);
        page.slots[slot] = child;
        page.used++;
        return child;
    }

    /// Takes the row out, and every page that became empty; null if that is all of it.
    private @Nullable Page without(Page page, int key, int level) {
        var slot = Page.slot(key, level);
        var left =
                level > 0 && page.slots[slot] instanceof Page child
                        ? without(child.ownedBy(writer), key, level - Page.BITS)
                        : null;
        page.slots[slot] = left;
        if (left == null) {
            page.used--;
        }
        return page.used == 0 ? null : page;
    }
}
