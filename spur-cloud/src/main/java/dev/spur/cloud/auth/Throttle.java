package dev.spur.cloud.auth;

import dev.spur.runtime.http.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/// Bounds how often something is tried, by key: an address, an account. Keys that were not used
/// longest are forgotten when there are too many.
final class Throttle {
    private static final int MOST_KEYS = 20_000;

    private final int most;
    private final Duration window;
    private final InstantSource clock;
    private final LinkedHashMap<String, Tries> tries = new LinkedHashMap<>(64, 0.75f, true);

    private record Tries(Instant since, int count) {}

    Throttle(int most, Duration window, InstantSource clock) {
        this.most = most;
        this.window = window;
        this.clock = clock;
    }

    /// Counts a try, or refuses it.
    synchronized void take(String key) {
        var now = clock.instant();
        var before = tries.get(key);
        var after =
                before == null || !before.since().plus(window).isAfter(now)
                        ? new Tries(now, 1)
                        : new Tries(before.since(), before.count() + 1);
        if (after.count() > most) {
            var wait = Duration.between(now, after.since().plus(window)).toSeconds() + 1;
            throw Problem.of(
                            429,
                            "too-many-tries",
                            "That was tried too often.",
                            "Try again in %d seconds.".formatted(wait))
                    .with("Retry-After", String.valueOf(wait));
        }
        tries.put(key, after);
        forget();
    }

    /// It went well: what was tried before does not count any more.
    synchronized void forgive(String key) {
        tries.remove(key);
    }

    private void forget() {
        if (tries.size() > MOST_KEYS) {
            var eldest = tries.entrySet().iterator();
            Map.Entry<String, Tries> _ = eldest.next();
            eldest.remove();
        }
    }
}
