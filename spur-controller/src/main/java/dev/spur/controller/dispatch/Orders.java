package dev.spur.controller.dispatch;

import dev.spur.api.v1.TerminateCause;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.model.JobState;
import dev.spur.model.Placement;
import dev.spur.model.StepId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the state says that a node should do about a job: the one place that knows. Whoever tells
/// nodes something, for whatever reason, tells this.
final class Orders {
    private Orders() {}

    interface Told {
        void tell(String node, Order order);
    }

    /// For one node.
    static List<Order> of(Job job, String node) {
        var orders = new ArrayList<Order>();
        each(
                job,
                (to, order) -> {
                    if (to.equals(node)) {
                        orders.add(order);
                    }
                });
        return orders;
    }

    /// For all nodes of the job, in the order in which each is to hear them.
    static void each(Job job, Told told) {
        switch (job.phase()) {
            case JobPhase.Pending _, JobPhase.Ended _ -> {}
            case JobPhase.Running running -> {
                goOnOrStandStill(job, running.placement(), told);
                if (isToBeLaunched(job)) {
                    told.tell(
                            running.placement().first().node(),
                            new Order.Launch(job.id(), job.attempt()));
                }
                endCancelledSteps(job, told);
            }
            case JobPhase.Suspended suspended -> {
                goOnOrStandStill(job, suspended.placement(), told);
                endCancelledSteps(job, told);
            }
            case JobPhase.Completing completing -> {
                var end = new Order.End(job.id(), job.attempt(), cause(completing));
                completing.remaining().forEach(node -> told.tell(node, end));
            }
        }
    }

    private static void goOnOrStandStill(Job job, Placement placement, Told told) {
        terms(job)
                .ifPresent(terms -> placement.nodeNames().forEach(node -> told.tell(node, terms)));
    }

    /// Whether what runs of the job goes on, and until when; nothing if the job has nothing to run.
    static Optional<Order> terms(Job job) {
        return switch (job.phase()) {
            case JobPhase.Running running ->
                    Optional.of(new Order.GoOn(job.id(), job.attempt(), running.deadline()));
            case JobPhase.Suspended _ -> Optional.of(new Order.StandStill(job.id(), job.attempt()));
            case JobPhase.Pending _, JobPhase.Ended _, JobPhase.Completing _ -> Optional.empty();
        };
    }

    /// Whether the batch script of a running job has not been reported to run.
    static boolean isToBeLaunched(Job job) {
        return job.spec().isBatch()
                && job.phase() instanceof JobPhase.Running
                && job.steps()
                        .find(StepId.BATCH)
                        .filter(step -> step.startedOn().isEmpty())
                        .isPresent();
    }

    private static void endCancelledSteps(Job job, Told told) {
        for (var step : job.steps().live()) {
            for (var i = 0; step.cancelled() && i < step.nodes().size(); i++) {
                if (!step.endedOn().contains(i)) {
                    told.tell(
                            step.nodes().get(i).node(),
                            new Order.EndStep(job.id(), job.attempt(), step.id()));
                }
            }
        }
    }

    private static TerminateCause cause(JobPhase.Completing completing) {
        var state = completing.outcome().state();
        if (completing.next() != JobPhase.AfterCompletion.END && state != JobState.NODE_FAIL) {
            return TerminateCause.TERMINATE_REQUEUE;
        }
        return switch (state) {
            case CANCELLED -> TerminateCause.TERMINATE_CANCELLED;
            case TIMEOUT, DEADLINE -> TerminateCause.TERMINATE_TIME_LIMIT;
            case NODE_FAIL, BOOT_FAIL -> TerminateCause.TERMINATE_NODE_FAIL;
            case PREEMPTED -> TerminateCause.TERMINATE_PREEMPTED;
            default -> TerminateCause.TERMINATE_COMPLETED;
        };
    }
}
