package dev.spur.runtime.postgres;

import dev.spur.runtime.host.ServiceAccount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;

/// PostgreSQL for tests: the one that comes with Spur, in directories that the service account
/// reaches.
public final class TestPostgres {
    private static final Path NATIVE = Path.of("..", "native").toAbsolutePath().normalize();
    private static final Path LIBEXEC = build();

    private TestPostgres() {}

    /// A new directory that everybody may pass; it goes with the JVM.
    static Path directory() {
        try {
            var directory = Files.createTempDirectory("spur-postgres-test-");
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory)));
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A database directory, not yet filled.
    public static PostgresHome home() {
        return home(directory().resolve("postgres"));
    }

    static PostgresHome home(Path directory) {
        return PostgresHome.prepare(directory, ServiceAccount.usual(), places(directory));
    }

    static PostgresHome.Places places(Path directory) {
        var usual = PostgresHome.Places.usual(directory);
        return new PostgresHome.Places(
                directory.resolveSibling("elsewhere"), usual.cache(), LIBEXEC);
    }

    static Path libexec() {
        return LIBEXEC;
    }

    /// The server that the tests of this JVM share; whoever needs his own tables asks for a
    /// database of his own.
    public static DatabaseAddress shared(String database) {
        return Shared.SERVER.database(database);
    }

    private static final class Shared {
        static final EmbeddedPostgres SERVER =
                EmbeddedPostgres.open(home(), List.of("spur", "spur_cloud"));
    }

    private static Path build() {
        try {
            var make =
                    new ProcessBuilder("make", "-s", "-C", NATIVE.resolve("keeper").toString())
                            .redirectErrorStream(true)
                            .start();
            var said = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (make.waitFor() != 0) {
                throw new IllegalStateException("the keeper does not build: " + said);
            }
            return NATIVE.resolve("build");
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("cannot build the keeper", e);
        }
    }

    private static void remove(Path directory) {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException _) {
            // The server of a test that failed still writes.
        }
    }
}
