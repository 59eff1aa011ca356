package dev.spur.engine.rules;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.node.NodeLease;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ClusterRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.NodeReport;
import dev.spur.model.NodeShape;
import dev.spur.model.StepId;
import dev.spur.model.notation.Text;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How nodes come, fall silent, come back, and what that means for their jobs.
final class NodeRules {
    static final String NOT_RESPONDING = "Not responding";

    private final Tables tables;
    private final JobLifecycle lifecycle;
    private final SiteRules site;

    NodeRules(Tables tables, JobLifecycle lifecycle, SiteRules site) {
        this.tables = tables;
        this.lifecycle = lifecycle;
        this.site = site;
    }

    Result register(Command.RegisterNode command) {
        var absurdity = command.report().shape().absurdity();
        if (absurdity.isPresent() || command.node().isEmpty()) {
            return new Result.Refused(
                    ErrorCode.INVALID_REQUEST, absurdity.orElse("a node needs a name"));
        }
        var known = tables.node(command.node());
        var rebooted =
                known.map(Node::report)
                        .filter(report -> !report.bootId().equals(command.report().bootId()))
                        .isPresent();
        var node =
                known.map(before -> site.reported(before, command.report()))
                        .orElseGet(() ->
                                site.described(site.newNode(command.node()), command.report()));
        node = inService(node.withReport(command.report()), command.report());
        tables.put(node);
        if (known.map(before -> !labelsOf(before).equals(command.report().labels())).orElse(true)) {
            site.refillPartitions(node);
        }
        tellAgain(command.node());
        if (rebooted) {
            restarted(command);
        } else {
            reconcile(command.node(), command.jobs());
        }
        return Result.DONE;
    }

    /// The node hears now what it is to end, and has its time for that.
    private void tellAgain(String node) {
        for (var job : tables.index.on(node)) {
            if (job.phase() instanceof JobPhase.Completing phase) {
                tables.note(job.with(phase.toldAgain(phase.overdue(), tables.now)));
            }
        }
    }

    /// What ran there is lost. But `srun` may hold the launch of a step that the node, which knows
    /// nothing of the job any more, would begin: nothing is left of the job when the node has
    /// answered that it ends it.
    private void restarted(Command.RegisterNode command) {
        for (var job : tables.index.on(command.node())) {
            switch (job.phase()) {
                case JobPhase.Running _, JobPhase.Suspended _ -> {
                    if (!willReport(job, command)) {
                        lifecycle.failedByNode(job, List.of());
                    }
                }
                case JobPhase.Pending _, JobPhase.Completing _, JobPhase.Ended _ -> {}
            }
        }
    }

    /// A script that had ended before its node was restarted is not lost: the agent still has its
    /// end to tell.
    private static boolean willReport(Job job, Command.RegisterNode command) {
        return isPresent(job, command.jobs())
                && job.steps()
                        .find(StepId.BATCH)
                        .filter(step -> step.position(command.node()) == 0)
                        .isPresent();
    }

    private static boolean isPresent(Job job, List<Command.JobOnNode> present) {
        return present.contains(new Command.JobOnNode(job.id(), job.attempt()));
    }

    private static Map<String, String> labelsOf(Node node) {
        return node.report() == null ? Map.of() : node.report().labels();
    }

    private Node inService(Node node, NodeReport report) {
        var up =
                switch (node.health()) {
                    case UNKNOWN, UP -> true;
                    case DOWN ->
                            switch (tables.config.rules().returnToService()) {
                                case NEVER -> false;
                                case IF_IT_WAS_SILENT ->
                                        node.note().text().isEmpty()
                                                || node.note().text().equals(NOT_RESPONDING);
                                case ALWAYS -> true;
                            };
                };
        var lease = node.lease();
        var back =
                node.withHealth(up ? Node.Health.UP : Node.Health.DOWN, null)
                        .withLease(lease == null ? null : lease.goingOn());
        if (up && back.note().text().equals(NOT_RESPONDING)) {
            back = back.withNote(Node.NodeNote.NONE);
        }
        var shortage = Shortage.of(node.shape(), report.shape());
        return shortage.isPresent() && !back.draining()
                ? back.withDraining(true, new Node.NodeNote(shortage.get(), "spur", 0, tables.now))
                : back;
    }

