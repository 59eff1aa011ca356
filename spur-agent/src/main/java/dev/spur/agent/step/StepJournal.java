package dev.spur.agent.step;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What an administrator reads of steps in this agent's log.
public final class StepJournal {
    private static final Logger log = LoggerFactory.getLogger(StepJournal.class);

    private StepJournal() {}

    static void started(StepKey key, StepStatus status) {
        tell(key, status, "job started here");
    }

    static void ended(StepKey key, StepStatus status) {
        tell(key, status, "job ended here");
    }

    /// Scripts begin and end jobs; other steps are many, and srun hears of them.
    private static void tell(StepKey key, StepStatus status, String what) {
        var line = key.isBatch() ? log.atInfo() : log.atDebug();
        line = line.addKeyValue("step", key);
        if (status.hasEnded()) {
            var exit =
                    status.worstTask().map(task -> task.code() + ":" + task.signal()).orElse("0:0");
            line = line.addKeyValue("exit", exit);
        }
        if (status.timedOut()) {
            line = line.addKeyValue("because", "time limit");
        }
        if (status.outOfMemory()) {
            line = line.addKeyValue("because", "out of memory");
        }
        if (!status.error().isEmpty()) {
            line = line.addKeyValue("cause", status.error());
        }
        line.log(what);
    }

    /// What an administrator must see to, said once.
    ///
    /// @param before what was known of the step until now
    static void trouble(StepKey key, @Nullable StepStatus before, StepStatus status) {
        if (!status.unsaved().isEmpty() && (before == null || before.unsaved().isEmpty())) {
            log.atError()
                    .addKeyValue("step", key)
                    .addKeyValue("cause", status.unsaved())
                    .log(
                            "the spool does not take the step's status; it is tried again every second");
        }
        if (status.unkillable() && (before == null || !before.unkillable())) {
            log.atError()
                    .addKeyValue("step", key)
                    .log("processes of the step do not die, though they were killed");
        }
    }

    static void adopted(StepKey key) {
        log.atInfo().addKeyValue("step", key).log("adopted a running step");
    }

    static void lost(StepKey key, String because) {
        log.atWarn().addKeyValue("step", key).addKeyValue("cause", because).log("step lost");
    }

    static void notLaunched(StepKey key, LaunchException e) {
        log.atWarn()
                .addKeyValue("step", key)
                .addKeyValue("cause", e.getMessage())
                .log("launch failed");
    }

    static void launchWentWrong(StepKey key, RuntimeException e) {
        log.atError().addKeyValue("step", key).setCause(e).log("a launch went wrong");
    }
}
