package dev.spur.agent.step;

/// Hears what becomes of a step.
public interface StepListener {
    /// The step changed. What is told here is on disk already.
    void changed(StepStatus status);

    /// The supervisor is gone without having said that the step ended.
    void lost(String because);
}
