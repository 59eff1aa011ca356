package dev.spur.cli.srun;

/// What a Ctrl-C means: the first shows the tasks, a second within a second ends the step, a third
/// leaves at once (srun(1), "signals and escape sequences").
final class Interrupts {
    private static final long TOGETHER_NANOS = 1_000_000_000L;

    enum Meaning {
        SHOW,
        FORWARD,
        ABORT,
        LEAVE
    }

    private boolean seen;
    private boolean aborted;
    private long last;

    Meaning next(boolean quitOnInterrupt, boolean disableStatus) {
        return at(System.nanoTime(), quitOnInterrupt, disableStatus);
    }

    Meaning at(long now, boolean quitOnInterrupt, boolean disableStatus) {
        var soon = seen && now - last <= TOGETHER_NANOS;
        seen = true;
        last = now;
        if (aborted) {
            return Meaning.LEAVE;
        }
        if (quitOnInterrupt || soon) {
            aborted = true;
            return Meaning.ABORT;
        }
        return disableStatus ? Meaning.FORWARD : Meaning.SHOW;
    }
}
