package dev.spur.engine.state;

import dev.spur.model.ExitStatus;
import dev.spur.model.JobState;
import dev.spur.model.Outcome;
import dev.spur.model.PendingReason;
import java.time.Duration;
import java.util.List;

/// What time alone brings about.
final class TimeRules {
    /// So that one command never keeps the log waiting; the next alarm is then due at once.
    private static final int MOST_AT_ONCE = 5_000;

    /// Expired tokens are listed for a while, so that their owners understand what happened.
    private static final Duration EXPIRED_KEPT_FOR = Duration.ofDays(7);

    private final Tables tables;
    private final JobLifecycle lifecycle;
    private final DependencyRules dependencies;
    private final NodeRules nodes;

    TimeRules(
            Tables tables, JobLifecycle lifecycle, DependencyRules dependencies, NodeRules nodes) {
        this.tables = tables;
        this.lifecycle = lifecycle;
        this.dependencies = dependencies;
        this.nodes = nodes;
    }

    Result advance() {
        nodes.endLeases();
        for (var job : tables.index.due(tables.now, MOST_AT_ONCE)) {
            wake(job);
        }
        tables.credentials = tables.credentials.withoutExpired(tables.now.minus(EXPIRED_KEPT_FOR));
        tables.requests.forgetBefore(tables.now.minus(RememberedRequests.KEPT_FOR));
        return Result.DONE;
    }

    /// The new leader tells nodes what to end; from then on they have their time.
    Result beginAgain() {
        for (var job : tables.jobs.publish()) {
            if (job.phase() instanceof JobPhase.Completing phase) {
                tables.put(job.with(phase.toldAgain(false, tables.now)));
            }
        }
        return Result.DONE;
    }

    private void wake(Job job) {
        switch (job.phase()) {
            case JobPhase.Pending _ -> {
                var deadline = job.spec().deadline();
                if (deadline != null && !deadline.isAfter(tables.now)) {
                    lifecycle.end(
                            job,
                            Outcome.of(
                                    JobState.DEADLINE, ExitStatus.SUCCESS, PendingReason.DEADLINE));
                } else {
                    dependencies.reconsider(job);
                }
            }
            case JobPhase.Running running -> timeIsUp(job, running);
            case JobPhase.Suspended _ -> {}
            case JobPhase.Completing phase -> giveUpOn(job, phase);
            case JobPhase.Ended _ -> tables.forget(job);
        }
    }

    /// The supervisor has had its chance to enforce the limit. A script of which nobody ever said
    /// that it began has not had its time: its node failed it.
    private void timeIsUp(Job job, JobPhase.Running running) {
        var first = running.placement().first().node();
        if (job.spec().isBatch() && !NodeRules.hasBegun(job, first)) {
            // Had it begun on a silent node after all, its supervisor would have ended it by now.
            var isSilent = tables.node(first).filter(Node::responds).isEmpty();
            lifecycle.failedByNode(job, isSilent ? List.of(first) : List.of());
            return;
        }
        lifecycle.complete(
                job,
                Outcome.of(JobState.TIMEOUT, ExitStatus.SUCCESS, PendingReason.TIME_LIMIT),
                JobPhase.AfterCompletion.END);
    }

    /// Nodes that answer but cannot get rid of the job, though told twice, serve no other until
    /// somebody has looked. Twice, because nobody may have heard the first time: the controller or
    /// the node may have been away. Silent nodes keep it until they are back.
    private void giveUpOn(Job job, JobPhase.Completing phase) {
        var again = job.with(phase.toldAgain(true, tables.now));
        tables.put(again);
        if (!phase.overdue()) {
            tables.tell(new Event.JobCompleting(again));
            return;
        }
        for (var name : phase.remaining()) {
            var node = tables.node(name).orElse(null);
            if (node == null || !node.responds()) {
                continue;
            }
            tables.put(
                    node.draining()
                            ? node
                            : node.withDraining(
                                    true,
                                    new Node.NodeNote("Kill task failed", "spur", 0, tables.now)));
            var current = tables.jobs.get(job.id().value());
            if (current != null && current.phase() instanceof JobPhase.Completing left) {
                lifecycle.gone(current, left, name);
            }
        }
    }
}
