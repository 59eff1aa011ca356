package dev.spur.api.bounds;

/// What one field may hold.
///
/// @param bytes of each text or blob, in UTF-8
/// @param elements of a list or map
/// @param characters those that its texts may have
record Bound(int bytes, int elements, Characters characters) {
    /// Which characters a text may have. NUL is in none: it ends a string in C, and what a node is
    /// told must be what was checked here.
    enum Characters {
        /// For texts that others see: one line, nothing that a terminal obeys.
        PRINTABLE,
        /// For what only the user's own programs read, such as arguments: lines and tabs are fine.
        ANY_BUT_NUL
    }

    static Bound text(int bytes) {
        return new Bound(bytes, 1, Characters.PRINTABLE);
    }

    static Bound list(int bytes, int elements) {
        return new Bound(bytes, elements, Characters.PRINTABLE);
    }

    Bound forPrograms() {
        return new Bound(bytes, elements, Characters.ANY_BUT_NUL);
    }
}
