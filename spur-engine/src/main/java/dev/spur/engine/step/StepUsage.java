package dev.spur.engine.step;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What a step used and how it ended, over the nodes that have said so. Nodes are named by their
/// position in the step.
///
/// @param tasks on those nodes
/// @param nodes how many
/// @param maxRssKibibytes of the node that needed most
/// @param rssKibibytes sum over the nodes
/// @param minCpuMicros of a task of the node whose tasks used least, on average
/// @param startedAt when the first of its tasks began
/// @param endedAt when the controller heard of the end of its last part
/// @param perTask missing: an agent said sums only
public record StepUsage(
        int tasks,
        int nodes,
        long userMicros,
        long systemMicros,
        long maxRssKibibytes,
        int maxRssPosition,
        long rssKibibytes,
        long minCpuMicros,
        int minCpuPosition,
        boolean outOfMemory,
        boolean timedOut,
        boolean lost,
        Instant startedAt,
        Instant endedAt,
        @Nullable TasksUsage perTask) {

    static StepUsage of(StepEnd end, int position, int tasks, Instant now) {
        return new StepUsage(
                tasks,
                1,
                end.userMicros(),
                end.systemMicros(),
                end.maxRssKibibytes(),
                position,
                end.maxRssKibibytes(),
                (end.userMicros() + end.systemMicros()) / Math.max(1, tasks),
                position,
                end.outOfMemory(),
                end.timedOut(),
                end.lost(),
                end.startedAt(),
                now,
                end.perTask() == null ? null : end.perTask().at(position));
    }

    StepUsage plus(StepUsage other) {
        var most = other.maxRssKibibytes > maxRssKibibytes ? other : this;
        var least = other.minCpuMicros < minCpuMicros ? other : this;
        return new StepUsage(
                tasks + other.tasks,
                nodes + other.nodes,
                userMicros + other.userMicros,
                systemMicros + other.systemMicros,
                most.maxRssKibibytes,
                most.maxRssPosition,
                rssKibibytes + other.rssKibibytes,
                least.minCpuMicros,
                least.minCpuPosition,
                outOfMemory || other.outOfMemory,
                timedOut || other.timedOut,
                lost || other.lost,
                other.startedAt.isBefore(startedAt) ? other.startedAt : startedAt,
                other.endedAt.isAfter(endedAt) ? other.endedAt : endedAt,
                perTask == null || other.perTask == null ? null : perTask.plus(other.perTask));
    }
}
