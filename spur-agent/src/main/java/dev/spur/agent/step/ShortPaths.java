package dev.spur.agent.step;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The address of a Unix socket has room for 107 bytes. A spool with a longer path is reached
/// through a symbolic link in a private directory.
final class ShortPaths implements AutoCloseable {
    private static final String LINK = "s";
    private static final int LONGEST = 107;
    private static final int LONGEST_BELOW = "/steps/4294967295.interactive.999/control".length();

    private final Path spool;
    private final @Nullable Path directory;

    private ShortPaths(Path spool, @Nullable Path directory) {
        this.spool = spool;
        this.directory = directory;
    }

    static ShortPaths of(Path spool) throws IOException {
        if (spool.toString().length() + LONGEST_BELOW <= LONGEST) {
            return new ShortPaths(spool, null);
        }
        var directory = Files.createTempDirectory(Path.of("/tmp"), "spurd");
        Files.createSymbolicLink(directory.resolve(LINK), spool.toAbsolutePath());
        return new ShortPaths(spool, directory);
    }

    Path shorten(Path path) {
        return directory == null ? path : directory.resolve(LINK).resolve(spool.relativize(path));
    }

    @Override
    public void close() {
        if (directory == null) {
            return;
        }
        try {
            Files.deleteIfExists(directory.resolve(LINK));
            Files.deleteIfExists(directory);
        } catch (IOException _) {
            // A link left behind in /tmp harms nobody.
        }
    }
}
