package dev.spur.controller.member;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.client.JoiningClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.HandOverReply;
import dev.spur.api.v1.HandOverRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.ControllerSecrets;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.IdentityException;
import dev.spur.runtime.identity.JoinToken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How a host becomes a controller of a cluster that others began:
///
/// ```
///   new controller                                   the leader
///     one-time secret, certificate request  ──────►  Joining/Join
///     ◄── certificate of role controller
///     now known by it: what must I have?    ──────►  Peers/HandOver
///     ◄── authority, token keys, launch key, id
///     listens; make me a member             ──────►  Peers/Enter        (Neighbours)
/// ```
///
/// That it joins is written down first, and a certificate that was obtained is kept at once: so
/// whatever fails behind it can be tried again with the same token or, once there is a certificate,
/// without one.
public final class ControllerJoining {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerJoining.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private ControllerJoining() {}

    /// @return the place that the leader gave to this controller, stored as everything else is
    static Seat join(String token, String name, Path stateDirectory) {
        var granted = JoinToken.parse(token);
        var directory = stateDirectory.resolve("identity");
        new Seat(name, Seat.Beginning.JOINING, granted.controllers())
                .store(stateDirectory.resolve("raft"));
        var isAgain = isFromThatCluster(directory, granted);
        var identity = isAgain ? HostIdentity.load(directory) : certified(granted, name, directory);
        try {
            return seated(identity, granted.controllers(), stateDirectory);
        } catch (IdentityException e) {
            if (!isAgain || !isRefusal(e)) {
                throw e;
            }
            // What is left of an earlier try was revoked meanwhile: this token is for another one.
            return seated(
                    certified(granted, name, directory), granted.controllers(), stateDirectory);
        }
    }

    /// What was interrupted, without the token.
    static Seat goOn(Seat joining, Path stateDirectory) {
        var directory = stateDirectory.resolve("identity");
        if (!HostIdentity.exists(directory)) {
            throw new IdentityException(
                    "this controller began to join those at %s and is not done: start it again with a token (there: spur token join --role controller --host %s). If it shall begin a cluster of its own instead, empty %s first"
                            .formatted(joining.controllers(), joining.id(), stateDirectory));
        }
        return seated(HostIdentity.load(directory), joining.controllers(), stateDirectory);
    }

    private static Seat seated(
            HostIdentity identity, List<HostAndPort> controllers, Path stateDirectory) {
        var handedOver = handedOver(identity, controllers);
        secrets(handedOver).store(stateDirectory, identity.ca());
        var seat = new Seat(handedOver.getId(), Seat.Beginning.ADDED, controllers);
        seat.store(stateDirectory.resolve("raft"));
        LOG.atInfo()
                .addKeyValue("name", identity.self().host())
                .addKeyValue("controllers", controllers)
                .log("received the cluster's authority and keys");
        return seat;
    }

    private static boolean isRefusal(IdentityException e) {
        return e.getCause() instanceof ControllerException refusal
                && refusal.code().equals(ErrorCode.ACCESS_DENIED.name());
    }

    private static boolean isFromThatCluster(Path directory, JoinToken token) {
        if (!HostIdentity.exists(directory)) {
            return false;
        }
        var identity = HostIdentity.load(directory);
        return identity.self().role() == HostRole.CONTROLLER
                && identity.isFrom(token.caFingerprint());
    }

    private static HostIdentity certified(JoinToken token, String name, Path directory) {
        var keys = HostKeys.create();
        try {
            var reply =
                    JoiningClient.join(
                            token.controllers(),
                            ClusterTrust.ofFingerprint(token.caFingerprint()),
                            token.secret(),
                            name,
                            HostRole.CONTROLLER.word(),
                            keys.certificateRequest(name));
            return HostIdentity.store(
                    directory,
                    keys,
                    reply.getCertificate().toByteArray(),
                    reply.getCa().toByteArray());
        } catch (ControllerException e) {
            throw new IdentityException(
                    "cannot join the controllers at %s: %s"
                            .formatted(token.controllers(), e.getMessage()),
                    e);
        }
    }

    private static HandOverReply handedOver(HostIdentity identity, List<HostAndPort> controllers) {
        try (var channels =
                new Channels(
                        new TransportSecurity.Tls(
                                identity.keyManager(), identity.trustManager()))) {
            return ControllerClient.withPatience(
                            channels, controllers, new CallerIdentity.Host(), PATIENCE)
                    .peers(
                            leader -> leader.handOver(HandOverRequest.getDefaultInstance()),
                            PATIENCE);
        } catch (ControllerException e) {
            throw new IdentityException(
                    "this host has its certificate, but the controllers at %s did not hand over what a controller needs: %s"
                            .formatted(controllers, e.getMessage()),
                    e);
        }
    }

    private static ControllerSecrets secrets(HandOverReply reply) {
        var signing = new HashMap<String, byte[]>();
        reply.getSigningKeysMap().forEach((id, key) -> signing.put(id, key.toByteArray()));
        return new ControllerSecrets(
                reply.getCaKey().toByteArray(),
                reply.getCaCertificate().toByteArray(),
                signing,
                reply.getLaunchKey().toByteArray());
    }
}
