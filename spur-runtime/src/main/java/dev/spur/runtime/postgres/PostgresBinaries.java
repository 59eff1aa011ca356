package dev.spur.runtime.postgres;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/// The PostgreSQL that comes with Spur, unpacked once on a host, with the two small programs that
/// run it. The library that holds the archive is on the class path; what unpacks it is Java's xz
/// and the system's `tar`.
///
/// @param version as in `18.6`
record PostgresBinaries(Path directory, String version) {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresBinaries.class);
    private static final List<String> TOOLS = List.of("spur-keeper", "spur-nameless.so");

    /// Unpacks into the cache what is not there yet. A directory appears as a whole and on disk, so
    /// several processes may do this at once, and one that was interrupted leaves nothing that
    /// looks complete.
    static PostgresBinaries unpacked(Path cache, Path libexec) {
        try {
            var archive = archive();
            var directory = cache.resolve("postgres-" + digest(archive, libexec));
            if (!Files.isDirectory(directory)) {
                unpack(archive, libexec, directory);
            }
            requireTrusted(directory);
            return new PostgresBinaries(
                    directory, Files.readString(directory.resolve("VERSION")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack PostgreSQL into " + cache, e);
        }
    }

    int major() {
        return Integer.parseInt(version.replaceFirst("\\..*", ""));
    }

    Path program(String name) {
        return directory.resolve("bin").resolve(name);
    }

    Path keeper() {
        return program(TOOLS.getFirst());
    }

    Path nameless() {
        return program(TOOLS.getLast());
    }

    private static URL archive() {
        var name =
                switch (System.getProperty("os.arch")) {
                    case "amd64" -> "/postgres-linux-x86_64.txz";
                    case "aarch64" -> "/postgres-linux-arm_64.txz";
                    case String other -> throw noneFor(other);
                };
        var archive = PostgresBinaries.class.getResource(name);
        if (archive == null) {
            throw noneFor(System.getProperty("os.arch"));
        }
        return archive;
    }

    private static PostgresException noneFor(String machine) {
        return new PostgresException(
                "this build of Spur brings no PostgreSQL for %s. Use a server of your own: database_url in spur.conf"
                        .formatted(machine));
    }

    private static String digest(URL archive, Path libexec) throws IOException {
        var tools = new CRC32();
        for (var tool : TOOLS) {
            tools.update(Files.readAllBytes(libexec.resolve(tool)));
        }
        var connection = (JarURLConnection) archive.openConnection();
        return "%08x-%08x".formatted(connection.getJarEntry().getCrc(), tools.getValue());
    }

    private static void unpack(URL archive, Path libexec, Path directory) throws IOException {
        var cache = directory.getParent();
        Files.createDirectories(cache);
        var scratch = Files.createTempDirectory(cache, ".postgres-");
        try {
            Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxr-xr-x"));
            try (var packed = archive.openStream();
                    var content = new XZInputStream(packed)) {
                untar(content, scratch);
            }
            for (var tool : TOOLS) {
                var program = scratch.resolve("bin").resolve(tool);
                Files.copy(libexec.resolve(tool), program);
                Files.setPosixFilePermissions(
                        program, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
            Files.writeString(
                    scratch.resolve("VERSION"), versionOf(scratch.resolve("bin/postgres")));
            Files.setPosixFilePermissions(
                    scratch.resolve("VERSION"), PosixFilePermissions.fromString("rw-r--r--"));
            toDisk(scratch);
            Files.move(scratch, directory, StandardCopyOption.ATOMIC_MOVE);
            LOG.atInfo().addKeyValue("directory", directory).log("PostgreSQL unpacked");
        } catch (DirectoryNotEmptyException | FileAlreadyExistsException _) {
            LOG.atDebug().log("another process was faster");
        } finally {
            remove(scratch);
        }
    }

    private static void untar(InputStream content, Path directory) throws IOException {
        var tar =
                new ProcessBuilder("tar", "-xp", "--no-same-owner", "-C", directory.toString())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectErrorStream(true)
                        .start();
        try (var input = tar.getOutputStream()) {
            content.transferTo(input);
        }
        if (exit(tar) != 0) {
            throw new IOException("tar ended with status " + tar.exitValue());
        }
    }

    /// Of "postgres (PostgreSQL) 18.6".
    private static String versionOf(Path postgres) throws IOException {
        var process =
                new ProcessBuilder(postgres.toString(), "--version")
                        .redirectErrorStream(true)
                        .start();
        var said =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (exit(process) != 0) {
            throw new PostgresException(
                    "the PostgreSQL that comes with Spur does not run on this system: " + said);
        }
        return said.substring(said.lastIndexOf(' ') + 1);
    }

    private static int exit(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /// After a power cut the name must not be there without the content.
    private static void toDisk(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.toList()) {
                if (!Files.isSymbolicLink(file)) {
                    try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
                        channel.force(true);
                    }
                }
            }
        }
    }

    /// What others could have written is not run.
    private static void requireTrusted(Path directory) throws IOException {
        var owner = (Integer) Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        var mode = (Integer) Files.getAttribute(directory, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        var self = Users.currentUid();
        if ((owner != 0 && Integer.toUnsignedLong(owner) != self) || (mode & 022) != 0) {
            throw new PostgresException(
                    "others can write to %s, so nothing in it is run. Remove it: it is made again"
                            .formatted(directory));
        }
    }

    private static void remove(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path each, IOException failure)
                            throws IOException {
                        Files.delete(each);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
