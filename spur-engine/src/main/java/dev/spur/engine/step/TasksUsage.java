package dev.spur.engine.step;

/// What the tasks of a step used, and which of them most. Memory in KiB, time in microseconds.
///
/// @param pages faults that had to read from a disk
/// @param memoryPeak most at once on one node as its kernel counts for limits, with cached files;
///   0: nobody counted
public record TasksUsage(
        Spread cpu,
        Extreme leastCpu,
        Spread rss,
        Spread vmsize,
        Spread pages,
        Spread bytesRead,
        Spread bytesWritten,
        long memoryPeak) {

    /// @param total of all tasks
    public record Spread(long total, Extreme most) {
        Spread plus(Spread other) {
            return new Spread(
                    total + other.total, other.most.value > most.value ? other.most : most);
        }

        Spread at(int position) {
            return new Spread(total, most.at(position));
        }
    }

    /// The task that has the most or the least of something.
    ///
    /// @param position of its node in the step
    /// @param task its rank
    public record Extreme(long value, int position, int task) {
        Extreme at(int other) {
            return new Extreme(value, other, task);
        }
    }

    /// Of the tasks of both.
    public TasksUsage plus(TasksUsage other) {
        return new TasksUsage(
                cpu.plus(other.cpu),
                other.leastCpu.value < leastCpu.value ? other.leastCpu : leastCpu,
                rss.plus(other.rss),
                vmsize.plus(other.vmsize),
                pages.plus(other.pages),
                bytesRead.plus(other.bytesRead),
                bytesWritten.plus(other.bytesWritten),
                Math.max(memoryPeak, other.memoryPeak));
    }

    /// The same, of the tasks on this node of the step.
    public TasksUsage at(int position) {
        return new TasksUsage(
                cpu.at(position),
                leastCpu.at(position),
                rss.at(position),
                vmsize.at(position),
                pages.at(position),
                bytesRead.at(position),
                bytesWritten.at(position),
                memoryPeak);
    }
}
