package dev.spur.runtime.identity;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;

/// Which certificates the CA gave to which host, one line each: `EXPIRES SERIAL ROLE HOST`. Whoever
/// revokes a host's certificates finds their serial numbers here, also those of renewals.
final class IssuedCertificates {
    private final Path file;

    IssuedCertificates(Path file) {
        this.file = file;
    }

    synchronized void add(Peer peer, Instant expires) {
        var line =
                "%s %s %s %s%n".formatted(expires, peer.serial(), peer.role().word(), peer.host());
        try {
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot note a certificate in " + file, e);
        }
    }

    /// Those that are still valid, oldest first.
    List<BigInteger> of(String host, Instant now) {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (var lines = Files.lines(file)) {
            return lines.map(line -> line.split(" ", 4))
                    .filter(words ->
                            words.length == 4
                                    && words[3].equals(host)
                                    && Instant.parse(words[0]).isAfter(now))
                    .map(words -> new BigInteger(words[1]))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
