package dev.spur.engine.node;

import dev.spur.model.NodeReport;
import dev.spur.model.NodeShape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A node: what the configuration says, what its agent said, how it is and what it gives.
///
/// @param index its position in every node set; never reused for another name
/// @param report missing: it never registered
/// @param lastBusyAt when a job came or went last
public record Node(
        int index,
        String name,
        NodeDescription description,
        @Nullable NodeReport report,
        NodeCondition condition,
        Usage usage,
        @Nullable Instant lastBusyAt) {

    /// Who drained a node that says of itself that it is not well.
    public static final String ITSELF = "spurd";

    /// One of which nothing is known but its name.
    public static Node named(int index, String name) {
        return new Node(
                index,
                name,
                NodeDescription.NOTHING,
                null,
                NodeCondition.UNKNOWN,
                Usage.NONE,
                null);
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

    public NodeShape shape() {
        return description.shape();
    }

    public List<String> features() {
        return description.features();
    }

    public int weight() {
        return description.weight();
    }

    public String address() {
        return description.address();
    }

    public String comment() {
        return description.comment();
    }

    public Health health() {
        return condition.health();
    }

    public @Nullable Instant silentSince() {
        return condition.silentSince();
    }

    public boolean draining() {
        return condition.draining();
    }

    public NodeNote note() {
        return condition.note();
    }

    public @Nullable NodeLease lease() {
        return condition.lease();
    }

    public boolean isDrainedByItself() {
        return draining() && note().user().equals(ITSELF);
    }

    public boolean responds() {
        return silentSince() == null && report != null;
    }

    /// Whether jobs may be started here, resources given.
    public boolean isSchedulable() {
        return health() == Health.UP && responds() && !draining();
    }

    /// Slurm's base word: UNKNOWN, DOWN, IDLE, MIXED or ALLOCATED.
    public String baseState() {
        return switch (health()) {
            case UNKNOWN -> "UNKNOWN";
            case DOWN -> "DOWN";
            case UP ->
                    usage.cpus().isEmpty() || usage.jobs() == usage.completing()
                            ? "IDLE"
                            : usage.cpus().size() >= shape().cpus() ? "ALLOCATED" : "MIXED";
        };
    }

    /// Slurm's flags, in the order in which it joins them to the base word.
    public List<String> flags() {
        var flags = new ArrayList<String>();
        if (usage.completing() > 0) {
            flags.add("COMPLETING");
        }
        if (draining()) {
            flags.add("DRAIN");
        }
        if (!responds()) {
            flags.add("NOT_RESPONDING");
        }
        return flags;
    }

    public Node withUsage(Usage other, @Nullable Instant busyAt) {
        return new Node(index, name, description, report, condition, other, busyAt);
    }

    public Node withHealth(Health other, @Nullable Instant silent) {
        return with(new NodeCondition(other, silent, draining(), note(), lease()));
    }

    public Node withDraining(boolean drain, NodeNote why) {
        return with(new NodeCondition(health(), silentSince(), drain, why, lease()));
    }

    public Node withNote(NodeNote why) {
        return withDraining(draining(), why);
    }

    public Node withLease(@Nullable NodeLease granted) {
        return with(new NodeCondition(health(), silentSince(), draining(), note(), granted));
    }

    public Node withReport(NodeReport said) {
        return new Node(index, name, description, said, condition, usage, lastBusyAt);
    }

    public Node with(NodeDescription other) {
        return new Node(index, name, other, report, condition, usage, lastBusyAt);
    }

    public Node withFeatures(List<String> has) {
        return with(description.withFeatures(has));
    }

    public Node withWeight(int costs) {
        return with(description.withWeight(costs));
    }

    public Node withComment(String text) {
        return with(description.withComment(text));
    }

    private Node with(NodeCondition other) {
        return new Node(index, name, description, report, other, usage, lastBusyAt);
    }
}
