package dev.spur.agent.step;

import dev.spur.api.v1.SignalStep;
import dev.spur.api.v1.SignalTarget;
import dev.spur.model.notation.Signal;

/// The controller's order to send a signal, or to say a line, to steps of a job.
record SignalOrder(SignalStep order) {
    boolean isFor(StepKey key) {
        if (key.job() != order.getJobId() || key.attempt() != order.getAttempt()) {
            return false;
        }
        if (order.hasStepId()) {
            return key.step().value() == order.getStepId();
        }
        return switch (order.getTarget()) {
            case SIGNAL_TARGET_STEPS, UNRECOGNIZED -> !key.isBatch();
            case SIGNAL_TARGET_BATCH -> key.isBatch();
            case SIGNAL_TARGET_FULL -> true;
        };
    }

    void carryOut(SupervisedStep step) {
        if (!order.getMessage().isEmpty()) {
            step.say(order.getMessage());
            return;
        }
        step.signal(
                order.getSignal(),
                order.getTarget() == SignalTarget.SIGNAL_TARGET_BATCH,
                announcement(order.getSignal()));
    }

    /// Signals that end a job are told to it, others are its own affair.
    private static String announcement(int number) {
        return number == Signal.TERM.number() || number == Signal.KILL.number() ? "-" : "";
    }
}