    /// The node is the same as before: a batch script that began here and of which the agent knows
    /// nothing is lost. One that has not begun is still to be launched, and nodes without steps
    /// have nothing to show. That nothing is left of a job is never concluded from a registration:
    /// `srun` may have launched a step while it was under way. The node is told to end the job, and
    /// answers.
    private void reconcile(String node, List<Command.JobOnNode> present) {
        for (var job : tables.index.on(node)) {
            switch (job.phase()) {
                case JobPhase.Running _, JobPhase.Suspended _ -> {
                    if (!isPresent(job, present) && hasBegun(job, node)) {
                        lifecycle.failedByNode(job, List.of());
                    }
                }
                case JobPhase.Pending _, JobPhase.Completing _, JobPhase.Ended _ -> {}
            }
        }
    }

    static boolean hasBegun(Job job, String node) {
        return job.steps()
                .find(StepId.BATCH)
                .filter(step -> step.position(node) == 0 && step.startedOn().contains(0))
                .isPresent();
    }

    Result lost(Command.NodeLost command) {
        var node = tables.node(command.node()).orElse(null);
        if (node == null || node.silentSince() != null) {
            return new Result.Ignored(Text.of("node %s is not expected to answer", command.node()));
        }
        var note =
                node.note().text().isEmpty()
                        ? new Node.NodeNote(NOT_RESPONDING, "spur", 0, tables.now)
                        : node.note();
        var lease = node.lease();
        tables.put(
                node.withHealth(Node.Health.DOWN, tables.now)
                        .withNote(note)
                        .withLease(lease == null ? null : lease.endingAfter(command.heardAt())));
        return Result.DONE;
    }

    /// Of a silent node nothing changes: what its agent counts on is what it was told.
    Result lease(Command.GrantLease command) {
        var node = tables.node(command.node()).orElse(null);
        if (node == null || node.silentSince() != null) {
            return new Result.Ignored(Text.of("node %s does not answer", command.node()));
        }
        var decidedBy = command.configured();
        if (decidedBy != null && !decidedBy.equals(tables.config.rules().leaseOrNull())) {
            return new Result.Ignored(
                    Text.of("another lease than %s is configured by now", decidedBy));
        }
        var within = command.goneWithin();
        tables.put(node.withLease(within == null ? null : new NodeLease(within, null)));
        return Result.DONE;
    }

    Result responded(Command.NodeResponded command) {
        var node = tables.node(command.node()).orElse(null);
        var report = node == null ? null : node.report();
        if (node == null || report == null || node.silentSince() == null) {
            return new Result.Ignored(Text.of("node %s was not silent", command.node()));
        }
        tables.put(inService(node, report));
        return Result.DONE;
    }

    /// A drain of its own lasts as long as the fault does; those of others are not touched.
    Result fault(Command.NodeFault command) {
        var node = tables.node(command.node()).orElse(null);
        if (node == null) {
            return new Result.Ignored(Text.of("no node is called %s", command.node()));
        }
        var note = new Node.NodeNote(command.fault(), Node.ITSELF, 0, tables.now);
        if (command.fault().isEmpty() && node.isDrainedByItself()) {
            tables.put(node.withDraining(false, remaining(node)));
        } else if (!command.fault().isEmpty() && (!node.draining() || node.isDrainedByItself())) {
            tables.put(node.withDraining(true, note));
        }
        return Result.DONE;
    }

    /// Under `lease_kill`, the agent of a silent node has ended its jobs when the lease is over.
    void endLeases() {
        for (var node : tables.silentNodes()) {
            var end = endOfLease(node);
            if (end != null && !end.isAfter(tables.now)) {
                tables.index.on(node.name()).forEach(job -> lifecycle.lostNode(job, node.name()));
            }
        }
    }

    /// When the next lease is over; null if none runs.
    @Nullable Instant nextEndOfLease() {
        Instant next = null;
        for (var node : tables.silentNodes()) {
            var end = endOfLease(node);
            next = next == null || (end != null && end.isBefore(next)) ? end : next;
        }
        return next;
    }

    /// As it was granted, not as it would be now: a node that was told nothing goes on for ever.
    private @Nullable Instant endOfLease(Node node) {
        var lease = node.lease();
        return lease != null
                        && tables.config.rules().lostNode()
                                == ClusterRules.LostNodePolicy.LEASE_KILL
                        && !node.usage().isIdle()
                ? lease.endsAt()
                : null;
    }

    Result update(Command.UpdateNodes command) {
        for (var name : command.nodes()) {
            if (tables.node(name).isEmpty()) {
                return new Result.Refused(
                        ErrorCode.INVALID_NODE, Text.of("no node is called %s", name));
            }
        }
        for (var name : command.nodes()) {
            if (!areFeaturesValid(tables.node(name).orElseThrow().features(), command.changes())) {
                return Result.Refused.of(ErrorCode.ACTIVE_FEATURES);
            }
        }
        for (var name : command.nodes()) {
            for (var change : command.changes()) {
                tables.node(name).ifPresent(node -> change(node, change, command.actor()));
            }
        }
        return Result.DONE;
    }

