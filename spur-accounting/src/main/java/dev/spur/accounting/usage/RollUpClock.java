package dev.spur.accounting.usage;

import dev.spur.accounting.amount.Times;
import dev.spur.api.v1.HistoryStatsReply;
import java.time.Instant;
import java.time.InstantSource;

/// Runs the roll-up and remembers how long that took.
public final class RollUpClock {
    private final RollUp rollUp;
    private final InstantSource clock;
    private Instant last = Instant.EPOCH;
    private long took;
    private long longest;
    private long all;
    private long cycles;

    public RollUpClock(RollUp rollUp, InstantSource clock) {
        this.rollUp = rollUp;
        this.clock = clock;
    }

    public void run() {
        var began = System.nanoTime();
        rollUp.run();
        var micros = (System.nanoTime() - began) / 1_000;
        synchronized (this) {
            last = clock.instant();
            took = micros;
            longest = Math.max(longest, micros);
            all += micros;
            cycles++;
        }
    }

    public synchronized void addTo(HistoryStatsReply.Builder stats) {
        stats.setRollupLastMicros(Times.micros(last))
                .setRollupLastTookMicros(took)
                .setRollupMaxMicros(longest)
                .setRollupTotalMicros(all)
                .setRollupCycles(cycles);
    }
}
