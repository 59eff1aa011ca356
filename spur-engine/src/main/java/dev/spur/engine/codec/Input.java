package dev.spur.engine.codec;

import java.nio.charset.StandardCharsets;

/// Reads what [Output] wrote. Nothing is allocated that the bytes at hand could not fill.
final class Input {
    private final RecentTexts texts;
    private final byte[] bytes;
    private final int end;
    private int position;

    Input(byte[] bytes, int offset, int length, RecentTexts texts) {
        this.bytes = bytes;
        this.position = offset;
        this.end = offset + length;
        this.texts = texts;
    }

    int readByte() {
        if (position == end) {
            throw damaged("it ends too early");
        }
        return bytes[position++];
    }

    long readUnsigned() {
        var value = 0L;
        for (var shift = 0; shift < Long.SIZE; shift += 7) {
            var next = readByte();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw damaged("a number has too many digits");
    }

    long readSigned() {
        var folded = readUnsigned();
        return folded >>> 1 ^ -(folded & 1);
    }

    int readInt() {
        var value = readSigned();
        if (value != (int) value) {
            throw damaged("a number is too large");
        }
        return (int) value;
    }

    /// How many things follow, each of which takes a byte at least.
    int readCount() {
        var count = readUnsigned();
        if (count < 0 || count > end - position) {
            throw damaged("more is announced than follows");
        }
        return (int) count;
    }

    String readText() {
        var head = readUnsigned();
        return (head & 1) == 0 ? literal(head >>> 1) : repeated(head >>> 1);
    }

    private String literal(long length) {
        if (length > end - position) {
            throw damaged("a text is longer than what follows");
        }
        var text = new String(bytes, position, (int) length, StandardCharsets.UTF_8);
        position += (int) length;
        if (RecentTexts.remembers(text)) {
            texts.put(texts.slotOf(text), text);
        }
        return text;
    }

    private String repeated(long slot) {
        var text = slot < texts.size() ? texts.get((int) slot) : null;
        if (text == null) {
            throw damaged("a text refers to one that never came");
        }
        return text;
    }

    boolean isAtEnd() {
        return position == end;
    }

    CodecException damaged(String how) {
        return new CodecException("damaged at byte " + position + ": " + how);
    }
}
