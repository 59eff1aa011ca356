package dev.spur.runtime.http;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// A request as it came in.
public final class Incoming {
    private static final int LONGEST_VALUE = 4096;

    private final ServerRequest request;
    private final String id;

    Incoming(ServerRequest request, String id) {
        this.request = request;
        this.id = id;
    }

    /// By which logs and problem documents name it.
    public String id() {
        return id;
    }

    public String method() {
        return request.prologue().method().text();
    }

    public String path() {
        return request.path().path();
    }

    /// The path as it was sent, with whatever is escaped in it.
    public String rawPath() {
        return request.prologue().uriPath().rawPath();
    }

    /// The query as it was sent; empty without one.
    public String rawQuery() {
        return request.prologue().query().rawValue();
    }

    /// The address at the other end of the connection.
    public String remoteHost() {
        return request.remotePeer().host();
    }

    /// The other end of the connection.
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) request.remotePeer().address();
    }

    /// This end of it.
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) request.localPeer().address();
    }

    public Optional<String> header(String name) {
        return request.headers().first(HeaderNames.create(name));
    }

    public Optional<String> cookie(String name) {
        return cookies().entrySet().stream()
                .filter(cookie -> cookie.getKey().equals(name))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private Map<String, String> cookies() {
        var cookies = new LinkedHashMap<String, String>();
        for (var piece : header("Cookie").orElse("").split(";", -1)) {
            int equals = piece.indexOf('=');
            if (equals > 0) {
                cookies.putIfAbsent(
                        piece.substring(0, equals).strip(), piece.substring(equals + 1).strip());
            }
        }
        return cookies;
    }

    public Optional<String> query(String name) {
        if (!request.query().contains(name)) {
            return Optional.empty();
        }
        var value = request.query().get(name);
        if (value.length() > LONGEST_VALUE) {
            throw Problem.field(name, "is too long");
        }
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    Iterable<String> queryNames() {
        return request.query().names();
    }

    public int number(String name, int lowest, int highest, int otherwise) {
        return query(name).map(text -> number(name, text, lowest, highest)).orElse(otherwise);
    }

    private static int number(String name, String text, int lowest, int highest) {
        try {
            var number = Integer.parseInt(text);
            if (number >= lowest && number <= highest) {
                return number;
            }
        } catch (NumberFormatException _) {
            // said below
        }
        throw Problem.field(name, "must be a number between %d and %d".formatted(lowest, highest));
    }

    public Optional<Instant> instant(String name) {
        return query(name)
                .map(text -> {
                    try {
                        return java.time.OffsetDateTime.parse(text).toInstant();
                    } catch (DateTimeParseException e) {
                        throw Problem.field(name, "must be a time as in 2027-03-01T12:00:00Z")
                                .causedBy(e);
                    }
                });
    }

    public byte[] body(int most) throws IOException {
        var length = request.headers().contentLength();
        if (length.isPresent() && length.getAsLong() > most) {
            throw tooLarge(most);
        }
        try (var in = request.content().inputStream()) {
            var bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                throw tooLarge(most);
            }
            return bytes;
        }
    }

    public boolean hasBody() {
        return request.content().hasEntity();
    }

    private static Problem tooLarge(int most) {
        return Problem.of(
                413,
                "body-too-large",
                "The request carries more than %d bytes.".formatted(most),
                "Send less.");
    }
}
