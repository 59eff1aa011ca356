package dev.spur.cloud.ports;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// How long what follows a head is, by its fields: a message is passed on to its end and not a byte
/// further.
sealed interface HttpBody {
    record None() implements HttpBody {}

    record Counted(long bytes) implements HttpBody {}

    record Chunked() implements HttpBody {}

    /// Until the connection ends.
    record ToTheEnd() implements HttpBody {}

    int LONGEST_LINE = 4096;

    /// @param otherwise if the fields say nothing
    static HttpBody of(HttpHead head, HttpBody otherwise) throws HttpHead.MalformedException {
        var encodings =
                head.fields().stream().filter(field -> field.is("Transfer-Encoding")).toList();
        var lengths =
                head.fields().stream()
                        .filter(field -> field.is("Content-Length"))
                        .map(HttpHead.Field::value)
                        .distinct()
                        .toList();
        if (!encodings.isEmpty()) {
            // Two lengths, or one that only some understand, is how requests are smuggled.
            if (encodings.size() > 1
                    || !lengths.isEmpty()
                    || !encodings.getFirst().value().equalsIgnoreCase("chunked")) {
                throw new HttpHead.MalformedException("the length of the message is not clear");
            }
            return new Chunked();
        }
        if (lengths.isEmpty()) {
            return otherwise;
        }
        if (lengths.size() > 1 || !lengths.getFirst().matches("[0-9]{1,18}")) {
            throw new HttpHead.MalformedException("the length of the message is not clear");
        }
        return new Counted(Long.parseLong(lengths.getFirst()));
    }

    default void copy(InputStream in, OutputStream out) throws IOException {
        switch (this) {
            case None() -> {}
            case Counted(var bytes) -> copy(in, out, bytes);
            case Chunked() -> copyChunks(in, out);
            case ToTheEnd() -> splice(in, out);
        }
        out.flush();
    }

    /// Until one side ends, each piece at once.
    static void splice(InputStream in, OutputStream out) throws IOException {
        var buffer = new byte[32 << 10];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            out.write(buffer, 0, count);
            out.flush();
        }
    }

    private static void copy(InputStream in, OutputStream out, long bytes) throws IOException {
        var buffer = new byte[32 << 10];
        for (var left = bytes; left > 0; ) {
            var count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                throw new EOFException("cut off");
            }
            out.write(buffer, 0, count);
            out.flush();
            left -= count;
        }
    }

    private static void copyChunks(InputStream in, OutputStream out) throws IOException {
        while (true) {
            var line = line(in);
            var size = line.split(";", -1)[0].strip();
            if (!size.matches("[0-9A-Fa-f]{1,15}")) {
                throw new HttpHead.MalformedException("a chunk without a size");
            }
            var bytes = Long.parseLong(size, 16);
            out.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            if (bytes == 0) {
                copyTrailer(in, out);
                return;
            }
            copy(in, out, bytes + 2); // and the end of its line
        }
    }

    private static void copyTrailer(InputStream in, OutputStream out) throws IOException {
        for (var count = 0; count < 100; count++) {
            var line = line(in);
            out.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            if (line.isEmpty()) {
                return;
            }
        }
        throw new HttpHead.MalformedException("too many fields behind the chunks");
    }

    private static String line(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (text.length() < LONGEST_LINE) {
            var next = in.read();
            if (next < 0) {
                throw new EOFException("cut off");
            }
            if (next == '\n') {
                return text.toString().stripTrailing();
            }
            text.append((char) next);
        }
        throw new HttpHead.MalformedException("a line of a chunk is too long");
    }
}
