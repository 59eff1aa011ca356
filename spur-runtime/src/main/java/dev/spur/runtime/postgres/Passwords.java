package dev.spur.runtime.postgres;

import dev.spur.runtime.config.Secret;
import dev.spur.runtime.identity.SecretFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.Base64;

/// One random password for each role, in a file that only the owner reads.
final class Passwords {
    private static final int BYTES = 32;

    private Passwords() {}

    static boolean exists(PostgresHome home, String role) {
        return Files.exists(home.password(role));
    }

    static void create(PostgresHome home, String role) {
        var random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        var text = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        home.subdirectory("passwords");
        SecretFiles.write(home.password(role), text.getBytes(StandardCharsets.US_ASCII));
    }

    static Secret read(PostgresHome home, String role) {
        return Secret.parse(
                new String(SecretFiles.read(home.password(role)), StandardCharsets.US_ASCII)
                        .strip());
    }
}
