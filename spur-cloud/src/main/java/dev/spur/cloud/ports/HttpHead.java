package dev.spur.cloud.ports;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/// The beginning of a request or an answer of HTTP/1.1: one line, and fields. Bytes are kept as
/// they are, one char for each.
///
/// @param line the first
record HttpHead(String line, List<Field> fields) {
    private static final int LONGEST = 64 << 10;
    private static final int MOST_FIELDS = 200;

    record Field(String name, String value) {
        boolean is(String other) {
            return name.equalsIgnoreCase(other);
        }
    }

    HttpHead {
        fields = List.copyOf(fields);
    }

    /// It is none, or too long.
    static final class MalformedException extends IOException {
        private static final long serialVersionUID = 1;

        MalformedException(String message) {
            super(message);
        }
    }

    /// Empty: the connection ended before it began.
    static Optional<HttpHead> read(InputStream in) throws IOException {
        var left = LONGEST;
        var first = line(in, left);
        if (first.isEmpty()) {
            return Optional.empty();
        }
        left -= first.get().length();
        var fields = new ArrayList<Field>();
        while (true) {
            var line = line(in, left).orElseThrow(() -> new EOFException("cut off"));
            if (line.isEmpty()) {
                return Optional.of(new HttpHead(first.get(), fields));
            }
            left -= line.length();
            fields.add(field(line));
            if (fields.size() > MOST_FIELDS) {
                throw new MalformedException("too many header fields");
            }
        }
    }

    private static Field field(String line) throws MalformedException {
        var colon = line.indexOf(':');
        if (colon < 1 || !line.substring(0, colon).matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
            throw new MalformedException("a header field without a name"); // also a folded one
        }
        return new Field(line.substring(0, colon), line.substring(colon + 1).strip());
    }

    private static Optional<String> line(InputStream in, int most) throws IOException {
        var line = new ByteArrayOutputStream();
        while (true) {
            var next = in.read();
            if (next < 0) {
                if (line.size() == 0) {
                    return Optional.empty();
                }
                throw new EOFException("cut off");
            }
            if (next == '\n') {
                var text = line.toString(StandardCharsets.ISO_8859_1);
                var whole = text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
                if (whole.chars().anyMatch(c -> c == '\r' || c == 0)) {
                    throw new MalformedException("a header with control characters");
                }
                return Optional.of(whole);
            }
            line.write(next);
            if (line.size() > most) {
                throw new MalformedException("the header is longer than 64 KiB");
            }
        }
    }

    Optional<String> value(String name) {
        return fields.stream().filter(field -> field.is(name)).map(Field::value).findFirst();
    }

    /// Whether one of the words of a field's values is this.
    boolean has(String name, String word) {
        return fields.stream()
                .filter(field -> field.is(name))
                .flatMap(field -> List.of(field.value().split(",", -1)).stream())
                .anyMatch(said -> said.strip().toLowerCase(Locale.ROOT).equals(word));
    }

    HttpHead without(Predicate<Field> unwanted) {
        return new HttpHead(line, fields.stream().filter(unwanted.negate()).toList());
    }

    HttpHead with(String name, String value) {
        var more = new ArrayList<>(fields);
        more.add(new Field(name, value));
        return new HttpHead(line, more);
    }

    byte[] bytes() {
        var text = new StringBuilder(line).append("\r\n");
        fields.forEach(field ->
                text.append(field.name()).append(": ").append(field.value()).append("\r\n"));
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
