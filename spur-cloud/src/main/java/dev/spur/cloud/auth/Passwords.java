package dev.spur.cloud.auth;

import dev.spur.cloud.access.Secrets;
import dev.spur.cloud.config.AuthSection;
import dev.spur.runtime.http.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/// Argon2id hashes of passwords as PHC strings. Each costs memory and time by design, so only a few
/// are computed at once, and whoever waits too long is told to come back.
final class Passwords {
    private static final Pattern PHC =
            Pattern.compile(
                    "\\$argon2id\\$v=19\\$m=([0-9]{1,8}),t=([0-9]{1,4}),p=([0-9]{1,3})\\$([A-Za-z0-9+/]{1,100})\\$([A-Za-z0-9+/]{1,200})");
    private static final int SALT = 16;
    private static final int LENGTH = 32;
    private static final int AT_ONCE = 2;
    private static final long PATIENCE_SECONDS = 5;

    /// A stored hash of larger parameters than these was not made by us, and would cost as much as
    /// its maker likes.
    private static final int LARGEST_MEMORY = 1 << 20;

    private final Semaphore places = new Semaphore(AT_ONCE, true);
    private final int memory;
    private final int iterations;
    private final String nobodys;

    Passwords(AuthSection.Local policy) {
        this.memory = policy.memoryKib();
        this.iterations = policy.iterations();
        this.nobodys = hash(Secrets.text());
    }

    private record Stored(int memory, int iterations, int lanes, byte[] salt, byte[] hash) {}

    String hash(String password) {
        var salt = Secrets.bytes(SALT);
        var hash = compute(password, memory, iterations, 1, salt, LENGTH);
        return "$argon2id$v=19$m=%d,t=%d,p=1$%s$%s"
                .formatted(memory, iterations, encoded(salt), encoded(hash));
    }

    boolean matches(String password, String stored) {
        var phc = parse(stored);
        var hash =
                compute(
                        password,
                        phc.memory(),
                        phc.iterations(),
                        phc.lanes(),
                        phc.salt(),
                        phc.hash().length);
        return MessageDigest.isEqual(hash, phc.hash());
    }

    /// Takes as long as a comparison, so that the time does not tell whether there is an account.
    void compareWithNobodys(String password) {
        matches(password, nobodys);
    }

    /// Whether it was made by another policy than today's.
    boolean isOutdated(String stored) {
        var phc = parse(stored);
        return phc.memory() != memory || phc.iterations() != iterations || phc.lanes() != 1;
    }

    private byte[] compute(
            String password, int memory, int iterations, int lanes, byte[] salt, int length) {
        try {
            if (!places.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw Problem.of(
                                503,
                                "busy",
                                "Too many people sign in at this moment.",
                                "Try again in a few seconds.")
                        .with("Retry-After", "5");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(503, "stopping", "The service is stopping.", "Try again in a moment.")
                    .causedBy(e);
        }
        try {
            var generator = new Argon2BytesGenerator();
            generator.init(
                    new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                            .withMemoryAsKB(memory)
                            .withIterations(iterations)
                            .withParallelism(lanes)
                            .withSalt(salt)
                            .build());
            var hash = new byte[length];
            generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), hash);
            return hash;
        } finally {
            places.release();
        }
    }

    private static Stored parse(String stored) {
        var match = PHC.matcher(stored);
        if (!match.matches()) {
            throw new IllegalStateException("a stored password is no Argon2id hash");
        }
        var memory = Integer.parseInt(match.group(1));
        if (memory > LARGEST_MEMORY) {
            throw new IllegalStateException("a stored password asks for too much memory");
        }
        return new Stored(
                memory,
                Integer.parseInt(match.group(2)),
                Integer.parseInt(match.group(3)),
                decoded(match.group(4)),
                decoded(match.group(5)));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] decoded(String text) {
        return Base64.getDecoder().decode(text);
    }
}
