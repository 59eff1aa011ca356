package dev.spur.controller.member;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.EnterReply;
import dev.spur.api.v1.EnterRequest;
import dev.spur.api.v1.HandOverReply;
import dev.spur.api.v1.RemoveControllerReply;
import dev.spur.api.v1.RemoveControllerRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.MembershipException;
import dev.spur.controller.raft.NotLeaderException;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.credential.HostCertificate;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.ControllerSecrets;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Controllers come and go: what the leader does about it.
public final class Members {
    private static final Logger LOG = LoggerFactory.getLogger(Members.class);

    /// A leader hears of each follower several times a second.
    private static final Duration SILENT = Duration.ofSeconds(5);

    private final Membership membership;
    private final Proposals proposals;
    private final ReplicatedState state;
    private final Supplier<ControllerSecrets> secrets;

    /// Held from the decision that somebody may come or has to go until that is so.
    private final ReentrantLock changing = new ReentrantLock();

    public Members(
            Membership membership,
            Proposals proposals,
            ReplicatedState state,
            Supplier<ControllerSecrets> secrets) {
        this.state = state;
        this.membership = membership;
        this.proposals = proposals;
        this.secrets = secrets;
    }

    /// Where the controllers serve clients, this one first.
    public List<HostAndPort> addresses() {
        return Stream.concat(Stream.of(membership.self()), membership.members().stream())
                .map(member ->
                        HostAndPort.parse(member.clientAddress(), HostAndPort.CONTROLLER_PORT))
                .distinct()
                .toList();
    }

