package dev.spur.engine.rules;

import dev.spur.engine.job.Deadline;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.Node;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
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
    private final NodeRules nodes;
    private final ReservationRules reservations;

    TimeRules(
            Tables tables, JobLifecycle lifecycle, NodeRules nodes, ReservationRules reservations) {
        this.tables = tables;
        this.lifecycle = lifecycle;
        this.nodes = nodes;
        this.reservations = reservations;
    }

    Result advance() {
        nodes.endLeases();
        reservations.advance();
        if (tables.usage.isDue()) {
            tables.usage.count();
            tables.usageMoved();
        }
        for (var job : tables.index.due(tables.now, MOST_AT_ONCE)) {
            if (tables.jobs.get(job.id().value()) == job) { // else one before it changed it
                wake(job);
            }
        }
        tables.forgetExpired(tables.now.minus(EXPIRED_KEPT_FOR));
        tables.requests.forgetBefore(tables.now.minus(RememberedRequests.KEPT_FOR));
        return Result.DONE;
    }

    /// The new leader tells nodes what to end; from then on they have their time.
    Result beginAgain() {
        for (var job : tables.jobs.publish()) {
            if (job.phase() instanceof JobPhase.Completing phase) {
                tables.note(job.with(phase.toldAgain(false, tables.now)));
            }
        }
        return Result.DONE;
    }

    private void wake(Job job) {
        switch (job.phase()) {
            case JobPhase.Pending _ -> {
                if (Deadline.hasPassed(job, tables.now)) {
                    lifecycle.end(
                            job,
                            Outcome.of(
                                    JobState.DEADLINE, ExitStatus.SUCCESS, PendingReason.DEADLINE));
                } else {
                    lifecycle.reconsider(job);
                }
            }
            case JobPhase.Running running -> wake(job, running);
            case JobPhase.Suspended _ -> {}
            case JobPhase.Completing phase -> giveUpOn(job, phase);
            case JobPhase.Ended _ -> tables.forget(job);
        }
    }

    private void wake(Job job, JobPhase.Running running) {
        var timeIsUp = Alarms.timeIsUp(running, tables.config.rules());
        if (timeIsUp != null && !timeIsUp.isAfter(tables.now)) {
            timeIsUp(job, running);
        } else {
            lifecycle.complete(
                    job, JobLifecycle.outcomeOf(job.steps().worst()), JobPhase.AfterCompletion.END);
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
    /// the node may have been away. Silent nodes keep it until they are back. A job that is to run
    /// again waits, and its nodes are told on and on: two runs of it at once would spoil its files.
    private void giveUpOn(Job job, JobPhase.Completing phase) {
        var again = job.with(phase.toldAgain(true, tables.now));
        var stuck =
                phase.remaining().stream()
                        .flatMap(name -> tables.node(name).stream())
                        .filter(node -> phase.overdue() && node.responds())
                        .toList();
        stuck.forEach(node -> tables.put(drained(node)));
        if (!phase.overdue() || phase.next() != JobPhase.AfterCompletion.END) {
            tables.put(again, new Event.JobCompleting(again));
            return;
        }
        tables.note(again);
        for (var node : stuck) {
            var current = tables.jobs.get(job.id().value());
            if (current != null && current.phase() instanceof JobPhase.Completing left) {
                lifecycle.gone(current, left, node.name());
            }
        }
    }

    private Node drained(Node node) {
        return node.draining()
                ? node
                : node.withDraining(
                        true, new Node.NodeNote("Kill task failed", "spur", 0, tables.now));
    }
}
