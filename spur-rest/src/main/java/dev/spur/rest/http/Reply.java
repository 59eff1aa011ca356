package dev.spur.rest.http;

import dev.spur.api.view.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a request is answered with.
///
/// @param stream writes the body as it comes, instead of `body`
public record Reply(
        int status,
        String type,
        byte[] body,
        Map<String, String> headers,
        @Nullable Stream stream) {
    public static final String JSON = "application/json";

    /// A body that is not known before it is sent. Ends when the reader has gone, with the
    /// exception of the stream.
    @FunctionalInterface
    public interface Stream {
        void writeTo(OutputStream out) throws IOException, InterruptedException;
    }

    public Reply {
        headers = Map.copyOf(headers);
    }

    public static Reply json(int status, JsonText body) {
        return of(status, JSON, body.toBytes());
    }

    public static Reply of(int status, String type, byte[] body) {
        return new Reply(status, type, body, Map.of(), null);
    }

    public static Reply text(int status, String text) {
        return of(status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    public static Reply stream(String type, Stream stream) {
        return new Reply(200, type, new byte[0], Map.of(), stream);
    }

    public static Reply empty(int status) {
        return of(status, "", new byte[0]);
    }

    public Reply with(String header, String value) {
        var all = new LinkedHashMap<>(headers);
        all.put(header, value);
        return new Reply(status, type, body, all, stream);
    }
}
