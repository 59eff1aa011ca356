package dev.spur.cloud.sessions;

import dev.spur.cloud.access.Secrets;
import dev.spur.cloud.config.AuthSection;
import dev.spur.runtime.identity.SecretFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Keeps what people hand to their sessions and nobody else may read: AES-256-GCM, with the
/// session's id bound to each, under a key that is not in the database.
public final class SealedSecrets {
    private static final String PURPOSE = "spur-cloud session secrets 1";
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeySpec key;

    private SealedSecrets(byte[] secret) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            this.key =
                    new SecretKeySpec(mac.doFinal(PURPOSE.getBytes(StandardCharsets.UTF_8)), "AES");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC-SHA-256", e);
        }
    }

    /// The key follows from the configured secret, which all daemons of an installation share;
    /// where none is configured there is one daemon, and a file of its own has the key.
    public static SealedSecrets open(AuthSection auth, Path stateDirectory) {
        if (auth.hasSoundSecret()) {
            return new SealedSecrets(auth.jwtSecret().reveal().getBytes(StandardCharsets.UTF_8));
        }
        return new SealedSecrets(ownKey(stateDirectory.resolve("session-secrets.key")));
    }

    private static byte[] ownKey(Path file) {
        if (!java.nio.file.Files.exists(file)) {
            SecretFiles.write(file, Secrets.text().getBytes(StandardCharsets.UTF_8));
        }
        try {
            return java.nio.file.Files.readAllBytes(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException("cannot read " + file, e);
        }
    }

    /// Null if there is nothing to keep.
    public byte @Nullable [] seal(UUID session, Map<String, String> secrets) {
        if (secrets.isEmpty()) {
            return null;
        }
        try {
            var nonce = Secrets.bytes(NONCE);
            var cipher = cipher(Cipher.ENCRYPT_MODE, nonce, session);
            var sealed = cipher.doFinal(Session.json(secrets).getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.allocate(NONCE + sealed.length).put(nonce).put(sealed).array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the secrets of a session could not be sealed", e);
        }
    }

    public Map<String, String> unseal(UUID session, byte @Nullable [] sealed) {
        if (sealed == null || sealed.length == 0) {
            return Map.of();
        }
        try {
            var nonce = java.util.Arrays.copyOf(sealed, NONCE);
            var cipher = cipher(Cipher.DECRYPT_MODE, nonce, session);
            var plain = cipher.doFinal(sealed, NONCE, sealed.length - NONCE);
            return Session.texts(new String(plain, StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "the secrets of session %s cannot be read: this installation has another key than the one that sealed them"
                            .formatted(session),
                    e);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, UUID session) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(session.toString().getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
