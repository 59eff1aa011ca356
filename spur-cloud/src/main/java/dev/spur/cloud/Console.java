package dev.spur.cloud;

import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Router;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/// The console's files, served beside its API. They are read once, while the daemon may still read
/// whatever its administrator named; a directory that the service account cannot reach is no
/// obstacle then. Addresses of its pages are all one file; what has a hash in its name never
/// changes.
final class Console implements Router.Fallback {
    /// Nobody's console is larger; somebody else's directory is.
    static final long LARGEST = 64L << 20;

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
    private static final Set<String> COMPRESSED = Set.of("html", "js", "css", "svg", "json", "txt");
    private static final String POLICY =
            "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
                    + "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
    private static final String INDEX = "/index.html";

    private final Map<String, File> files;

    /// @param compressed null where that would not make it smaller
    private record File(
            String type, byte[] bytes, byte @Nullable [] compressed, boolean isForEver) {}

    private Console(Map<String, File> files) {
        this.files = Map.copyOf(files);
    }

    /// @param directory empty: none is served here
    static Console load(String directory) {
        if (directory.isEmpty()) {
            return new Console(Map.of());
        }
        var root = Path.of(directory).toAbsolutePath().normalize();
        var files = new HashMap<String, File>();
        var total = 0L;
        try (var walk = Files.walk(root)) {
            for (var path : (Iterable<Path>) walk.filter(Files::isRegularFile)::iterator) {
                total += Files.size(path);
                if (total > LARGEST) {
                    throw new IllegalArgumentException(
                            "%s has more than %d MB and is not the console's directory. Name the one with its index.html (server.console_dir)."
                                    .formatted(root, LARGEST >> 20));
                }
                var name = "/" + root.relativize(path).toString().replace('\\', '/');
                files.put(name, read(path, name.startsWith("/assets/")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the console's files in " + root, e);
        }
        if (!files.containsKey(INDEX)) {
            throw new IllegalArgumentException(
                    "%s has no index.html. Name the directory that the console was built into (server.console_dir)."
                            .formatted(root));
        }
        return new Console(files);
    }

    private static File read(Path path, boolean isForEver) throws IOException {
        var name = String.valueOf(path.getFileName());
        var ending = name.substring(name.lastIndexOf('.') + 1);
        var bytes = Files.readAllBytes(path);
        return new File(
                TYPES.getOrDefault(ending, "application/octet-stream"),
                bytes,
                COMPRESSED.contains(ending) ? compressed(bytes) : null,
                isForEver);
    }

    private static byte[] compressed(byte[] bytes) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    @Override
    public Optional<Answer> answer(Incoming request) {
        var path = request.path();
        if (!request.method().equals("GET") && !request.method().equals("HEAD")
                || path.startsWith("/api/")) {
            return Optional.empty();
        }
        var file = files.get(path);
        if (file == null && !path.substring(path.lastIndexOf('/') + 1).contains(".")) {
            file = files.get(INDEX);
        }
        return Optional.ofNullable(file).map(found -> answer(found, request));
    }

    private static Answer answer(File file, Incoming request) {
        var compressed =
                request.header("Accept-Encoding").orElse("").contains("gzip")
                        ? file.compressed()
                        : null;
        var answer =
                compressed != null
                        ? Answer.bytes(file.type(), compressed).with("Content-Encoding", "gzip")
                        : Answer.bytes(file.type(), file.bytes());
        return answer.with("Vary", "Accept-Encoding")
                .with(
                        "Cache-Control",
                        file.isForEver() ? "public, max-age=31536000, immutable" : "no-cache")
                .with("Content-Security-Policy", POLICY);
    }
}
