package dev.spur.engine.step;

import dev.spur.model.ExitStatus;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeShare;
import dev.spur.model.StepId;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A step of a running job.
///
/// @param timeLimit missing: none of its own
public record Step(
        StepId id,
        String name,
        Instant createdAt,
        @Nullable TimeLimit timeLimit,
        Layout layout,
        Streams streams,
        Progress progress) {
    /// Which tasks it has, and where.
    ///
    /// @param nodes in node id order
    /// @param claims which parts of its share no other step may use
    /// @param gresPerTask devices that each task has for itself; empty: as the job says
    public record Layout(
            List<StepNode> nodes,
            int tasks,
            int cpusPerTask,
            Claims claims,
            String distribution,
            String gresPerTask) {
        public Layout {
            nodes = List.copyOf(nodes);
        }
    }

    /// Where its tasks read and write, as `srun` was told; empty: nothing was said.
    public record Streams(String stdOut, String stdErr, String stdIn) {
        public static final Streams AS_THE_JOB = new Streams("", "", "");
    }

    /// How far it has come.
    ///
    /// @param startedOn positions of the nodes whose part has begun
    /// @param endedOn positions of the nodes whose part has ended
    /// @param exit the worst so far
    /// @param cancelled somebody asked for its end
    /// @param usage of the nodes whose part has ended; missing: of none
    /// @param cancelledBy the uid that asked; missing: nobody, or nobody knows
    /// @param suspendedBefore for how long the job had been suspended when the step was created
    public record Progress(
            IndexSet startedOn,
            IndexSet endedOn,
            ExitStatus exit,
            boolean cancelled,
            @Nullable StepUsage usage,
            @Nullable Integer cancelledBy,
            Duration suspendedBefore) {
        public static final Progress NONE = since(Duration.ZERO);

        /// Of a step that has just been created.
        public static Progress since(Duration suspendedBefore) {
            return new Progress(
                    IndexSet.EMPTY,
                    IndexSet.EMPTY,
                    ExitStatus.SUCCESS,
                    false,
                    null,
                    null,
                    suspendedBefore);
        }

        Progress withStarted(IndexSet started) {
            return new Progress(
                    started, endedOn, exit, cancelled, usage, cancelledBy, suspendedBefore);
        }

        Progress withEnded(IndexSet ended, ExitStatus worst, StepUsage used) {
            return new Progress(
                    startedOn, ended, worst, cancelled, used, cancelledBy, suspendedBefore);
        }

        Progress asCancelled(int uid) {
            return new Progress(startedOn, endedOn, exit, true, usage, uid, suspendedBefore);
        }
    }

    /// What one node does for the step.
    ///
    /// @param tasks global ranks of the tasks on this node
    public record StepNode(NodeShare share, IndexSet tasks) {
        public String node() {
            return share.node();
        }
    }

    /// What a step has for itself. What it does not claim it shares with the other steps of the
    /// job.
    public record Claims(boolean cpus, boolean memory, boolean gres) {
        public static final Claims NOTHING = new Claims(false, false, false);
    }

    public List<StepNode> nodes() {
        return layout.nodes;
    }

    public int tasks() {
        return layout.tasks;
    }

    public IndexSet startedOn() {
        return progress.startedOn;
    }

    public IndexSet endedOn() {
        return progress.endedOn;
    }

    public ExitStatus exit() {
        return progress.exit;
    }

    public boolean cancelled() {
        return progress.cancelled;
    }

    public boolean isEnded() {
        return endedOn().size() == nodes().size();
    }

    public List<String> nodeNames() {
        return nodes().stream().map(StepNode::node).toList();
    }

    public int cpus() {
        return nodes().stream().mapToInt(node -> node.share().cpus().size()).sum();
    }

    /// The node's position, or -1.
    public int position(String node) {
        for (var i = 0; i < nodes().size(); i++) {
            if (nodes().get(i).node().equals(node)) {
                return i;
            }
        }
        return -1;
    }

    public Step withStarted(int position) {
        var started = startedOn().plus(IndexSet.of(position));
        return with(progress.withStarted(started));
    }

    /// @param status what its part there counts as
    public Step withEnded(int position, ExitStatus status, StepEnd end, Instant now) {
        var ended = endedOn().plus(IndexSet.of(position));
        var used = StepUsage.of(end, position, nodes().get(position).tasks().size(), now);
        return with(
                progress.withEnded(
                        ended,
                        exit().worse(status),
                        progress.usage == null ? used : progress.usage.plus(used)));
    }

    /// @param uid who asked for it
    public Step asCancelled(int uid) {
        return with(progress.asCancelled(uid));
    }

    private Step with(Progress other) {
        return new Step(id, name, createdAt, timeLimit, layout, streams, other);
    }
}
