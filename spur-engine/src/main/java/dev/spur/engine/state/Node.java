package dev.spur.engine.state;

import dev.spur.model.NodeReport;
import dev.spur.model.NodeShape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A node: what the configuration says, what its agent said, how it is and what it gives.
///
/// @param index its position in every node set; never reused for another name
/// @param configured missing: only its agent names it
/// @param shape what is allocated from: the configured numbers where stated, else the reported
/// @param report missing: it never registered
/// @param silentSince when it fell silent; missing: it answers, or never did
public record Node(
        int index,
        String name,
        boolean configured,
        NodeShape shape,
        List<String> features,
        int weight,
        String address,
        @Nullable NodeReport report,
        Health health,
        @Nullable Instant silentSince,
        boolean draining,
        NodeNote note,
        String comment,
        Usage usage,
        @Nullable Instant lastBusyAt) {

    public Node {
        features = List.copyOf(features);
    }

    public enum Health {
        /// Never registered.
        UNKNOWN,
        UP,
        DOWN
    }

    /// Why a node is not in service, who said so and when. Empty if nobody did.
    public record NodeNote(String text, String user, int uid, @Nullable Instant at) {
        public static final NodeNote NONE = new NodeNote("", "", 0, null);
    }

    public boolean responds() {
        return silentSince == null && report != null;
    }

    /// Whether jobs may be started here, resources given.
    public boolean isSchedulable() {
        return health == Health.UP && responds() && !draining;
    }

    /// Slurm's base word: UNKNOWN, DOWN, IDLE, MIXED or ALLOCATED.
    public String baseState() {
        return switch (health) {
            case UNKNOWN -> "UNKNOWN";
            case DOWN -> "DOWN";
            case UP ->
                    usage.isIdle() || usage.jobs() == usage.completing()
                            ? "IDLE"
                            : usage.cpus().size() >= shape.cpus() ? "ALLOCATED" : "MIXED";
        };
    }

    /// Slurm's flags, in the order in which it joins them to the base word.
    public List<String> flags() {
        var flags = new ArrayList<String>();
        if (usage.completing() > 0) {
            flags.add("COMPLETING");
        }
        if (draining) {
            flags.add("DRAIN");
        }
        if (!responds()) {
            flags.add("NOT_RESPONDING");
        }
        return flags;
    }

    Node withUsage(Usage other, @Nullable Instant busyAt) {
        return new Node(
                index,
                name,
                configured,
                shape,
                features,
                weight,
                address,
                report,
                health,
                silentSince,
                draining,
                note,
                comment,
                other,
                busyAt);
    }

    Node withHealth(Health other, @Nullable Instant silent) {
        return new Node(
                index,
                name,
                configured,
                shape,
                features,
                weight,
                address,
                report,
                other,
                silent,
                draining,
                note,
                comment,
                usage,
                lastBusyAt);
    }

    Node withDraining(boolean drain, NodeNote why) {
        return new Node(
                index,
                name,
                configured,
                shape,
                features,
                weight,
                address,
                report,
                health,
                silentSince,
                drain,
                why,
                comment,
                usage,
                lastBusyAt);
    }

    Node withNote(NodeNote why) {
        return withDraining(draining, why);
    }

    Node withShape(
            boolean inConfig, NodeShape resolved, List<String> has, int costs, String reachedAt) {
        return new Node(
                index,
                name,
                inConfig,
                resolved,
                has,
                costs,
                reachedAt,
                report,
                health,
                silentSince,
                draining,
                note,
                comment,
                usage,
                lastBusyAt);
    }

    Node withReport(NodeReport said) {
        return new Node(
                index,
                name,
                configured,
                shape,
                features,
                weight,
                address,
                said,
                health,
                silentSince,
                draining,
                note,
                comment,
                usage,
                lastBusyAt);
    }

    Node withComment(String text) {
        return new Node(
                index,
                name,
                configured,
                shape,
                features,
                weight,
                address,
                report,
                health,
                silentSince,
                draining,
                note,
                text,
                usage,
                lastBusyAt);
    }
}
