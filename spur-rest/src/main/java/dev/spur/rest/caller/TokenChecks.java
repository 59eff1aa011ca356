package dev.spur.rest.caller;

import dev.spur.rest.http.Refusal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;

/// Whose a token is: the controller is asked, and its answer is good for a short while. Those that
/// are not good are few at a time, whoever sends them.
public final class TokenChecks {
    private static final Duration GOOD_FOR = Duration.ofSeconds(30);
    private static final int MOST = 4096;
    private static final int LONGEST = 8192;
    private static final int AT_ONCE = 16;

    private final Check check;
    private final InstantSource clock;
    private final Semaphore asking = new Semaphore(AT_ONCE);
    private final Map<String, Known> known =
            new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
                    return size() > MOST;
                }
            };

    /// @param isAdministrator whether it may act for others
    public record Owner(String user, boolean isAdministrator) {}

    private record Known(Owner owner, Instant until) {}

    /// Asks the controller. Throws what the sender of a bad token is told.
    @FunctionalInterface
    public interface Check {
        Owner ask(String token);
    }

    public TokenChecks(Check check, InstantSource clock) {
        this.check = check;
        this.clock = clock;
    }

    /// @throws Refusal if it is not good
    Owner owner(String token) {
        if (token.length() > LONGEST) {
            throw Refusal.stranger("the token is too long to be one", "");
        }
        var key = digest(token);
        var now = clock.instant();
        synchronized (known) {
            var found = known.get(key);
            if (found != null && now.isBefore(found.until())) {
                return found.owner();
            }
        }
        if (!asking.tryAcquire()) {
            throw Refusal.busy("too many unknown tokens are being checked", 1);
        }
        try {
            var owner = check.ask(token);
            synchronized (known) {
                known.put(key, new Known(owner, now.plus(GOOD_FOR)));
            }
            return owner;
        } finally {
            asking.release();
        }
    }

    private static String digest(String token) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
