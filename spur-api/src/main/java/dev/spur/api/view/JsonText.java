package dev.spur.api.view;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// JSON as it is written. Knows no structure: that comes from layouts, which have most of it ready
/// as bytes.
public final class JsonText {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int FIRST_SIZE = 16 * 1024;

    private byte[] bytes = new byte[FIRST_SIZE];
    private int length;

    /// Appends what is JSON already.
    public JsonText raw(byte[] json) {
        reserve(json.length);
        System.arraycopy(json, 0, bytes, length, json.length);
        length += json.length;
        return this;
    }

    public JsonText raw(String json) {
        return raw(json.getBytes(StandardCharsets.UTF_8));
    }

    public JsonText raw(char ascii) {
        reserve(1);
        bytes[length++] = (byte) ascii;
        return this;
    }

    public JsonText text(String text) {
        reserve(text.length() * 6 + 2);
        bytes[length++] = '"';
        for (var i = 0; i < text.length(); i++) {
            var letter = text.charAt(i);
            if (letter >= 0x20 && letter < 0x7f && letter != '"' && letter != '\\') {
                bytes[length++] = (byte) letter;
            } else if (letter < 0xa0) {
                escape(letter);
            } else {
                i += wide(text, i);
            }
        }
        bytes[length++] = '"';
        return this;
    }

    /// What has a sign of its own, and what nobody can see.
    private void escape(char letter) {
        bytes[length++] = '\\';
        switch (letter) {
            case '"', '\\' -> bytes[length++] = (byte) letter;
            case '\n' -> bytes[length++] = 'n';
            case '\r' -> bytes[length++] = 'r';
            case '\t' -> bytes[length++] = 't';
            default -> {
                bytes[length++] = 'u';
                for (var shift = 12; shift >= 0; shift -= 4) {
                    bytes[length++] = HEX[letter >> shift & 0xf];
                }
            }
        }
    }

    /// One character beyond ASCII and the controls behind it; half of a pair alone is no character.
    ///
    /// @return how many further chars it took
    private int wide(String text, int at) {
        var code = text.codePointAt(at);
        if (code >= 0xd800 && code < 0xe000 || code == 0xfffe || code == 0xffff) {
            code = 0xfffd;
        }
        if (code < 0x800) {
            bytes[length++] = (byte) (0xc0 | code >> 6);
        } else {
            if (code < 0x10000) {
                bytes[length++] = (byte) (0xe0 | code >> 12);
            } else {
                bytes[length++] = (byte) (0xf0 | code >> 18);
                bytes[length++] = (byte) (0x80 | code >> 12 & 0x3f);
            }
            bytes[length++] = (byte) (0x80 | code >> 6 & 0x3f);
        }
        bytes[length++] = (byte) (0x80 | code & 0x3f);
        return code >= 0x10000 ? 1 : 0;
    }

    public JsonText number(long number) {
        reserve(20);
        if (number < 0) {
            return raw(Long.toString(number));
        }
        var at = length += digits(number);
        do {
            bytes[--at] = (byte) ('0' + number % 10);
            number /= 10;
        } while (number > 0);
        return this;
    }

    private static int digits(long number) {
        var count = 1;
        for (var rest = number; rest >= 10; rest /= 10) {
            count++;
        }
        return count;
    }

    public JsonText decimal(double number) {
        return Double.isFinite(number) ? raw(Double.toString(number)) : raw('0');
    }

    public JsonText flag(boolean isSet) {
        return raw(isSet ? "true" : "false");
    }

    public int size() {
        return length;
    }

    /// Takes back the last letter, where it is a comma behind which nothing came.
    public JsonText withoutLastComma() {
        if (length > 0 && bytes[length - 1] == ',') {
            length--;
        }
        return this;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    /// What was written so far; what follows begins anew.
    public byte[] take() {
        var taken = toBytes();
        length = 0;
        return taken;
    }

    /// Hands on what was written so far and begins anew.
    public void flushTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
        length = 0;
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
