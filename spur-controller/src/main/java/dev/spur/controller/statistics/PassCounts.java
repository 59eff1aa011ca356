package dev.spur.controller.statistics;

import dev.spur.api.v1.PassStatistics;
import dev.spur.controller.scheduling.SchedulingLoop;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.state.Snapshot;
import java.time.Instant;
import java.util.List;

/// A planner that remembers how long its passes took.
public final class PassCounts implements SchedulingLoop.Planner {
    private final SchedulingLoop.Planner planner;
    private volatile PassStatistics quick = PassStatistics.getDefaultInstance();
    private volatile PassStatistics plan = PassStatistics.getDefaultInstance();

    public PassCounts(SchedulingLoop.Planner planner) {
        this.planner = planner;
    }

    @Override
    public List<Decision> startNow(Snapshot cluster, Instant now) {
        var began = System.nanoTime();
        var decisions = planner.startNow(cluster, now);
        quick = counted(quick, decisions, now, System.nanoTime() - began);
        return decisions;
    }

    @Override
    public List<Decision> plan(Snapshot cluster, Instant now) {
        var began = System.nanoTime();
        var decisions = planner.plan(cluster, now);
        plan = counted(plan, decisions, now, System.nanoTime() - began);
        return decisions;
    }

    @Override
    public void tellAgain() {
        planner.tellAgain();
    }

    private static PassStatistics counted(
            PassStatistics before, List<Decision> decisions, Instant now, long nanos) {
        var took = nanos / 1_000;
        var starts = decisions.stream().filter(Decision.Start.class::isInstance).count();
        return before.toBuilder()
                .setCycles(before.getCycles() + 1)
                .setLastAtMicros(now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000)
                .setLastTookMicros(took)
                .setMaxMicros(Math.max(before.getMaxMicros(), took))
                .setTotalMicros(before.getTotalMicros() + took)
                .setLastLookedAt(decisions.size())
                .setTotalLookedAt(before.getTotalLookedAt() + decisions.size())
                .setStarted(before.getStarted() + starts)
                .build();
    }

    PassStatistics quick() {
        return quick;
    }

    PassStatistics plan() {
        return plan;
    }

    void reset() {
        quick = PassStatistics.getDefaultInstance();
        plan = PassStatistics.getDefaultInstance();
    }
}
