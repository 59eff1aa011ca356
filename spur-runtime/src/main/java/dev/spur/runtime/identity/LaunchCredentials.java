package dev.spur.runtime.identity;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;

/// The keys under which launches are signed, one for each node, all derived from one master key
/// that only controllers have (HKDF-SHA256; the node's name is what tells its key from the others).
public final class LaunchCredentials {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] masterKey;

    private LaunchCredentials(byte[] masterKey) {
        this.masterKey = masterKey;
    }

    /// Opens the master key under `stateDirectory/keys`, or makes it when there is none.
    public static LaunchCredentials openOrCreate(Path stateDirectory) {
        var file = file(stateDirectory);
        if (!Files.exists(file)) {
            SecretFiles.directory(stateDirectory);
            SecretFiles.directory(SigningKeys.directory(stateDirectory));
            var fresh = new byte[NodeKey.BYTES];
            RANDOM.nextBytes(fresh);
            SecretFiles.write(file, fresh);
        }
        return of(SecretFiles.read(file));
    }

    static Path file(Path stateDirectory) {
        return SigningKeys.directory(stateDirectory).resolve("launch.key");
    }

    public static LaunchCredentials of(byte[] masterKey) {
        if (masterKey.length != NodeKey.BYTES) {
            throw new IdentityException(
                    "the master key for launches has %d bytes instead of %d: its file is damaged"
                            .formatted(masterKey.length, NodeKey.BYTES));
        }
        return new LaunchCredentials(masterKey.clone());
    }

    public NodeKey keyFor(String node) {
        return NodeKey.of(derive("spur launch 1", node, NodeKey.BYTES));
    }

    /// The secret that belongs to a request for a join token: whichever controller is asked again
    /// gives the same.
    public byte[] joinSecret(String request) {
        return derive("spur join 1", request, JoinToken.SECRET_BYTES);
    }

    private byte[] derive(String purpose, String what, int bytes) {
        try {
            var parameters =
                    HKDFParameterSpec.ofExtract()
                            .addIKM(masterKey)
                            .addSalt(purpose.getBytes(StandardCharsets.UTF_8))
                            .thenExpand(what.getBytes(StandardCharsets.UTF_8), bytes);
            return KDF.getInstance("HKDF-SHA256").deriveData(parameters);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK 25 has HKDF-SHA256", e);
        }
    }

    @Override
    public String toString() {
        return "LaunchCredentials[(redacted)]";
    }
}
