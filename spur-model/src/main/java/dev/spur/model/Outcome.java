package dev.spur.model;

/// How a job ended.
///
/// @param state one of the ended states
/// @param by the uid that cancelled it; -1 if nobody did
public record Outcome(JobState state, ExitStatus exit, Reason reason, int by) {
    public static final Outcome COMPLETED =
            new Outcome(JobState.COMPLETED, ExitStatus.SUCCESS, Reason.NONE, -1);

    public Outcome {
        if (!state.isEnded()) {
            throw new IllegalArgumentException(state + " is no end");
        }
    }

    public static Outcome of(JobState state, ExitStatus exit, PendingReason reason) {
        return new Outcome(state, exit, Reason.of(reason), -1);
    }

    public static Outcome cancelledBy(int uid) {
        return new Outcome(JobState.CANCELLED, ExitStatus.SUCCESS, Reason.NONE, uid);
    }

    public Outcome withReason(Reason other) {
        return new Outcome(state, exit, other, by);
    }

    public Outcome withExit(ExitStatus other) {
        return new Outcome(state, other, reason, by);
    }

    public boolean isSuccess() {
        return state == JobState.COMPLETED;
    }
}
