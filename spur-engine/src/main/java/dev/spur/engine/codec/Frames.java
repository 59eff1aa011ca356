package dev.spur.engine.codec;

/// What writer and reader of a stored state agree on: eight bytes that name it and its format, then
/// frames.
///
/// A frame is its length (four bytes, highest first), so many bytes of parts, and the CRC-32C of
/// everything before except earlier checksums (four bytes). It is checked before any of its parts
/// is read. Each frame repeats the texts it needs.
final class Frames {
    static final int VERSION = 3;
    static final byte[] MAGIC = {'S', 'P', 'U', 'R', 'S', 'T', 0, VERSION};
    static final Format<StatePart> PART = CompiledFormat.of(StatePart.class);

    private static final int RECENT_TEXTS = 4096;

    private Frames() {}

    static RecentTexts noTexts() {
        return new RecentTexts(RECENT_TEXTS);
    }
}
