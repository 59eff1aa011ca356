package dev.spur.runtime.identity;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The key under which the controller signs launches for one node. The node gets it when it
/// registers and can check a launch with it, but not make one that another node would believe.
public final class NodeKey {
    private static final String HMAC = "HmacSHA256";
    static final int BYTES = 32;

    private final byte[] key;

    private NodeKey(byte[] key) {
        this.key = key;
    }

    /// The key as the controller sent it.
    public static NodeKey of(byte[] key) {
        if (key.length != BYTES) {
            throw new IdentityException(
                    "a node key has %d bytes, not %d".formatted(BYTES, key.length));
        }
        return new NodeKey(key.clone());
    }

    /// The bytes to send to the node, or to hand to its step supervisor.
    public byte[] reveal() {
        return key.clone();
    }

    /// HMAC-SHA256 over the launch exactly as it travels.
    public byte[] sign(byte[] launch) {
        return mac(keyFor("spur launch 2"), launch);
    }

    /// HMAC-SHA256 over the word that somebody may reach a job on the node. With a key of its own:
    /// it can never pass for a launch.
    public byte[] signReach(byte[] reach) {
        return mac(keyFor("spur reach 1"), reach);
    }

    /// Whether the controller said exactly this for this node.
    public boolean verifiesReach(byte[] reach, byte[] signature) {
        return MessageDigest.isEqual(signReach(reach), signature);
    }

    /// Proof for whoever comes back to something of this node. Made with a key of its own: what a
    /// node gives out as a proof is never a launch that somebody could present elsewhere.
    public byte[] prove(byte[] what) {
        return mac(keyFor("spur proof 1"), what);
    }

    private byte[] keyFor(String purpose) {
        return mac(key, purpose.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] mac(byte[] key, byte[] text) {
        try {
            var mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC-SHA256", e);
        }
    }

    /// Whether the controller signed exactly this launch for this node; takes the same time for
    /// every wrong answer.
    public boolean verifies(byte[] launch, byte[] signature) {
        return MessageDigest.isEqual(sign(launch), signature);
    }

    @Override
    public String toString() {
        return "NodeKey[(redacted)]";
    }
}
