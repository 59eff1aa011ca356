import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/// Takes the signatures out of jars: `java Unsign.java JAR…`. Maven has compared what it fetched with the checksums; from
/// then on the files are as safe as the others beside them.
final class Unsign {
    private Unsign() {}

    static void main(String[] jars) throws IOException {
        for (var jar : jars) {
            unsign(Path.of(jar));
        }
    }

    private static void unsign(Path jar) throws IOException {
        try (var archive = FileSystems.newFileSystem(jar)) {
            var directory = archive.getPath("META-INF");
            if (!Files.isDirectory(directory)) {
                return;
            }
            var signed = false;
            try (Stream<Path> files = Files.list(directory)) {
                for (var file : files.filter(Unsign::isSignature).toList()) {
                    Files.delete(file);
                    signed = true;
                }
            }
            if (signed) {
                keepMainAttributes(directory.resolve("MANIFEST.MF"));
            }
        }
    }

    private static boolean isSignature(Path file) {
        return file.getFileName().toString().toUpperCase(Locale.ROOT).matches(".*\\.(SF|RSA|DSA|EC)");
    }

    /// The rest are digests.
    private static void keepMainAttributes(Path file) throws IOException {
        Manifest manifest;
        try (var in = Files.newInputStream(file)) {
            manifest = new Manifest(in);
        }
        manifest.getEntries().clear();
        try (var out = Files.newOutputStream(file)) {
            manifest.write(out);
        }
    }
}
