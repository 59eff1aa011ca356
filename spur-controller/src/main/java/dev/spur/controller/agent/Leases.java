package dev.spur.controller.agent;

import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.node.NodeLease;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Snapshot;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How long the jobs of a node may go on without a word between it and its controller, under
/// `lost_node = "lease_kill"`.
///
/// The state holds what the node counts on ([NodeLease]), and jobs begin elsewhere by that alone.
/// So a longer lease is written down before the node hears of it, and a shorter one when the node
/// has said that it counts on it.
final class Leases {
    /// The node counts on no lease: its jobs go on for ever.
    static final int NONE = 0;

    /// For clocks that do not run alike, processes that take a moment to die, and a controller that
    /// learns a moment late that another one leads.
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private final ReplicatedState state;
    private final Proposals proposals;
    private final Duration heartbeatTimeout;

    Leases(ReplicatedState state, Proposals proposals, Duration heartbeatTimeout) {
        this.state = state;
        this.proposals = proposals;
        this.heartbeatTimeout = heartbeatTimeout;
    }

    /// What the node may be told now: the seconds from its word until nothing of its jobs is left
    /// there, or [#NONE].
    int toTell(String node) {
        var snapshot = state.snapshot();
        var granted = granted(snapshot, node);
        var wanted = wanted(snapshot);
        if (granted != null && isLonger(wanted, granted)) {
            grant(node, wanted, snapshot);
            return seconds(granted);
        }
        return seconds(wanted);
    }

    /// The node has said which lease it counts on.
    void acknowledged(String node, int seconds) {
        var snapshot = state.snapshot();
        var wanted = wanted(snapshot);
        var granted = granted(snapshot, node);
        if (wanted != null
                && seconds == seconds(wanted)
                && (granted == null || isLonger(granted, wanted))) {
            grant(node, wanted, snapshot);
        }
    }

    /// Out of date if another lease is configured before it is written down: the node may have been
    /// told of that one.
    private void grant(String node, @Nullable Duration wanted, Snapshot snapshot) {
        var configured = snapshot.config().rules().leaseOrNull();
        proposals.note(at -> new Command.GrantLease(at, node, wanted, configured));
    }

    private static @Nullable Duration granted(Snapshot snapshot, String node) {
        return snapshot.node(node)
                .map(known -> known.lease())
                .map(NodeLease::goneWithin)
                .orElse(null);
    }

    /// A silent node is declared so a heartbeat's timeout after its last word, and its jobs begin
    /// elsewhere a lease later.
    private @Nullable Duration wanted(Snapshot snapshot) {
        var configured = snapshot.config().rules().leaseOrNull();
        return configured == null ? null : heartbeatTimeout.plus(configured);
    }

    /// No lease is the longest of all.
    private static boolean isLonger(@Nullable Duration one, Duration other) {
        return one == null || one.compareTo(other) > 0;
    }

    /// How long jobs may take to die is the nodes' affair: what runs there may have begun under
    /// another `kill_wait_secs` than today's.
    private static int seconds(@Nullable Duration goneWithin) {
        return goneWithin == null ? NONE : (int) Math.max(1, goneWithin.minus(MARGIN).toSeconds());
    }
}
