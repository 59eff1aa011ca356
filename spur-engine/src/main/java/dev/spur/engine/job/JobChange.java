package dev.spur.engine.job;

import dev.spur.model.MemoryRequest;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One thing that `scontrol update job` changes. Append-only.
public sealed interface JobChange {
    record SetTimeLimit(TimeLimit limit) implements JobChange {}

    record SetName(String name) implements JobChange {}

    record SetPartitions(List<String> partitions) implements JobChange {}

    /// 0 holds the job.
    record SetPriority(long priority) implements JobChange {}

    record SetNice(int nice) implements JobChange {}

    record SetBegin(@Nullable Instant begin) implements JobChange {}

    record SetDeadline(@Nullable Instant deadline) implements JobChange {}

    record SetDependency(String dependency) implements JobChange {}

    record SetComment(String comment) implements JobChange {}

    record SetAdminComment(String comment) implements JobChange {}

    record SetAccount(String account) implements JobChange {}

    record SetQos(String qos) implements JobChange {}

    record SetRequeue(boolean requeue) implements JobChange {}

    record SetNodes(int minNodes, int maxNodes) implements JobChange {}

    record SetTasks(int tasks) implements JobChange {}

    record SetCpusPerTask(int cpus) implements JobChange {}

    /// As many tasks as it takes to have so many CPUs.
    record SetCpus(int cpus) implements JobChange {}

    record SetMemory(MemoryRequest memory) implements JobChange {}

    record SetConstraint(String constraint) implements JobChange {}

    record SetGresPerNode(String gres) implements JobChange {}

    record SetNodeList(String nodes) implements JobChange {}

    record SetExclude(String nodes) implements JobChange {}

    /// 0: as many tasks at once as fit.
    record SetArrayThrottle(int throttle) implements JobChange {}

    record SetStdOut(String pattern) implements JobChange {}

    record SetStdErr(String pattern) implements JobChange {}

    /// Empty: none.
    record SetReservation(String reservation) implements JobChange {}
}
