package dev.spur.engine.scheduling;

/// Counts what a pass looks at, moments of nodes and words of tables alike, so that it ends in time
/// without a clock: the same snapshot costs the same everywhere.
final class Effort {
    private final long most;
    private long spent;

    Effort(long most) {
        this.most = most;
    }

    void spend(long looks) {
        spent += looks;
    }

    long spent() {
        return spent;
    }

    /// Whether looking into the future has had its part; the rest is for jobs that could start now.
    boolean isMostlySpent() {
        return spent >= most / 2;
    }

    boolean isSpent() {
        return spent >= most;
    }
}
