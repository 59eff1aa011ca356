package dev.spur.agent.step;

import java.util.List;

/// What a step may use of this node. Zero or empty means: as much as there is.
///
/// @param jobMemoryBytes shared by all steps of the job here
/// @param cpus bound to these, `0-3`
/// @param cpuCount the share of cpu time, in cpus
/// @param jobProcesses most processes and threads of all steps of the job here
/// @param deniedDevices device files of other jobs, such as `/dev/nvidia3`
public record StepLimits(
        long jobMemoryBytes,
        String cpus,
        int cpuCount,
        int jobProcesses,
        List<String> deniedDevices) {
    public static final StepLimits NONE = new StepLimits(0, "", 0, 0, List.of());

    public StepLimits {
        deniedDevices = List.copyOf(deniedDevices);
    }
}
