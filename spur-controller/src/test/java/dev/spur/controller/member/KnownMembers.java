package dev.spur.controller.member;

import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.RaftConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Controllers that share a log, as one of them sees it that does what tests say.
public final class KnownMembers implements Membership {
    private final List<RaftConfig.Peer> members = new ArrayList<>();
    private final List<String> reconnected = new ArrayList<>();
    private final RaftConfig.Peer self;
    private @Nullable String leader;

    public KnownMembers(RaftConfig.Peer self, RaftConfig.Peer... others) {
        this.self = self;
        members.add(self);
        members.addAll(List.of(others));
        leader = self.id();
    }

    void leads(@Nullable String id) {
        leader = id;
    }

    List<String> reconnected() {
        return reconnected;
    }

    @Override
    public RaftConfig.Peer self() {
        return self;
    }

    @Override
    public List<RaftConfig.Peer> members() {
        return List.copyOf(members);
    }

    @Override
    public Standing standing() {
        var role = self.id().equals(leader) ? Role.LEADER : Role.FOLLOWER;
        return new Standing(role, 1, leader, 0, 0, Map.of());
    }

    @Override
    public boolean isReachable() {
        return true;
    }

    @Override
    public void add(RaftConfig.Peer peer) {
        remove(peer.id());
        members.add(peer);
    }

    @Override
    public void remove(String id) {
        members.removeIf(member -> member.id().equals(id));
    }

    @Override
    public void handOver() {
        leader = null;
    }

    @Override
    public void reconnect(String id) {
        reconnected.add(id);
    }
}
