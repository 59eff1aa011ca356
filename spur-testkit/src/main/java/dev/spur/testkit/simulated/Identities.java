package dev.spur.testkit.simulated;

import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.SigningKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;

/// The cluster's authority and keys, the same on every controller. Made once for all simulations:
/// nothing in them depends on these, and making them takes its time.
record Identities(Path directory, ClusterCa ca, SigningKeys keys) {
    private static final class Shared {
        static final Identities ONCE = create();
    }

    static Identities shared() {
        return Shared.ONCE;
    }

    private static Identities create() {
        try {
            var directory = Files.createTempDirectory("spur-simulated");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
            var clock = InstantSource.fixed(SimulatedTime.BEGINNING);
            return new Identities(
                    directory,
                    ClusterCa.openOrCreate(directory, "simulated", clock),
                    SigningKeys.openOrCreate(directory, clock.instant()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
