package dev.spur.agent.reach;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.api.v1.Reach;
import dev.spur.api.v1.SignedReach;
import dev.spur.runtime.identity.NodeKey;
import io.grpc.Status;
import io.grpc.StatusException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Believes somebody who wants to reach a job only if the controller said so: for this node, to the
/// host that now comes with it, not long ago, and not yet used.
///
/// What was used is remembered as long as it could be shown again. An agent that has just started
/// remembers nothing, so it takes nothing that was said before; callers get themselves a new word.
public final class ReachCheck {
    private static final int MOST_REMEMBERED = 100_000;

    /// One alone keeps nobody out.
    private static final int MOST_OF_ONE_CALLER = 20_000;

    private final String node;
    private final InstantSource clock;
    private final Instant startedAt;
    private final Map<ByteString, Use> used = new LinkedHashMap<>();
    private final Map<String, Integer> ofCaller = new HashMap<>();

    private record Use(String caller, Instant expires) {}

    public ReachCheck(String node, InstantSource clock) {
        this.node = node;
        this.clock = clock;
        this.startedAt = clock.instant();
    }

    /// @param from the host that shows it; null where TLS is off
    public Reach verify(SignedReach signed, @Nullable String from, NodeKey key)
            throws StatusException {
        if (!key.verifiesReach(
                signed.getReach().toByteArray(), signed.getSignature().toByteArray())) {
            throw refused("it is not signed by this cluster's controller for node " + node);
        }
        var reach = parse(signed.getReach());
        if (!reach.getNode().equals(node)) {
            throw refused("it is for node %s, this is %s".formatted(reach.getNode(), node));
        }
        if (from != null && !from.equals(reach.getBearer())) {
            throw refused("it was given to another host than " + from);
        }
        var now = clock.instant();
        var expires = instant(reach.getExpiresMicros());
        if (now.isAfter(expires)) {
            throw refused("it has expired; are the clocks of controller and node apart?");
        }
        if (instant(reach.getIssuedMicros()).isBefore(startedAt)) {
            throw Status.UNAVAILABLE
                    .withDescription("the node's agent has been restarted meanwhile")
                    .asException();
        }
        useOnce(reach.getNonce(), new Use(reach.getCaller(), expires), now);
        return reach;
    }

    private synchronized void useOnce(ByteString nonce, Use use, Instant now)
            throws StatusException {
        forgetBefore(now);
        if (nonce.isEmpty() || used.containsKey(nonce)) {
            throw refused("it has been used already");
        }
        if (used.size() >= MOST_REMEMBERED
                || ofCaller.getOrDefault(use.caller, 0) >= MOST_OF_ONE_CALLER) {
            throw Status.UNAVAILABLE
                    .withDescription("too many have come to this node in the last minutes")
                    .asException();
        }
        used.put(nonce, use);
        ofCaller.merge(use.caller, 1, Integer::sum);
    }

    private void forgetBefore(Instant now) {
        for (var uses = used.values().iterator(); uses.hasNext(); ) {
            var oldest = uses.next();
            if (!oldest.expires.isBefore(now)) {
                return;
            }
            uses.remove();
            ofCaller.computeIfPresent(
                    oldest.caller, (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
        }
    }

    private static Reach parse(ByteString bytes) throws StatusException {
        try {
            return Reach.parseFrom(bytes);
        } catch (InvalidProtocolBufferException _) {
            throw refused("it cannot be read");
        }
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1_000L);
    }

    private static StatusException refused(String because) {
        return Status.PERMISSION_DENIED
                .withDescription("the controller's word was refused: " + because)
                .asException();
    }
}
