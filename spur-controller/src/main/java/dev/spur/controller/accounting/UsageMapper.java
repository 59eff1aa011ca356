package dev.spur.controller.accounting;

import dev.spur.api.v1.StepUsage.Builder;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.TasksUsage;
import dev.spur.engine.step.TasksUsage.Extreme;
import dev.spur.engine.step.TasksUsage.Spread;

/// What a step used: as an agent says it of its own tasks, and as users read it of all of them.
public final class UsageMapper {
    private UsageMapper() {}

    /// Of one node, which is the only one here.
    public static TasksUsage toModel(dev.spur.api.v1.StepUsage said) {
        return new TasksUsage(
                spread(
                        said.getUserMicros() + said.getSystemMicros(),
                        said.getMaxCpuMicros(),
                        said.getMaxCpuTask()),
                new Extreme(said.getMinCpuMicros(), 0, said.getMinCpuTask()),
                spread(said.getTotalRssKb(), said.getMaxRssKb(), said.getMaxRssTask()),
                spread(said.getTotalVmsizeKb(), said.getMaxVmsizeKb(), said.getMaxVmsizeTask()),
                spread(said.getTotalPages(), said.getMaxPages(), said.getMaxPagesTask()),
                spread(said.getTotalReadBytes(), said.getMaxReadBytes(), said.getMaxReadTask()),
                spread(said.getTotalWriteBytes(), said.getMaxWriteBytes(), said.getMaxWriteTask()),
                said.getMemoryPeakKb());
    }

    private static Spread spread(long total, long most, int task) {
        return new Spread(total, new Extreme(most, 0, task));
    }

    /// @param tasks that were measured
    public static dev.spur.api.v1.StepUsage toWire(
            Step step, int tasks, long userMicros, long systemMicros, TasksUsage perTask) {
        var wire =
                dev.spur.api.v1.StepUsage.newBuilder()
                        .setUserMicros(userMicros)
                        .setSystemMicros(systemMicros)
                        .setAveCpuMicros((userMicros + systemMicros) / Math.max(1, tasks))
                        .setTasks(tasks);
        ofTasks(wire, step, perTask, Math.max(1, tasks));
        return wire.build();
    }

    private static void ofTasks(Builder wire, Step step, TasksUsage used, int tasks) {
        var cpu = used.cpu().most();
        wire.setMaxCpuMicros(cpu.value())
                .setMaxCpuNode(node(step, cpu.position()))
                .setMaxCpuTask(cpu.task());
        var least = used.leastCpu();
        wire.setMinCpuMicros(least.value())
                .setMinCpuNode(node(step, least.position()))
                .setMinCpuTask(least.task());
        var rss = used.rss();
        wire.setMaxRssKb(rss.most().value())
                .setMaxRssNode(node(step, rss.most().position()))
                .setMaxRssTask(rss.most().task())
                .setTotalRssKb(rss.total())
                .setAveRssKb(rss.total() / tasks);
        var vmsize = used.vmsize();
        wire.setMaxVmsizeKb(vmsize.most().value())
                .setMaxVmsizeNode(node(step, vmsize.most().position()))
                .setMaxVmsizeTask(vmsize.most().task())
                .setTotalVmsizeKb(vmsize.total())
                .setAveVmsizeKb(vmsize.total() / tasks);
        var pages = used.pages();
        wire.setMaxPages(pages.most().value())
                .setMaxPagesNode(node(step, pages.most().position()))
                .setMaxPagesTask(pages.most().task())
                .setTotalPages(pages.total())
                .setAvePages(pages.total() / tasks);
        var read = used.bytesRead();
        wire.setMaxReadBytes(read.most().value())
                .setMaxReadNode(node(step, read.most().position()))
                .setMaxReadTask(read.most().task())
                .setTotalReadBytes(read.total())
                .setAveReadBytes(read.total() / tasks);
        var written = used.bytesWritten();
        wire.setMaxWriteBytes(written.most().value())
                .setMaxWriteNode(node(step, written.most().position()))
                .setMaxWriteTask(written.most().task())
                .setTotalWriteBytes(written.total())
                .setAveWriteBytes(written.total() / tasks);
        wire.setMemoryPeakKb(used.memoryPeak());
    }

    private static String node(Step step, int position) {
        return step.nodes().get(position).node();
    }
}
