package dev.spur.runtime.identity;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The keys that sign tokens, by key id. New tokens are signed by the newest; older keys stay as
/// long as a token signed by them may live. They exist in the state directories of controllers
/// only.
public final class SigningKeys {
    private static final String SUFFIX = ".token-key";
    private static final int KEY_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path directory;

    /// Key ids begin with the time of their making, so the last is the newest.
    private volatile SortedMap<String, byte[]> keys;

    private SigningKeys(Path directory, SortedMap<String, byte[]> keys) {
        this.directory = directory;
        this.keys = keys;
    }

    /// Opens the keys under `stateDirectory/keys`, or makes the first when there is none.
    public static SigningKeys openOrCreate(Path stateDirectory, Instant now) {
        var directory = directory(stateDirectory);
        SecretFiles.directory(stateDirectory);
        SecretFiles.directory(directory);
        var keys = new SigningKeys(directory, read(directory));
        if (keys.keys.isEmpty()) {
            keys.rotate(now);
        }
        return keys;
    }

    /// Makes a new key for new tokens; tokens made so far stay valid.
    public synchronized void rotate(Instant now) {
        var random = new byte[4];
        RANDOM.nextBytes(random);
        var id = "%012d-%s".formatted(now.getEpochSecond(), HexFormat.of().formatHex(random));
        var key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
        SecretFiles.write(file(directory, id), key);
        var more = new TreeMap<>(keys);
        more.put(id, key);
        keys = more;
    }

    String newestId() {
        return keys.lastKey();
    }

    Optional<byte[]> key(String id) {
        return Optional.ofNullable(keys.get(id));
    }

    @Override
    public String toString() {
        return "SigningKeys" + keys.keySet();
    }

    static Path directory(Path stateDirectory) {
        return stateDirectory.resolve("keys");
    }

    static Path file(Path directory, String id) {
        return directory.resolve(id + SUFFIX);
    }

    static SortedMap<String, byte[]> read(Path directory) {
        var keys = new TreeMap<String, byte[]>();
        try (var files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (var file : files) {
                var name = file.getFileName().toString();
                keys.put(
                        name.substring(0, name.length() - SUFFIX.length()), SecretFiles.read(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the keys in " + directory, e);
        }
        return keys;
    }
}
