package dev.spur.engine.state;

import dev.spur.model.ExitStatus;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeShare;
import dev.spur.model.StepId;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A step of a running job.
///
/// @param nodes in node id order
/// @param claims which parts of its share no other step may use
/// @param endedOn positions of the nodes whose part has ended
/// @param cancelled somebody asked for its end
/// @param gresPerTask devices that each task has for itself; empty: as the job says
public record Step(
        StepId id,
        String name,
        List<StepNode> nodes,
        int tasks,
        int cpusPerTask,
        Instant createdAt,
        @Nullable TimeLimit timeLimit,
        Claims claims,
        String distribution,
        IndexSet startedOn,
        IndexSet endedOn,
        ExitStatus exit,
        boolean cancelled,
        String stdOut,
        String stdErr,
        String stdIn,
        String gresPerTask) {

    public Step {
        nodes = List.copyOf(nodes);
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

    public boolean isEnded() {
        return endedOn.size() == nodes.size();
    }

    public List<String> nodeNames() {
        return nodes.stream().map(StepNode::node).toList();
    }

    public int cpus() {
        return nodes.stream().mapToInt(node -> node.share().cpus().size()).sum();
    }

    /// The node's position, or -1.
    int position(String node) {
        for (var i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).node().equals(node)) {
                return i;
            }
        }
        return -1;
    }

    Step withStarted(int position) {
        return new Step(
                id,
                name,
                nodes,
                tasks,
                cpusPerTask,
                createdAt,
                timeLimit,
                claims,
                distribution,
                startedOn.plus(IndexSet.of(position)),
                endedOn,
                exit,
                cancelled,
                stdOut,
                stdErr,
                stdIn,
                gresPerTask);
    }

    Step withEnded(int position, ExitStatus status) {
        return new Step(
                id,
                name,
                nodes,
                tasks,
                cpusPerTask,
                createdAt,
                timeLimit,
                claims,
                distribution,
                startedOn,
                endedOn.plus(IndexSet.of(position)),
                exit.worse(status),
                cancelled,
                stdOut,
                stdErr,
                stdIn,
                gresPerTask);
    }

    Step asCancelled() {
        return new Step(
                id,
                name,
                nodes,
                tasks,
                cpusPerTask,
                createdAt,
                timeLimit,
                claims,
                distribution,
                startedOn,
                endedOn,
                exit,
                true,
                stdOut,
                stdErr,
                stdIn,
                gresPerTask);
    }
}
