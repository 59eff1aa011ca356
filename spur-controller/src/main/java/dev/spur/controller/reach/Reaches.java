package dev.spur.controller.reach;

import com.google.protobuf.ByteString;
import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.Reach;
import dev.spur.api.v1.SignedReach;
import dev.spur.controller.access.Caller;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.StepId;
import dev.spur.runtime.identity.LaunchCredentials;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;

/// The controller's word for one node that somebody may reach a job there, once, in its owner's
/// rights, from the host that asked.
public final class Reaches {
    private static final Duration VALID_FOR = Duration.ofMinutes(5);
    private static final int NONCE_BYTES = 16;

    private final LaunchCredentials credentials;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    public Reaches(LaunchCredentials credentials, InstantSource clock) {
        this.credentials = credentials;
        this.clock = clock;
    }

    SignedReach sign(
            Job job,
            StepId step,
            String node,
            Snapshot snapshot,
            Caller.Person caller,
            Reach.Builder what) {
        var owner = job.spec().owner();
        var now = clock.instant();
        var nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        var bytes =
                what.setCluster(snapshot.config().clusterName())
                        .setNode(node)
                        .setBearer(caller.actor().host())
                        .setCaller(caller.actor().userName())
                        .setNonce(ByteString.copyFrom(nonce))
                        .setIssuedMicros(InstantMapper.toMicros(now))
                        .setExpiresMicros(InstantMapper.toMicros(now.plus(VALID_FOR)))
                        .setJobId(job.id().value())
                        .setStepId(step.value())
                        .setAttempt(job.attempt())
                        .setUid(owner.uid())
                        .setGid(owner.gid())
                        .addAllGroups(owner.groups())
                        .build()
                        .toByteArray();
        return SignedReach.newBuilder()
                .setReach(ByteString.copyFrom(bytes))
                .setSignature(ByteString.copyFrom(credentials.keyFor(node).signReach(bytes)))
                .setNode(node)
                .setAddress(snapshot.node(node).map(Node::address).orElse(""))
                .build();
    }
}
