package dev.spur.cloud.sessions;

/// Points between two things that are written down in different places. Tests end the daemon at
/// each of them; in use nothing happens there.
@FunctionalInterface
public interface Steps {
    Steps NONE = _ -> {};

    enum Step {
        INTENT_STORED,
        SUBMITTED,
        JOB_STORED,
        REFUSAL_STORED,
        STOP_STORED,
        CANCEL_SENT,
        END_STORED,
        CURSOR_STORED
    }

    void passed(Step step);
}
