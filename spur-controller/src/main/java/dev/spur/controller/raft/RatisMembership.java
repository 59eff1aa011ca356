package dev.spur.controller.raft;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/// The members of the Raft group.
final class RatisMembership implements Membership {
    /// A newcomer copies the whole state first.
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Duration HANDED_OVER_WITHIN = Duration.ofSeconds(3);

    private final RaftServer server;
    private final RaftGroupId group;
    private final RaftConfig config;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();

    RatisMembership(RaftServer server, RaftGroupId group, RaftConfig config) {
        this.server = server;
        this.group = group;
        this.config = config;
    }

    static RaftPeer toRatis(RaftConfig.Peer peer, int priority) {
        return RaftPeer.newBuilder()
                .setId(RaftPeerId.valueOf(peer.id()))
                .setAddress(peer.address())
                .setClientAddress(peer.clientAddress())
                .setPriority(priority)
                .build();
    }

    static RaftConfig.Peer ofRatis(RaftPeer peer) {
        return new RaftConfig.Peer(
                peer.getId().toString(), peer.getAddress(), peer.getClientAddress());
    }

    @Override
    public RaftConfig.Peer self() {
        return config.self();
    }

    @Override
    public List<RaftConfig.Peer> members() {
        return division().getRaftConf().getCurrentPeers().stream()
                .map(RatisMembership::ofRatis)
                .sorted(Comparator.comparing(RaftConfig.Peer::id))
                .toList();
    }

    @Override
    public Standing standing() {
        var division = division();
        var info = division.getInfo();
        var leader = info.getLeaderId();
        return new Standing(
                role(division),
                info.getCurrentTerm(),
                leader == null ? null : leader.toString(),
                division.getRaftLog().getLastCommittedIndex(),
                info.getLastAppliedIndex(),
                silences(division));
    }

    private Role role(RaftServer.Division division) {
        var info = division.getInfo();
        if (!info.isAlive()) {
            return Role.STOPPED;
        }
        return switch (info.getCurrentRole()) {
            case LEADER -> Role.LEADER;
            case CANDIDATE -> Role.CANDIDATE;
            case FOLLOWER, LISTENER, UNRECOGNIZED ->
                    division.getRaftConf().getPeer(server.getId()) == null
                            ? Role.WAITING
                            : Role.FOLLOWER;
        };
    }

    private static Map<String, Duration> silences(RaftServer.Division division) {
        var info = division.getInfo();
        if (!info.isLeader()) {
            return Map.of();
        }
        var silences = new HashMap<String, Duration>();
        for (var follower : info.getRoleInfoProto().getLeaderInfo().getFollowerInfoList()) {
            silences.put(
                    follower.getId().getId().toStringUtf8(),
                    Duration.ofMillis(follower.getLastRpcElapsedTimeMs()));
        }
        return Map.copyOf(silences);
    }

    @Override
    public boolean isReachable() {
        return config.tls() != null;
    }

    @Override
    public synchronized void add(RaftConfig.Peer peer) {
        var members = new ArrayList<>(members());
        if (members.contains(peer)) {
            return;
        }
        var known = members.stream().filter(member -> member.id().equals(peer.id())).findFirst();
        // Connections to an id are made once, so an address can change only while nobody else uses
        // it.
        if (known.isPresent()
                && members.size() > 1
                && !known.get().address().equals(peer.address())) {
            throw new MembershipException(
                    "the other controllers reach %s at %s and not at %s. Remove it and let it join again"
                            .formatted(peer.name(), known.get().address(), peer.address()));
        }
        members.removeIf(member -> member.id().equals(peer.id()));
        members.add(peer);
        set(members);
    }

    @Override
    public synchronized void remove(String id) {
        var members = new ArrayList<>(members());
        if (members.removeIf(member -> member.id().equals(id))) {
            set(members);
        }
    }

    /// To one that was heard of a moment ago; without such a one this controller only steps down.
    @Override
    public void handOver() {
        var taken =
                standing().silences().entrySet().stream()
                        .filter(follower -> follower.getValue().compareTo(HANDED_OVER_WITHIN) < 0)
                        .sorted(Map.Entry.comparingByValue())
                        .map(follower -> RaftPeerId.valueOf(follower.getKey()))
                        .anyMatch(this::handOverTo);
        if (!taken) {
            handOverTo(null);
        }
    }

    @Override
    public void reconnect(String id) {
        server.getServerRpc()
                .handleException(RaftPeerId.valueOf(id), new IOException("it was away"), true);
    }

    private boolean handOverTo(@Nullable RaftPeerId next) {
        try {
            return server.transferLeadershipAsync(
                            new TransferLeadershipRequest(
                                    client,
                                    server.getId(),
                                    group,
                                    calls.incrementAndGet(),
                                    next,
                                    HANDED_OVER_WITHIN.toMillis()))
                    .get(2 * HANDED_OVER_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                    .isSuccess();
        } catch (IOException | ExecutionException | TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MembershipException("the controller is stopping");
        }
    }

    /// Ratis compares lists by ids and priorities, so that a new address alone would change
    /// nothing. All have the same priority, nobody is preferred; with each change it alternates.
    private void set(List<RaftConfig.Peer> members) {
        var priority =
                division().getRaftConf().getCurrentPeers().stream()
                                .anyMatch(peer -> peer.getPriority() > 0)
                        ? 0
                        : 1;
        var peers = members.stream().map(member -> toRatis(member, priority)).toList();
        var arguments =
                SetConfigurationRequest.Arguments.newBuilder().setServersInNewConf(peers).build();
        try {
            answer(
                    server.setConfigurationAsync(
                                    new SetConfigurationRequest(
                                            client,
                                            server.getId(),
                                            group,
                                            calls.incrementAndGet(),
                                            arguments))
                            .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (IOException | ExecutionException | TimeoutException e) {
            throw new MembershipException(
                    "the controllers could not agree on their members: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MembershipException("the controller is stopping");
        }
    }

    private void answer(RaftClientReply reply) {
        switch (reply.getException()) {
            case null -> {}
            case org.apache.ratis.protocol.exceptions.NotLeaderException e -> {
                var leader = e.getSuggestedLeader();
                throw new NotLeaderException(leader == null ? null : leader.getClientAddress());
            }
            case ReconfigurationInProgressException _ ->
                    throw new MembershipException(
                            "another change of the controllers is under way; try again in a moment");
            case ReconfigurationTimeoutException _ ->
                    throw new MembershipException(
                            "the new controller does not answer on its replication address");
            case Exception e ->
                    throw new MembershipException(
                            "the controllers could not agree on their members: " + e.getMessage());
        }
    }

    private RaftServer.Division division() {
        try {
            return server.getDivision(group);
        } catch (IOException e) {
            throw new IllegalStateException("the log is closed", e);
        }
    }
}
