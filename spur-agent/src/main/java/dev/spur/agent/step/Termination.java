package dev.spur.agent.step;

import dev.spur.api.v1.TerminateCause;
import dev.spur.api.v1.TerminateJob;
import dev.spur.model.notation.Signal;
import java.time.Duration;

/// The controller's order to end a job here, or one step of it.
record Termination(TerminateJob order) {
    boolean isOfWholeJob() {
        return !order.hasStepId();
    }

    JobAttempt attempt() {
        return new JobAttempt(order.getJobId(), order.getAttempt());
    }

    boolean isFor(StepKey key) {
        return attempt().has(key) && (isOfWholeJob() || key.step().value() == order.getStepId());
    }

    boolean isSoonerThan(Termination before) {
        return before.isOfWholeJob()
                && (!isOfWholeJob()
                        || order.getKillWaitSeconds() < before.order.getKillWaitSeconds());
    }

    void carryOut(SupervisedStep step) {
        if (isOfWholeJob()) {
            step.terminate(Duration.ofSeconds(order.getKillWaitSeconds()), words(order.getCause()));
        } else { // the rest of the job goes on: nobody waits for one step's end
            step.signal(Signal.KILL.number(), false, words(order.getCause()));
        }
    }

    /// The end of the line on the job's standard error, as slurmstepd words it.
    private static String words(TerminateCause cause) {
        return switch (cause) {
            case TERMINATE_COMPLETED, TERMINATE_CANCELLED, UNRECOGNIZED -> "-";
            case TERMINATE_TIME_LIMIT -> "DUE TO TIME LIMIT";
            case TERMINATE_REQUEUE -> "DUE TO JOB REQUEUE";
            case TERMINATE_NODE_FAIL -> "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS";
            case TERMINATE_PREEMPTED -> "DUE TO PREEMPTION";
        };
    }
}
