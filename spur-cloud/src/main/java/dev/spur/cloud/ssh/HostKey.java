package dev.spur.cloud.ssh;

import dev.spur.runtime.identity.SecretFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import org.apache.sshd.common.config.keys.FilePasswordProvider;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.digest.BuiltinDigests;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.util.security.SecurityUtils;

/// The key by which clients know the gateway again: made once, kept in the state directory as
/// OpenSSH writes such a key.
public final class HostKey {
    private static final String FILE = "ssh_host_ed25519_key";
    private static final int ED25519_BITS = 256;

    private final KeyPair pair;

    private HostKey(KeyPair pair) {
        this.pair = pair;
    }

    public static HostKey of(Path stateDirectory) {
        var file = stateDirectory.resolve(FILE);
        try {
            if (!Files.exists(file)) {
                SecretFiles.write(file, created());
            }
            try (var in = Files.newInputStream(file)) {
                var pairs =
                        SecurityUtils.loadKeyPairIdentities(
                                null, () -> FILE, in, FilePasswordProvider.EMPTY);
                return new HostKey(pairs.iterator().next());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the host key of SSH cannot be used: " + file, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the host key of SSH cannot be used: " + file, e);
        }
    }

    private static byte[] created() throws IOException, GeneralSecurityException {
        var pair = KeyUtils.generateKeyPair(KeyPairProvider.SSH_ED25519, ED25519_BITS);
        var bytes = new ByteArrayOutputStream();
        OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(pair, "spur-cloud", null, bytes);
        return bytes.toByteArray();
    }

    /// As `ssh-keygen -l` shows it.
    public String fingerprint() {
        return KeyUtils.getFingerPrint(BuiltinDigests.sha256, pair.getPublic());
    }

    /// In one line, as in a `known_hosts` file behind the host.
    public String publicKey() {
        return PublicKeyEntry.toString(pair.getPublic());
    }

    KeyPairProvider provider() {
        return KeyPairProvider.wrap(pair);
    }

    @Override
    public String toString() {
        return new String(
                publicKey().getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII);
    }
}
