package dev.spur.agent.step;

import java.nio.file.Path;
import java.util.List;

/// Control groups that no process can join.
record BrokenCgroups(Path group) implements CgroupDriver {
    @Override
    public StepCgroup create(StepKey key, StepLimits limits) {
        return new StepCgroup(List.of(group), null, List.of());
    }

    @Override
    public boolean kill(StepKey key) {
        return true;
    }

    @Override
    public void remove(StepKey key) {}

    @Override
    public void removeJob(int job, int attempt) {}

    @Override
    public String description() {
        return "broken";
    }
}
