package dev.spur.engine.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A growing buffer. Numbers take seven bits per byte, lowest first, the high bit telling that more
/// follow; signed ones are folded first, so that small negative numbers stay short.
final class Output {
    private static final int LONGEST_NUMBER = 10;

    private final RecentTexts texts;
    private byte[] bytes = new byte[512];
    private int size;

    Output(RecentTexts texts) {
        this.texts = texts;
    }

    void writeByte(int value) {
        ensure(1);
        bytes[size++] = (byte) value;
    }

    void writeUnsigned(long value) {
        ensure(LONGEST_NUMBER);
        var rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    void writeSigned(long value) {
        writeUnsigned(value << 1 ^ value >> 63);
    }

    void writeText(String text) {
        if (!RecentTexts.remembers(text)) {
            writeLiteral(text);
            return;
        }
        var slot = texts.slotOf(text);
        if (text.equals(texts.get(slot))) {
            writeUnsigned((long) slot << 1 | 1);
        } else {
            writeLiteral(text);
            texts.put(slot, text);
        }
    }

    private void writeLiteral(String text) {
        var encoded = text.getBytes(StandardCharsets.UTF_8);
        if (!new String(encoded, StandardCharsets.UTF_8).equals(text)) {
            throw new IllegalArgumentException("not a text that UTF-8 can hold: " + text);
        }
        writeUnsigned((long) encoded.length << 1);
        write(encoded, 0, encoded.length);
    }

    void write(byte[] source, int offset, int length) {
        ensure(length);
        System.arraycopy(source, offset, bytes, size, length);
        size += length;
    }

    /// Leaves room for a number that is only known later; see [#fill].
    int reserve(int width) {
        ensure(width);
        var position = size;
        size += width;
        return position;
    }

    /// Writes a number into room of exactly this width.
    void fill(int position, int width, long value) {
        var rest = value;
        for (var i = 0; i < width - 1; i++) {
            bytes[position + i] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[position + width - 1] = (byte) rest;
    }

    int size() {
        return size;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    /// The bytes so far, in the first [#size] places; valid until the next write.
    byte[] buffer() {
        return bytes;
    }

    private void ensure(int more) {
        if (bytes.length - size < more) {
            bytes =
                    Arrays.copyOf(
                            bytes,
                            Math.max(
                                    Math.addExact(size, more),
                                    (int) Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
        }
    }
}
