package dev.spur.engine.table;

import org.jspecify.annotations.Nullable;

/// 64 slots: rows at the bottom, further pages above. Its owner may write it; everybody else
/// copies.
final class Page {
    static final int BITS = 6;
    static final int WIDTH = 1 << BITS;

    final @Nullable Object[] slots;
    final Object owner;
    int used;

    Page(Object owner) {
        this(owner, new Object[WIDTH], 0);
    }

    private Page(Object owner, @Nullable Object[] slots, int used) {
        this.owner = owner;
        this.slots = slots;
        this.used = used;
    }

    Page ownedBy(Object writer) {
        return owner == writer ? this : new Page(writer, slots.clone(), used);
    }

    static int slot(int key, int shift) {
        return key >>> shift & WIDTH - 1;
    }

    /// Whether a tree of this height has a place for the key.
    static boolean reaches(int key, int shift) {
        return shift + BITS >= 32 || key >>> (shift + BITS) == 0;
    }

    @SuppressWarnings("unchecked")
    static <T> @Nullable T find(@Nullable Page root, int shift, int key) {
        if (root == null || !reaches(key, shift)) {
            return null;
        }
        var page = root;
        for (var level = shift; level > 0; level -= BITS) {
            if (!(page.slots[slot(key, level)] instanceof Page child)) {
                return null;
            }
            page = child;
        }
        return (T) page.slots[slot(key, 0)];
    }
}
