package dev.spur.runtime.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What an endpoint answers.
///
/// @param headers each with one value or more
/// @param body null: none
public record Answer(int status, Map<String, List<String>> headers, @Nullable Body body) {
    /// What is sent.
    public sealed interface Body {}

    /// A value, as JSON.
    public record Value(Object value) implements Body {}

    /// Bytes of any media type.
    public record Bytes(String mediaType, byte[] bytes) implements Body {}

    /// Something that is written bit by bit, for as long as it takes.
    public record Streamed(String mediaType, Writer writer) implements Body {}

    /// Writes a body; an `IOException` of the stream means that nobody reads any more.
    @FunctionalInterface
    public interface Writer {
        void write(OutputStream out) throws IOException, InterruptedException;
    }

    public Answer {
        headers = Map.copyOf(headers);
    }

    public static Answer ok(Object value) {
        return new Answer(200, Map.of(), new Value(value));
    }

    public static Answer created(String location, Object value) {
        return new Answer(201, Map.of(), new Value(value)).with("Location", location);
    }

    public static Answer accepted(Object value) {
        return new Answer(202, Map.of(), new Value(value));
    }

    public static Answer nothing() {
        return new Answer(204, Map.of(), null);
    }

    public static Answer redirect(String to) {
        return new Answer(303, Map.of(), null).with("Location", to);
    }

    public static Answer text(String text) {
        return bytes(
                "text/plain; charset=utf-8",
                text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    public static Answer bytes(String mediaType, byte[] bytes) {
        return new Answer(200, Map.of(), new Bytes(mediaType, bytes));
    }

    public static Answer streamed(String mediaType, Writer writer) {
        return new Answer(200, Map.of(), new Streamed(mediaType, writer));
    }

    public Answer with(String header, String value) {
        var more = new LinkedHashMap<>(headers);
        more.merge(header, List.of(value), Answer::both);
        return new Answer(status, more, body);
    }

    private static List<String> both(List<String> before, List<String> after) {
        var all = new java.util.ArrayList<>(before);
        all.addAll(after);
        return List.copyOf(all);
    }
}
