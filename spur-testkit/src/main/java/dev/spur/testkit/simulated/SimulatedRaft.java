package dev.spur.testkit.simulated;

import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.Proposal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The controllers that share one log: who is there, who votes for whom, and whether they all
/// arrive at the same state.
///
/// This is a model of Raft, not another implementation of it: votes need no messages, heartbeats
/// without news neither. But whatever it does Raft may do, and with enough seeds it does whatever
/// Raft may: tails that were not committed are dropped, a leader goes on for a while after another
/// was elected, entries are committed by the next leader after their proposer was told that nobody
/// knows.
final class SimulatedRaft {
    /// Images are compared at each so many entries: it costs as much as writing a snapshot.
    private static final int COMPARED_EVERY = 50;

    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final int size;
    private final List<SimulatedLog> running = new ArrayList<>();
    private final Map<Long, String> images = new HashMap<>();
    private final Map<Long, Long> committed = new HashMap<>();
    private final UninterruptedReplica uninterrupted = new UninterruptedReplica();

    SimulatedRaft(SimulatedTime time, SimulatedNetwork network, int size) {
        this.time = time;
        this.network = network;
        this.size = size;
    }

    boolean isMajority(int members) {
        return 2 * members > size;
    }

    int size() {
        return size;
    }

    void joined(SimulatedLog member) {
        running.add(member);
    }

    void left(SimulatedLog member) {
        running.remove(member);
    }

    /// Those that a member can talk to right now.
    List<SimulatedLog> reachableFrom(SimulatedLog member) {
        return running.stream()
                .filter(other -> other != member && other.isRunning())
                .filter(other -> network.reaches(member.host(), other.host()))
                .toList();
    }

    boolean reaches(SimulatedLog one, SimulatedLog other) {
        return running.contains(other) && network.reaches(one.host(), other.host());
    }

    /// Carries a message from one to the other, if it is still there and can be reached then.
    void send(SimulatedLog from, SimulatedLog to, Runnable arrival) {
        time.after(
                network.delay(),
                () -> {
                    if (reaches(from, to)) {
                        to.process().run(arrival);
                    }
                });
    }

    /// Whether the candidate wins the votes of those that it can reach. They enter its term
    /// whatever they think of it, as they do in Raft.
    boolean elects(SimulatedLog candidate) {
        var votes = 1;
        for (var voter : reachableFrom(candidate)) {
            if (voter.votesFor(candidate)) {
                votes++;
            }
        }
        return isMajority(votes);
    }

    /// Whether enough others have not heard of a leader either: a controller that comes back does
    /// not disturb one that leads.
    boolean wouldElect(SimulatedLog candidate) {
        var votes = 1;
        for (var voter : reachableFrom(candidate)) {
            if (voter.missesLeader() && !voter.isAheadOf(candidate)) {
                votes++;
            }
        }
        return isMajority(votes);
    }

    /// A member is about to apply this.
    void applying(long index, List<Proposal> entry) {
        uninterrupted.apply(index, entry);
    }

    UninterruptedReplica uninterrupted() {
        return uninterrupted;
    }

    // ---- what must be true of any log ----

    /// An entry that a majority has is never another one.
    void committed(long index, long term) {
        var before = committed.putIfAbsent(index, term);
        if (before != null && before != term) {
            throw new AssertionError(
                    "entry %d was committed in term %d and again in term %d"
                            .formatted(index, before, term));
        }
    }

    /// How many entries there are.
    long entries() {
        return committed.size();
    }

    /// Controllers that have applied the same entries have the same state, byte for byte.
    void applied(SimulatedLog member, long index) {
        if (index % COMPARED_EVERY == 0) {
            compare(member, index);
        }
    }

    void compare(SimulatedLog member, long index) {
        var image = BlobStore.hashOf(member.image());
        var before = images.putIfAbsent(index, image);
        if (before != null && !before.equals(image)) {
            throw new AssertionError(
                    "%s has another state after entry %d than another controller had"
                            .formatted(member.host(), index));
        }
    }
}
