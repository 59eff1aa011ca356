package dev.spur.agent.step;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Makes and removes the control groups of steps. Groups nest: node, job, step.
public interface CgroupDriver {
    /// Makes the groups of a step, with its limits set.
    StepCgroup create(StepKey key, StepLimits limits) throws IOException;

    /// Kills whatever still runs in the groups of a step whose supervisor is gone.
    ///
    /// @return whether nothing was left to be killed
    boolean kill(StepKey key);

    /// Removes the groups of a step in which nothing runs any more.
    void remove(StepKey key);

    /// Removes what is left when the last step of a job is gone.
    void removeJob(int job, int attempt);

    /// Removes the node's own groups unless a job is still in them; the next driver makes them
    /// again.
    default void close() {}

    /// For the log: `cgroup v1 (memory, devices)`.
    String description();

    /// @param directories which every task joins before it runs; the first one is asked for the
    ///   step's processes
    /// @param memory the group that counts processes killed for want of memory
    /// @param deniedDevices devices that only the supervisor can keep from the step, as `c 195:3`
    record StepCgroup(List<Path> directories, @Nullable Path memory, List<String> deniedDevices) {
        public static final StepCgroup NONE = new StepCgroup(List.of(), null, List.of());

        public StepCgroup {
            directories = List.copyOf(directories);
            deniedDevices = List.copyOf(deniedDevices);
        }
    }
}