    /// Before a token is made with which nobody could join.
    public void requireReachable() {
        if (!membership.isReachable()) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "this controller keeps its log to itself. To let others join, set controller.raft_listen_addr = \"[::]:6821\" in spur.conf and restart spurctld; nothing is lost");
        }
    }

    /// A host that was admitted as a controller gets what all controllers have.
    public HandOverReply handOver(PeerHost host) {
        requireReachable();
        refuseTwins(host.host());
        var id = RaftConfig.Peer.idOf(host.host(), membership.standing().applied() + 1);
        var handedOver = secrets.get();
        var reply =
                HandOverReply.newBuilder()
                        .setId(id)
                        .setCaKey(ByteString.copyFrom(handedOver.caKey()))
                        .setCaCertificate(ByteString.copyFrom(handedOver.caCertificate()))
                        .setLaunchKey(ByteString.copyFrom(handedOver.launchKey()));
        handedOver
                .signingKeys()
                .forEach((key, bytes) -> reply.putSigningKeys(key, ByteString.copyFrom(bytes)));
        LOG.atInfo()
                .addKeyValue("name", host.host())
                .addKeyValue("id", id)
                .log("handed the cluster's authority and keys to a new controller");
        return reply.build();
    }

    public EnterReply enter(EnterRequest request, PeerHost host) {
        changing.lock();
        try {
            return letIn(request, host);
        } finally {
            changing.unlock();
        }
    }

    private EnterReply letIn(EnterRequest request, PeerHost host) {
        refuseRevoked(host);
        var peer =
                new RaftConfig.Peer(
                        request.getId(), request.getReplicationAddress(), request.getAddress());
        var isKnown = byId(request.getId()).isPresent();
        if (!isKnown) {
            if (!peer.name().equals(host.host())) {
                throw new SpurException(
                        ErrorCode.INVALID_REQUEST,
                        "the certificate is that of %s, not of %s"
                                .formatted(host.host(), peer.name()));
            }
            refuseTwins(host.host(), request.getId());
        }
        try {
            membership.add(peer);
        } catch (MembershipException e) {
            throw new SpurException(
                    ErrorCode.BUSY, "%s: %s".formatted(peer.name(), e.getMessage()), e);
        }
        note(host);
        LOG.atInfo()
                .addKeyValue("name", peer.name())
                .addKeyValue("replication", peer.address())
                .addKeyValue("address", peer.clientAddress())
                .log(isKnown ? "controller is back" : "controller added");
        return EnterReply.getDefaultInstance();
    }

    /// What a new leader sees to: that the log says where this controller is reached, and that its
    /// certificate can be revoked by its name.
    public AutoCloseable lead(PeerHost self) {
        var announcing =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                note(self);
                                membership.add(membership.self());
                            } catch (RuntimeException e) {
                                LOG.atWarn()
                                        .addKeyValue("because", e.getMessage())
                                        .log("this controller's addresses are not in the log");
                            }
                        });
        return announcing::interrupt;
    }

    /// A controller's first certificate may have been made on its own host.
    private void note(PeerHost host) {
        if (state.snapshot().credentials().hosts().containsKey(host.host())) {
            return;
        }
        var certificate =
                new HostCertificate(
                        host.host(),
                        host.role().word(),
                        host.issuedAt(),
                        host.issuedAt().plus(ClusterCa.HOST_VALIDITY),
                        null);
        var result = proposals.decide(at -> new Command.CertifyHost(at, certificate));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
    }

    /// A controller that was just taken out notices that, and asks to be let in again, before it
    /// hears that it has to go.
    private void refuseRevoked(PeerHost host) {
        if (state.snapshot()
                .credentials()
                .isRevoked(host.host(), host.serial().toString(), host.issuedAt())) {
            throw new SpurException(
                    ErrorCode.ACCESS_DENIED,
                    "the certificate of %s was revoked. Join again with a new token"
                            .formatted(host.host()));
        }
    }

    public RemoveControllerReply remove(RemoveControllerRequest request, Caller.Person caller) {
        changing.lock();
        try {
            return takeOutAndRevoke(request, caller);
        } finally {
            changing.unlock();
        }
    }

    /// Out of the group first, so that the others need not wait for it; then its certificates.
    private RemoveControllerReply takeOutAndRevoke(
            RemoveControllerRequest request, Caller.Person caller) {
        var name = request.getName();
        var leaving =
                membership.members().stream()
                        .filter(member -> member.name().equals(name) || member.id().equals(name))
                        .findFirst();
        if (leaving.isPresent()) {
            takeOut(leaving.get());
        }
        // Where it is out already, its certificates may still be good: nobody heard the answer.
        var host = RaftConfig.Peer.nameOf(name);
        if (leaving.isEmpty() && !mayHaveBeenController(host)) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "no controller is called %s. See them with: spur cluster status"
                            .formatted(name));
        }
        var result =
                proposals.decide(at ->
                        new Command.RevokeHost(at, request.getRequestId(), caller.actor(), host));
        switch (result) {
            case Result.Done() ->
                    LOG.atInfo()
                            .addKeyValue("name", host)
                            .addKeyValue("by", caller.actor().userName())
                            .log("controller removed");
            case Result.Refused _ ->
                    LOG.atWarn()
                            .addKeyValue("name", host)
                            .log("controller removed; no certificate of that name is on record");
            default -> throw SpurErrors.unexpected(result);
        }
        return RemoveControllerReply.newBuilder()
                .addAllRemaining(membership.members().stream().map(RaftConfig.Peer::name).toList())
                .build();
    }

    /// Of a host with several certificates the role of the newest is known: of a controller, that
    /// of the door beside it.
    private boolean mayHaveBeenController(String host) {
        return Optional.ofNullable(state.snapshot().credentials().hosts().get(host))
                .flatMap(known -> HostRole.of(known.role()))
                .filter(HostRole::vouchesForAdministrators)
                .isPresent();
    }

    private void takeOut(RaftConfig.Peer leaving) {
        if (membership.members().size() == 1) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "%s is the only controller: without it there is no cluster"
                            .formatted(leaving.name()));
        }
        try {
            if (leaving.id().equals(membership.self().id())) {
                // The next leader removes this one: whoever asked is sent there.
                membership.handOver();
                throw new NotLeaderException(null);
            }
            requireMajorityWithout(leaving);
            membership.remove(leaving.id());
        } catch (MembershipException e) {
            throw new SpurException(
                    ErrorCode.BUSY,
                    "%s was not removed: %s".formatted(leaving.name(), e.getMessage()),
                    e);
        }
    }

    /// A group that could not decide anything could not take the change back either.
    private void requireMajorityWithout(RaftConfig.Peer leaving) {
        var silences = membership.standing().silences();
        var remaining =
                membership.members().stream()
                        .filter(member -> !member.id().equals(leaving.id()))
                        .toList();
        var silent =
                remaining.stream()
                        .filter(member -> !member.id().equals(membership.self().id()))
                        .filter(member ->
                                silences.getOrDefault(member.id(), SILENT).compareTo(SILENT) >= 0)
                        .map(RaftConfig.Peer::name)
                        .toList();
        if (remaining.size() - silent.size() < remaining.size() / 2 + 1) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "without %s the controllers would have no majority, since %s does not answer. Start or remove that one first"
                            .formatted(leaving.name(), String.join(", ", silent)));
        }
    }

    /// A controller that is to be replaced is removed first: its certificates with it, and so also
    /// those that its successor would have got before.
    public void refuseTwins(String name) {
        refuseTwins(name, "");
    }

    private void refuseTwins(String name, String id) {
        var twin =
                membership.members().stream()
                        .filter(member -> member.name().equals(name) && !member.id().equals(id))
                        .findFirst();
        if (twin.isPresent()) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "%s is a controller already, at %s. If this is a new one in its place, first remove the old (spur cluster remove %s), then make a token for the new"
                            .formatted(name, twin.get().address(), name));
        }
    }

    private Optional<RaftConfig.Peer> byId(String id) {
        return membership.members().stream().filter(member -> member.id().equals(id)).findFirst();
    }
}
