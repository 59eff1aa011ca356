package dev.spur.runtime.postgres;

import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.SecretFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The directory of one embedded PostgreSQL, ready for whoever will run it.
///
/// ```
/// data/        what PostgreSQL has, of one major version
/// run/         its socket
/// passwords/   one file each: postgres (the superuser) and the role of each database
/// postgres.log what the server says
/// owner.pid    held by the process whose database it is
/// ```
///
/// PostgreSQL does not run as root. Root therefore prepares this for the service account, and then
/// either becomes it, as daemons do, or stays root and has the server run as that account.
///
/// @param account whose everything in the directory is; null if it is simply the user of this
///   process
/// @param unpacked what runs it; null if another process does
public record PostgresHome(
        Path directory, @Nullable ServiceAccount account, @Nullable PostgresBinaries unpacked) {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresHome.class);

    /// Where things go when they cannot be where they should.
    ///
    /// @param elsewhere for data in a directory that the service account cannot reach
    /// @param cache for the unpacked PostgreSQL
    /// @param libexec where Spur's own programs are
    record Places(Path elsewhere, Path cache, Path libexec) {
        static Places usual(Path directory) {
            return new Places(
                    Path.of("/var/lib/spur"),
                    usualCache(directory),
                    Path.of(System.getProperty("spur.home", "/usr")).resolve("libexec"));
        }

        /// Beside the data for those who have no home to write to.
        private static Path usualCache(Path directory) {
            if (Users.currentUid() == 0) {
                return Path.of("/var/cache/spur");
            }
            var home = Path.of(System.getProperty("user.home", "/"));
            var cache =
                    Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                            .filter(said -> said.startsWith("/"))
                            .map(Path::of)
                            .orElseGet(() -> home.resolve(".cache"));
            return Files.isWritable(home) || Files.isWritable(cache)
                    ? cache.resolve("spur")
                    : directory.resolve("binaries");
        }
    }

    /// Makes the directory, or takes the one that is there. To be called while the process still is
    /// root, if it is.
    public static PostgresHome prepare(Path directory) {
        return prepare(directory, ServiceAccount.usual(), Places.usual(directory));
    }

    /// The one that another process of this user has prepared, wherever that put it.
    static PostgresHome existing(Path wanted) {
        var usual = wanted.toAbsolutePath().normalize();
        var places = Places.usual(usual);
        var instead = places.elsewhere().resolve(hash(usual));
        return new PostgresHome(Files.isDirectory(instead) ? instead : usual, null, null);
    }

    PostgresBinaries binaries() {
        return Objects.requireNonNull(unpacked, "another process runs this PostgreSQL");
    }

    static PostgresHome prepare(Path wanted, ServiceAccount account, Places places) {
        var directory = wanted.toAbsolutePath().normalize();
        if (Users.currentUid() != 0) {
            SecretFiles.ownDirectory(directory);
            return new PostgresHome(
                    directory, null, PostgresBinaries.unpacked(places.cache(), places.libexec()));
        }
        try {
            var place = placeFor(account, directory, places.elsewhere());
            giveTo(account, place);
            var binaries = PostgresBinaries.unpacked(places.cache(), places.libexec());
            if (!account.canReach(binaries.directory())) {
                throw new PostgresException(
                        "uid %d, as which PostgreSQL runs, cannot reach %s. Let others pass: chmod o+x, on all directories above it"
                                .formatted(account.uid(), binaries.directory()));
            }
            return new PostgresHome(place, account, binaries);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare the directory " + directory, e);
        }
    }

    private static Path placeFor(ServiceAccount account, Path wanted, Path elsewhere)
            throws IOException {
        var instead = elsewhere.resolve(hash(wanted));
        if (Files.isDirectory(instead)) {
            return instead; // also when the wanted one can be reached by now: the data are here
        }
        var above = wanted.getParent();
        if (above == null) {
            throw new PostgresException("/ is no directory for a database");
        }
        Files.createDirectories(above);
        if (account.canReach(above)) {
            return wanted;
        }
        if (Files.exists(wanted.resolve("data"))) {
            throw new PostgresException(
                    "uid %d, as which PostgreSQL runs, cannot reach its data in %s any more. Let others pass the directories above it (chmod o+x), or move the data: mv %s %s"
                            .formatted(account.uid(), wanted, wanted, instead));
        }
        if (!Files.isDirectory(elsewhere)) {
            Files.createDirectories(elsewhere);
            Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        LOG.atWarn()
                .addKeyValue("wanted", wanted)
                .addKeyValue("instead", instead)
                .addKeyValue("uid", account.uid())
                .log(
                        "the database's account cannot reach the wanted directory, its data are elsewhere");
        return instead;
    }

    private static void giveTo(ServiceAccount account, Path directory) throws IOException {
        SecretFiles.directory(directory);
        var owner =
                Integer.toUnsignedLong(
                        (Integer)
                                Files.getAttribute(
                                        directory, "unix:uid", LinkOption.NOFOLLOW_LINKS));
        if (owner == account.uid()) {
            return;
        }
        try (var content = Files.list(directory)) {
            if (owner != 0 || content.findAny().isPresent()) {
                throw new PostgresException(
                        "%s belongs to uid %d, but PostgreSQL runs as uid %d. Use another directory, or, if you trust what is in it: chown -R %d:%d %s"
                                .formatted(
                                        directory,
                                        owner,
                                        account.uid(),
                                        account.uid(),
                                        account.gid(),
                                        directory));
            }
        }
        account.give(directory);
    }

    private static String hash(Path path) {
        try {
            var digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(path.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    Path data() {
        return directory.resolve("data");
    }

    Path log() {
        return directory.resolve("postgres.log");
    }

    Path password(String role) {
        return directory.resolve("passwords").resolve(role);
    }

    /// A directory of the account's own in this one.
    Path subdirectory(String name) {
        var path = directory.resolve(name);
        SecretFiles.directory(path);
        give(path);
        return path;
    }

    void give(Path path) {
        if (account != null && Users.currentUid() == 0) {
            account.give(path);
        }
    }
}
