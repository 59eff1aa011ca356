package dev.spur.controller.scheduling;

import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.JobTerms;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.BackfillPass.Forecast;
import dev.spur.engine.scheduling.BackfillPass.Trial;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// When and where jobs that nobody has submitted would start. Anybody may ask as often as he likes,
/// so those who ask at about the same time share one plan: it serves for twenty times as long as it
/// took to make, which for a short queue is less than anybody notices.
public final class Forecasts {
    private static final long LOOKS_PER_SECOND = 100_000_000;
    private static final int SERVES_TIMES_ITS_COST = 20;

    private final ReplicatedState state;
    private final BackfillPass pass;
    private @Nullable Forecast forecast;
    private Instant madeAt = Instant.EPOCH;
    private long revision;
    private long made;

    public Forecasts(ReplicatedState state, BackfillPass.Bounds bounds) {
        this.state = state;
        pass = new BackfillPass(bounds);
    }

    /// Never before now.
    public synchronized Trial trial(JobTerms terms, Instant now) {
        var trial = forecast(now).trial(terms);
        return trial.start() == null || !trial.start().isBefore(now) ? trial : trial.at(now);
    }

    private Forecast forecast(Instant now) {
        var known = forecast;
        if (known == null || isOver(known, now)) {
            var snapshot = state.snapshot();
            known = pass.forecast(snapshot, now);
            forecast = known;
            revision = snapshot.schedulingRevision();
            madeAt = now;
            made++;
        }
        return known;
    }

    private boolean isOver(Forecast known, Instant now) {
        var serves =
                Duration.ofNanos(
                        known.looks()
                                * SERVES_TIMES_ITS_COST
                                * (Duration.ofSeconds(1).toNanos() / LOOKS_PER_SECOND));
        return now.isAfter(madeAt.plus(serves))
                && (state.snapshot().schedulingRevision() != revision
                        || now.isAfter(madeAt.plusSeconds(1)));
    }

    /// How many plans were made.
    synchronized long made() {
        return made;
    }
}
