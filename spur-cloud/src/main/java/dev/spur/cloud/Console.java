package dev.spur.cloud;

import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Router;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The console's files, served beside its API. Addresses of its pages are all one file; what has a
/// hash in its name never changes.
final class Console {
    private static final Map<String, String> TYPES =
            Map.ofEntries(
                    Map.entry("html", "text/html; charset=utf-8"),
                    Map.entry("js", "text/javascript; charset=utf-8"),
                    Map.entry("css", "text/css; charset=utf-8"),
                    Map.entry("svg", "image/svg+xml"),
                    Map.entry("png", "image/png"),
                    Map.entry("ico", "image/x-icon"),
                    Map.entry("json", "application/json"),
                    Map.entry("webmanifest", "application/manifest+json"),
                    Map.entry("woff2", "font/woff2"),
                    Map.entry("woff", "font/woff"),
                    Map.entry("txt", "text/plain; charset=utf-8"));
    private static final String POLICY =
            "default-src 'self'; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; "
                    + "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

    private final Path directory;

    private Console(Path directory) {
        this.directory = directory;
    }

    static Router.Fallback in(String directory) {
        if (directory.isEmpty()) {
            return _ -> Optional.empty();
        }
        return new Console(Path.of(directory).toAbsolutePath().normalize())::answer;
    }

    private Optional<Answer> answer(Incoming request) {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")
                || request.path().startsWith("/api/")) {
            return Optional.empty();
        }
        var file = directory.resolve("." + request.path()).normalize();
        if (!file.startsWith(directory) || request.path().contains("\0")) {
            return Optional.empty();
        }
        try {
            if (Files.isRegularFile(file) && file.toRealPath().startsWith(directory.toRealPath())) {
                return Optional.of(file(file, request.path().startsWith("/assets/")));
            }
            var index = directory.resolve("index.html");
            var isPage = !String.valueOf(file.getFileName()).contains(".");
            return isPage && Files.isRegularFile(index)
                    ? Optional.of(file(index, false))
                    : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Answer file(Path file, boolean isForEver) throws IOException {
        var name = String.valueOf(file.getFileName());
        var type =
                TYPES.getOrDefault(
                        name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
        return Answer.bytes(type, Files.readAllBytes(file))
                .with(
                        "Cache-Control",
                        isForEver ? "public, max-age=31536000, immutable" : "no-cache")
                .with("Content-Security-Policy", POLICY);
    }
}
