package dev.spur.agent.launch;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.agent.step.LaunchException;
import dev.spur.api.v1.LaunchFault;
import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.StepLaunch;
import dev.spur.runtime.identity.NodeKey;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.InstantSource;

/// Believes a launch only if the controller signed it for this node and it has not expired. Script
/// and environment are signed by their hashes.
public final class LaunchCheck {
    private final String node;
    private final InstantSource clock;

    public LaunchCheck(String node, InstantSource clock) {
        this.node = node;
        this.clock = clock;
    }

    public StepLaunch verify(SignedLaunch signed, NodeKey key) throws LaunchException {
        if (!key.verifies(signed.getLaunch().toByteArray(), signed.getSignature().toByteArray())) {
            throw refused("it is not signed by this cluster's controller for node " + node);
        }
        var launch = parse(signed.getLaunch());
        if (!launch.getNode().equals(node)) {
            throw refused("it is for node %s, this is %s".formatted(launch.getNode(), node));
        }
        var expires = launch.getExpiresMicros();
        if (expires != 0 && micros(clock.instant()) > expires) {
            throw refused("it has expired; are the clocks of controller and node apart?");
        }
        requireHash("script", launch.getScript(), launch.getScriptSha256());
        requireHash("environment", launch.getEnvironment(), launch.getEnvironmentSha256());
        return launch;
    }

    private static StepLaunch parse(ByteString bytes) throws LaunchException {
        try {
            return StepLaunch.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new LaunchException("the launch cannot be read", e, LaunchFault.FAULT_LAUNCH);
        }
    }

    private static void requireHash(String what, ByteString content, ByteString hash)
            throws LaunchException {
        if (hash.isEmpty() && content.isEmpty()) {
            return;
        }
        if (!MessageDigest.isEqual(sha256(content), hash.toByteArray())) {
            throw refused("its %s is not the one that was signed".formatted(what));
        }
    }

    private static byte[] sha256(ByteString content) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(content.asReadOnlyByteBuffer());
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    private static LaunchException refused(String because) {
        return new LaunchException("the launch was refused: " + because, LaunchFault.FAULT_PASSING);
    }
}
