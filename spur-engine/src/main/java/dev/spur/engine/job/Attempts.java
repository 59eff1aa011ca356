package dev.spur.engine.job;

/// How often a job was tried. Reports of an attempt other than the current one are stale.
///
/// @param current counted from 0
/// @param restarts requeues after it had run, for `SLURM_RESTART_COUNT`
/// @param launchFailures in a row
public record Attempts(int current, int restarts, int launchFailures) {
    public static final Attempts FIRST = new Attempts(0, 0, 0);

    public Attempts next() {
        return new Attempts(current + 1, restarts + 1, launchFailures);
    }

    public Attempts withFailedLaunch() {
        return new Attempts(current, restarts, launchFailures + 1);
    }

    /// The one before could not be launched, so that it did not run.
    public Attempts nextAfterFailedLaunch() {
        return new Attempts(current + 1, restarts, launchFailures);
    }

    public Attempts withoutFailures() {
        return new Attempts(current, restarts, 0);
    }
}
