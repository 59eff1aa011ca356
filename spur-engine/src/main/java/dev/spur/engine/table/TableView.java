package dev.spur.engine.table;

import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// A table as it was when it was published: rows by number, in ascending (unsigned) order.
public final class TableView<T> implements Iterable<T> {
    private final @Nullable Page root;
    private final int shift;
    private final int size;

    TableView(@Nullable Page root, int shift, int size) {
        this.root = root;
        this.shift = shift;
        this.size = size;
    }

    public static <T> TableView<T> empty() {
        return new TableView<>(null, 0, 0);
    }

    /// The same with this row in its place. The table does not know of it.
    public TableView<T> with(int key, T row) {
        var copy = new PagedTable<T>(root, shift, size);
        copy.put(key, row);
        return copy.publish();
    }

    /// The same without this row.
    public TableView<T> without(int key) {
        var copy = new PagedTable<T>(root, shift, size);
        copy.remove(key);
        return copy.publish();
    }

    public @Nullable T get(int key) {
        return Page.find(root, shift, key);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public Stream<T> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    /// Tells every row that differs from an earlier view of the same table, in key order: as it was
    /// (null: it was not there) and as it is (null: it is gone). Pages that both views share are
    /// skipped, so this costs what changed, not what the table holds.
    public void changesSince(TableView<T> before, Change<T> change) {
        compare(before.root, before.shift, root, shift, change);
    }

    /// Receives one difference between two views.
    @FunctionalInterface
    public interface Change<T> {
        void accept(@Nullable T before, @Nullable T after);
    }

    private static <T> void compare(
            @Nullable Object before,
            int beforeShift,
            @Nullable Object after,
            int afterShift,
            Change<T> change) {
        if (before == after) {
            return;
        }
        var shift = Math.max(beforeShift, afterShift);
        for (var slot = 0; slot < Page.WIDTH; slot++) {
            var was = child(before, beforeShift, shift, slot);
            var is = child(after, afterShift, shift, slot);
            if (was == is) {
                continue;
            }
            if (shift == 0) {
                tell(was, is, change);
            } else {
                compare(
                        was,
                        Math.min(beforeShift, shift - Page.BITS),
                        is,
                        Math.min(afterShift, shift - Page.BITS),
                        change);
            }
        }
    }

    /// What a page has at a slot of a tree this high; a lower tree is all in the first slot.
    private static @Nullable Object child(
            @Nullable Object page, int pageShift, int shift, int slot) {
        if (page instanceof Page here && pageShift == shift) {
            return here.slots[slot];
        }
        return slot == 0 ? page : null;
    }

    @SuppressWarnings("unchecked")
    private static <T> void tell(@Nullable Object was, @Nullable Object is, Change<T> change) {
        change.accept((T) was, (T) is);
    }

    @Override
    public Iterator<T> iterator() {
        return from(0);
    }

    /// The rows with this key and above.
    public Iterator<T> from(int key) {
        return root == null || !Page.reaches(key, shift)
                ? Collections.emptyIterator()
                : new Rows<>(root, shift, key);
    }

    /// Walks the tree with one position per level.
    private static final class Rows<T> implements Iterator<T> {
        private final @Nullable Page[] path;
        private final int[] position;
        private int depth;
        private @Nullable T next;

        Rows(Page root, int shift, int from) {
            var levels = shift / Page.BITS + 1;
            path = new Page[levels];
            position = new int[levels];
            path[0] = root;
            enter(from, shift);
            advance();
        }

        /// Goes down to the key, or to where it would be.
        private void enter(int key, int shift) {
            for (var level = shift; level >= 0; level -= Page.BITS) {
                var slot = Page.slot(key, level);
                position[depth] = slot;
                var page = path[depth];
                if (level == 0 || page == null || !(page.slots[slot] instanceof Page child)) {
                    return;
                }
                position[depth]++; // where to go on when the child is done
                depth++;
                path[depth] = child;
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public T next() {
            var row = next;
            if (row == null) {
                throw new NoSuchElementException();
            }
            advance();
            return row;
        }

        @SuppressWarnings("unchecked")
        private void advance() {
            next = null;
            while (depth >= 0) {
                var page = path[depth];
                if (page == null || position[depth] == Page.WIDTH) {
                    depth--;
                    continue;
                }
                var slot = page.slots[position[depth]++];
                if (slot instanceof Page child) {
                    depth++;
                    path[depth] = child;
                    position[depth] = 0;
                } else if (slot != null) {
                    next = (T) slot;
                    return;
                }
            }
        }
    }
}
