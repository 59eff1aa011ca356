package dev.spur.agent.step;

import dev.spur.agent.step.StepStatus.Task;
import dev.spur.agent.step.StepStatus.TaskUsage;
import dev.spur.api.v1.StepOfJob;
import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.UsageOfStep;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/// What the tasks of a step use on this node: sums, averages, and which task uses most.
///
/// Nothing here measures GPUs: `gpu_measured` stays false, which readers show as no data.
final class StepUsages {
    private static final int MOST_PIDS = 10_000;

    private StepUsages() {}

    static StepUsage of(StepStatus status) {
        var tasks = status.tasks();
        if (tasks.isEmpty()) {
            return StepUsage.getDefaultInstance();
        }
        var usage = StepUsage.newBuilder().setTasks(tasks.size());
        cpu(usage, tasks, status.group());
        var rss = most(tasks, TaskUsage::maxRssKib);
        usage.setMaxRssKb(rss.used().maxRssKib())
                .setMaxRssTask(rss.rank())
                .setTotalRssKb(sum(tasks, TaskUsage::maxRssKib))
                .setAveRssKb(average(tasks, TaskUsage::maxRssKib));
        var vmsize = most(tasks, TaskUsage::maxVmsizeKib);
        usage.setMaxVmsizeKb(vmsize.used().maxVmsizeKib())
                .setMaxVmsizeTask(vmsize.rank())
                .setTotalVmsizeKb(sum(tasks, TaskUsage::maxVmsizeKib))
                .setAveVmsizeKb(average(tasks, TaskUsage::maxVmsizeKib));
        var pages = most(tasks, TaskUsage::pages);
        usage.setMaxPages(pages.used().pages())
                .setMaxPagesTask(pages.rank())
                .setTotalPages(sum(tasks, TaskUsage::pages))
                .setAvePages(average(tasks, TaskUsage::pages));
        var read = most(tasks, TaskUsage::readBytes);
        usage.setMaxReadBytes(read.used().readBytes())
                .setMaxReadTask(read.rank())
                .setTotalReadBytes(sum(tasks, TaskUsage::readBytes))
                .setAveReadBytes(average(tasks, TaskUsage::readBytes));
        var written = most(tasks, TaskUsage::writtenBytes);
        usage.setMaxWriteBytes(written.used().writtenBytes())
                .setMaxWriteTask(written.rank())
                .setTotalWriteBytes(sum(tasks, TaskUsage::writtenBytes))
                .setAveWriteBytes(average(tasks, TaskUsage::writtenBytes));
        return usage.setMemoryPeakKb(status.group().memoryPeakKib()).build();
    }

    /// The answer to somebody who asks while it runs.
    static UsageOfStep of(StepOfJob step, StepStatus status, boolean withPids) {
        var usage = UsageOfStep.newBuilder().setStep(step).setUsage(of(status));
        if (withPids) {
            usage.addAllPids(pids(status.supervisor()));
        }
        return usage.build();
    }

    /// All of them descend from the supervisor, to whom orphans come.
    private static List<Long> pids(long supervisor) {
        return ProcessHandle.of(supervisor).stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .sorted()
                .limit(MOST_PIDS)
                .toList();
    }

    /// The group also counts processes that got away from their task.
    private static void cpu(
            StepUsage.Builder usage, List<Task> tasks, StepStatus.GroupUsage group) {
        var user = Math.max(sum(tasks, TaskUsage::userMicros), group.userMicros());
        var system = Math.max(sum(tasks, TaskUsage::systemMicros), group.systemMicros());
        var least =
                tasks.stream()
                        .min(Comparator.comparingLong(task -> task.used().cpuMicros()))
                        .orElseThrow();
        var busiest = most(tasks, TaskUsage::cpuMicros);
        usage.setUserMicros(user)
                .setSystemMicros(system)
                .setMinCpuMicros(least.used().cpuMicros())
                .setMinCpuTask(least.rank())
                .setMaxCpuMicros(busiest.used().cpuMicros())
                .setMaxCpuTask(busiest.rank())
                .setAveCpuMicros((user + system) / tasks.size());
    }

    /// Of equals the first.
    private static Task most(List<Task> tasks, ToLongFunction<TaskUsage> number) {
        var most = tasks.getFirst();
        for (var task : tasks) {
            if (number.applyAsLong(task.used()) > number.applyAsLong(most.used())) {
                most = task;
            }
        }
        return most;
    }

    private static long sum(List<Task> tasks, ToLongFunction<TaskUsage> number) {
        return tasks.stream().mapToLong(task -> number.applyAsLong(task.used())).sum();
    }

    private static long average(List<Task> tasks, ToLongFunction<TaskUsage> number) {
        return sum(tasks, number) / tasks.size();
    }
}
