package dev.spur.cli.process;

import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.cloud.Keyring;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/// A file that nobody else may read, in the caller's home: three lines, address, user, token.
final class HomeKeyring implements Keyring {
    private static final int LARGEST = 16 << 10;

    private static Path file(Invocation in) {
        var config = in.environment("XDG_CONFIG_HOME");
        var home = in.environment("HOME");
        var base =
                config != null && config.startsWith("/")
                        ? Path.of(config)
                        : home != null && home.startsWith("/") ? Path.of(home, ".config") : null;
        if (base == null) {
            throw new Failure("HOME is not set: there is no place for your token");
        }
        return base.resolve("spur").resolve("cloud-token");
    }

    @Override
    public Optional<Key> load(Invocation in) {
        var file = file(in);
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            var others =
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(file)).substring(3);
            if (!others.equals("------")) {
                throw new Failure(
                        "others may read %s. Revoke the token in the cloud and sign in again"
                                .formatted(file));
            }
            List<String> lines =
                    Files.size(file) > LARGEST
                            ? List.of()
                            : Files.readAllLines(file, StandardCharsets.UTF_8);
            return lines.size() < 3
                    ? Optional.empty()
                    : Optional.of(new Key(lines.get(0), lines.get(2), lines.get(1)));
        } catch (IOException e) {
            throw new Failure("your token cannot be read: " + e);
        }
    }

    @Override
    public void store(Invocation in, Key key) {
        var file = file(in);
        var directory = String.valueOf(file.getParent());
        try {
            Files.createDirectories(
                    Path.of(directory),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            var fresh =
                    Files.createTempFile(
                            Path.of(directory),
                            "cloud-token",
                            ".new",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            Files.write(fresh, List.of(key.url(), key.user(), key.token()));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new Failure("your token cannot be kept: " + e);
        }
    }

    @Override
    public void forget(Invocation in) {
        try {
            Files.deleteIfExists(file(in));
        } catch (IOException e) {
            throw new Failure("your token cannot be removed: " + e);
        }
    }
}
