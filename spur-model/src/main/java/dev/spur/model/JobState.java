package dev.spur.model;

import java.util.Locale;
import java.util.Optional;

/// Slurm's flat states, for display and accounting. The engine keeps richer states and derives
/// these.
public enum JobState {
    PENDING("PD"),
    RUNNING("R"),
    SUSPENDED("S"),
    COMPLETED("CD"),
    CANCELLED("CA"),
    FAILED("F"),
    TIMEOUT("TO"),
    NODE_FAIL("NF"),
    PREEMPTED("PR"),
    BOOT_FAIL("BF"),
    DEADLINE("DL"),
    OUT_OF_MEMORY("OOM"),
    COMPLETING("CG"),
    STAGE_OUT("SO"),
    CONFIGURING("CF"),
    RESIZING("RS"),
    REQUEUED("RQ"),
    REQUEUE_FED("RF"),
    REQUEUE_HOLD("RH"),
    SPECIAL_EXIT("SE"),
    STOPPED("ST"),
    REVOKED("RV"),
    RESV_DEL_HOLD("RD"),
    SIGNALING("SI");

    private final String compact;

    JobState(String compact) {
        this.compact = compact;
    }

    /// `PD`, `R`, `CG`: what `squeue %t` prints.
    public String compact() {
        return compact;
    }

    /// Base states say where a job is; the others are flags beside one.
    public boolean isBase() {
        return compareTo(OUT_OF_MEMORY) <= 0;
    }

    /// Nothing more will happen to the job.
    public boolean isEnded() {
        return isBase() && compareTo(COMPLETED) >= 0;
    }

    /// The long or the compact word, in any case.
    public static Optional<JobState> parse(String text) {
        var word = text.toUpperCase(Locale.ROOT);
        for (var state : values()) {
            if (state.name().equals(word) || state.compact.equals(word)) {
                return Optional.of(state);
            }
        }
        return Optional.empty();
    }
}
