package dev.spur.agent.io;

import dev.spur.agent.step.StepKey;
import dev.spur.runtime.identity.NodeKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/// Proof that its holder has run the step, for coming back to it. Derived, not stored: it holds
/// after a restart of the agent.
final class StepCookie {
    private StepCookie() {}

    static byte[] of(StepKey key, NodeKey nodeKey) {
        return nodeKey.prove(("attach " + key.directoryName()).getBytes(StandardCharsets.UTF_8));
    }

    static boolean isGenuine(byte[] cookie, StepKey key, NodeKey nodeKey) {
        return MessageDigest.isEqual(cookie, of(key, nodeKey));
    }
}
