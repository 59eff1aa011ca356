package dev.spur.agent.step;

import java.util.concurrent.atomic.AtomicInteger;

/// Control groups whose processes die only when they have been killed so many times.
final class StubbornCgroups implements CgroupDriver {
    private final AtomicInteger left;

    StubbornCgroups(int kills) {
        left = new AtomicInteger(kills);
    }

    int left() {
        return left.get();
    }

    @Override
    public StepCgroup create(StepKey key, StepLimits limits) {
        return StepCgroup.NONE;
    }

    @Override
    public boolean kill(StepKey key) {
        return left.getAndUpdate(kills -> Math.max(0, kills - 1)) == 0;
    }

    @Override
    public void remove(StepKey key) {}

    @Override
    public void removeJob(int job, int attempt) {}

    @Override
    public String description() {
        return "stubborn";
    }
}
