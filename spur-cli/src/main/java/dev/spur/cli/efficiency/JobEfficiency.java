package dev.spur.cli.efficiency;

import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.StepRecord;
import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.StepUsageNow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a job had and what it used of it.
///
/// @param cores that it had
/// @param seconds that it ran, without those in which it was suspended
/// @param cpuSeconds of all its processes
/// @param memoryKib the most that a step needed: the sum of what each task needed at most, which
///   may not have been at once
/// @param memoryHadKib 0: it asked for no certain amount
/// @param tasks of that step
/// @param gpus that it had
/// @param gpuPercent how busy they were; missing: nobody measured
/// @param measured whether anything is known of its steps
record JobEfficiency(
        JobHistory history,
        long nodes,
        long cores,
        long seconds,
        double cpuSeconds,
        long memoryKib,
        long memoryHadKib,
        int tasks,
        long gpus,
        @Nullable Integer gpuPercent,
        boolean measured) {
    private static final long MICROS = 1_000_000;

    /// @param tres names of resources by number
    /// @param live what steps that run use now
    static JobEfficiency of(
            JobHistory history,
            Map<Integer, String> tres,
            List<StepUsageNow> live,
            long nowMicros) {
        var job = history.getJob();
        var used = new HashMap<Integer, StepUsage>();
        for (var step : history.getStepsList()) {
            if (step.hasUsage()) {
                used.put(step.getStepId(), step.getUsage());
            }
        }
        for (var step : live) {
            if (step.getJobId() == job.getJobId() && step.hasUsage()) {
                used.put(step.getStepId(), step.getUsage());
            }
        }
        var cpu = 0L;
        StepUsage most = StepUsage.getDefaultInstance();
        for (var usage : used.values()) {
            cpu += usage.getUserMicros() + usage.getSystemMicros();
            most = memory(usage) > memory(most) ? usage : most;
        }
        return new JobEfficiency(
                history,
                Math.max(1, job.getNodeCount()),
                job.getAllocCpus(),
                seconds(job, nowMicros),
                (double) cpu / MICROS,
                memory(most),
                memoryHad(job, tres),
                Math.max(1, most.getTasks()),
                amount(job, tres, "gres/gpu"),
                gpuPercent(used),
                !used.isEmpty());
    }

    private static long memory(StepUsage usage) {
        return usage.getTotalRssKb() > 0
                ? usage.getTotalRssKb()
                : usage.getMaxRssKb() * Math.max(1, usage.getTasks());
    }

    private static long seconds(JobRecord job, long nowMicros) {
        if (job.getStartMicros() == 0) {
            return 0;
        }
        var end = job.getEndMicros() == 0 ? nowMicros : job.getEndMicros();
        return Math.max(
                0,
                Math.floorDiv(end, MICROS)
                        - Math.floorDiv(job.getStartMicros(), MICROS)
                        - job.getSuspendedSeconds());
    }

    private static long memoryHad(JobRecord job, Map<Integer, String> tres) {
        return amount(job, tres, "mem") * 1024;
    }

    private static long amount(JobRecord job, Map<Integer, String> tres, String name) {
        return job.getTresAllocatedMap().entrySet().stream()
                .filter(each -> name.equals(tres.get(each.getKey())))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static @Nullable Integer gpuPercent(Map<Integer, StepUsage> used) {
        Integer most = null;
        for (var usage : used.values()) {
            if (usage.getGpuMeasured()) {
                most = Math.max(most == null ? 0 : most, usage.getGpuUtilPercent());
            }
        }
        return most;
    }

    JobRecord job() {
        return history.getJob();
    }

    /// Its id as users write it.
    String id() {
        var job = job();
        return job.getArrayJobId() == 0
                ? Integer.toUnsignedString(job.getJobId())
                : Integer.toUnsignedString(job.getArrayJobId())
                        + "_"
                        + (job.hasArrayTaskId()
                                ? Integer.toUnsignedString(job.getArrayTaskId())
                                : "[" + job.getArrayPending() + "]");
    }

    boolean hasStarted() {
        return job().getStartMicros() != 0;
    }

    boolean runs() {
        return hasStarted() && job().getEndMicros() == 0;
    }

    boolean isPerCpu() {
        return job().getFlags().contains("MemPerCPU");
    }

    /// Seconds that its cores were there for it.
    long coreSeconds() {
        return cores * seconds;
    }

    double cpuPercent() {
        return coreSeconds() == 0 ? 0 : 100 * cpuSeconds / coreSeconds();
    }

    double memoryPercent() {
        return memoryHadKib == 0 ? 0 : 100.0 * memoryKib / memoryHadKib;
    }

    /// How many of its cores were busy, on average.
    double busyCores() {
        return seconds == 0 ? 0 : cpuSeconds / seconds;
    }

    /// 0: it had none.
    long limitSeconds() {
        return job().getTimeLimit().hasMinutes()
                ? Integer.toUnsignedLong(job().getTimeLimit().getMinutes()) * 60
                : 0;
    }

    double timePercent() {
        return limitSeconds() == 0 ? 0 : 100.0 * seconds / limitSeconds();
    }

    boolean ended(String state) {
        return job().getState().equals(state)
                || history.getStepsList().stream()
                        .map(StepRecord::getState)
                        .anyMatch(state::equals);
    }
}
