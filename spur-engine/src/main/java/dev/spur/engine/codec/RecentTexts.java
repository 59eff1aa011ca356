package dev.spur.engine.codec;

import org.jspecify.annotations.Nullable;

/// Short texts that were written lately, so that a text that comes again (a user, a partition, a
/// constant of an enum) costs two bytes. Writer and reader each keep one and change it alike: a
/// text has one slot by its hash, which the Java language specifies, and replaces what was there.
final class RecentTexts {
    private static final int LONGEST = 64;

    private final @Nullable String[] slots;

    /// @param size a power of two; part of the format, since both sides must agree
    RecentTexts(int size) {
        slots = new String[size];
    }

    static boolean remembers(String text) {
        return !text.isEmpty() && text.length() <= LONGEST;
    }

    int slotOf(String text) {
        var hash = text.hashCode();
        return (hash ^ hash >>> 15) & slots.length - 1;
    }

    int size() {
        return slots.length;
    }

    @Nullable String get(int slot) {
        return slots[slot];
    }

    void put(int slot, String text) {
        slots[slot] = text;
    }
}
