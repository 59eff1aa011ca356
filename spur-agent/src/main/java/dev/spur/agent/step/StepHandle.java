package dev.spur.agent.step;

import org.jspecify.annotations.Nullable;

/// A reader's hold on a step: as long as it lasts, the step's streams are kept.
public final class StepHandle {
    private final NodeSteps steps;
    private final StepKey key;
    private final SupervisedStep step;
    private final StepListener listener;

    StepHandle(NodeSteps steps, StepKey key, SupervisedStep step, StepListener listener) {
        this.steps = steps;
        this.key = key;
        this.step = step;
        this.listener = listener;
    }

    public StepKey key() {
        return key;
    }

    public SupervisedStep step() {
        return step;
    }

    /// What is known now; null before the first word of the supervisor.
    public @Nullable StepStatus status() {
        return steps.status(key);
    }

    /// The streams broke off before they had ended.
    public void cutOff() {
        steps.cutOff(key);
    }

    /// Whether that happened to this reader or one before: if the supervisor has gone since, some
    /// of its output may have gone with it.
    public boolean wasCutOff() {
        return steps.wasCutOff(key);
    }

    /// @param delivered whether all output has reached its reader
    public void leave(boolean delivered) {
        steps.leave(key, listener, delivered);
    }
}