    /// Features that are in use do not just disappear by naming others, and none is in use that a
    /// node does not have. To name none takes all away, and to name those in use as well decides.
    private static boolean areFeaturesValid(List<String> before, List<NodeChange> changes) {
        var namesActive = changes.stream().anyMatch(NodeChange.SetActiveFeatures.class::isInstance);
        var features = before;
        for (var change : changes) {
            if (change instanceof NodeChange.SetFeatures(var available)) {
                if (!available.isEmpty() && !namesActive && !available.containsAll(features)) {
                    return false;
                }
                features = available;
            } else if (change instanceof NodeChange.SetActiveFeatures(var active)) {
                if (!features.containsAll(active)) {
                    return false;
                }
                features = active;
            }
        }
        return true;
    }

    private void change(Node node, NodeChange change, Actor actor) {
        switch (change) {
            case NodeChange.Drain(var reason) ->
                    tables.put(node.withDraining(true, note(reason, actor)));
            case NodeChange.Undrain() -> tables.put(node.withDraining(false, remaining(node)));
            case NodeChange.Down(var reason) -> {
                tables.put(
                        node.withHealth(Node.Health.DOWN, node.silentSince())
                                .withNote(note(reason, actor)));
                tables.index.on(node.name()).forEach(job -> takenDown(job, node));
            }
            case NodeChange.Resume() -> tables.put(resumed(node));
            case NodeChange.SetReason(var reason) -> tables.put(node.withNote(note(reason, actor)));
            case NodeChange.SetWeight(var weight) -> tables.put(node.withWeight(weight));
            case NodeChange.SetFeatures(var features) -> tables.put(node.withFeatures(features));
            case NodeChange.SetActiveFeatures(var features) ->
                    tables.put(node.withFeatures(features));
            case NodeChange.SetComment(var comment) -> tables.put(node.withComment(comment));
        }
    }

    /// An agent that answers ends the job and says so. For a silent node, and for one that does not
    /// get rid of the job, the administrator's word stands.
    private void takenDown(Job job, Node node) {
        var cannotEndIt =
                job.phase() instanceof JobPhase.Completing phase
                        && phase.overdue()
                        && node.draining();
        if (!node.responds() || cannotEndIt) {
            lifecycle.lostNode(job, node.name());
        } else if (!(job.phase() instanceof JobPhase.Completing)) {
            lifecycle.failedByNode(job, List.of());
        }
    }

    private static Node resumed(Node node) {
        var health =
                node.report() == null
                        ? Node.Health.UNKNOWN
                        : node.silentSince() == null ? Node.Health.UP : Node.Health.DOWN;
        return node.withHealth(health, node.silentSince()).withDraining(false, Node.NodeNote.NONE);
    }

    /// A drained node's reason goes with the drain, one of a node that is down stays.
    private static Node.NodeNote remaining(Node node) {
        return node.health() == Node.Health.DOWN ? node.note() : Node.NodeNote.NONE;
    }

    private Node.NodeNote note(String reason, Actor actor) {
        return new Node.NodeNote(reason, actor.userName(), actor.uid(), tables.now);
    }

    /// What a node has less of than configured, in Slurm's words.
    static final class Shortage {
        private Shortage() {}

        static Optional<String> of(NodeShape configured, NodeShape reported) {
            if (reported.cpus() < configured.cpus()) {
                return Optional.of("Low socket*core*thread count, Low CPUs");
            }
            if (reported.memoryMebibytes() < configured.memoryMebibytes()) {
                return Optional.of(
                        Text.of(
                                "Low RealMemory (reported:%d < 100.00%% of configured:%d)",
                                reported.memoryMebibytes(), configured.memoryMebibytes()));
            }
            if (reported.tmpDiskMebibytes() < configured.tmpDiskMebibytes()) {
                return Optional.of("Low TmpDisk");
            }
            for (var gres : configured.gres()) {
                var found = count(reported, gres.name(), gres.type());
                if (found < gres.count()) {
                    return Optional.of(
                            Text.of(
                                    "gres/%s count reported lower than configured (%d < %d)",
                                    gres.name(), found, gres.count()));
                }
            }
            return Optional.empty();
        }

        private static long count(NodeShape shape, String name, String type) {
            return shape.gres().stream()
                    .filter(gres ->
                            gres.name().equals(name)
                                    && (type.isEmpty() || gres.type().equals(type)))
                    .mapToLong(gres -> gres.count())
                    .sum();
        }
    }
}
