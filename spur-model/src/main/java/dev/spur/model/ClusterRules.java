package dev.spur.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The numbers and policies that `apply` and the scheduler obey.
///
/// @param killWait between SIGTERM and SIGKILL at a job's end
/// @param minJobAge how long ended jobs stay known
/// @param maxArraySize array indices are below this
/// @param maxJobCount jobs (array tasks count one by one while they have a record) that the state
///   holds
/// @param maxRequeues launches that may fail before the job is held
/// @param defaultTimeLimitMinutes for jobs of partitions without a default; 0: no limit
/// @param completeWait after this, a node that has not said it is clean is taken for lost
/// @param lease how long a silent node may keep its jobs under [LostNodePolicy#LEASE_KILL]
/// @param requeueByDefault whether batch jobs that do not say may be requeued
public record ClusterRules(
        Duration killWait,
        Duration minJobAge,
        int maxArraySize,
        int maxJobCount,
        int maxRequeues,
        Duration launchBackoff,
        Duration maxLaunchBackoff,
        int defaultTimeLimitMinutes,
        long defaultMemoryPerCpu,
        long defaultMemoryPerNode,
        EnforcePartitionLimits enforcePartitionLimits,
        LostNodePolicy lostNode,
        Duration lease,
        ReturnToService returnToService,
        Duration completeWait,
        boolean requeueByDefault,
        boolean killOnInvalidDependency,
        int firstJobId,
        boolean holdOnPrologFailure,
        int maxUserPriority,
        AccountingRules accounting,
        PriorityRules priority) {

    public static final ClusterRules DEFAULTS =
            new ClusterRules(
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(300),
                    1001,
                    100_000,
                    5,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(300),
                    0,
                    0,
                    0,
                    EnforcePartitionLimits.NO,
                    LostNodePolicy.WAIT,
                    Duration.ofSeconds(300),
                    ReturnToService.IF_IT_WAS_SILENT,
                    Duration.ofSeconds(300),
                    true,
                    false,
                    1,
                    true,
                    1000,
                    AccountingRules.DEFAULTS,
                    PriorityRules.DEFAULTS);

    /// `scheduler.enforce_part_limits`: which partitions of a job must allow it when it is
    /// submitted.
    public enum EnforcePartitionLimits {
        NO,
        ANY,
        ALL
    }

    /// The lease of nodes under these rules; null: they have none.
    public @Nullable Duration leaseOrNull() {
        return switch (lostNode) {
            case WAIT -> null;
            case LEASE_KILL -> lease;
        };
    }

    /// `lost_node`: what becomes of jobs on a node that fell silent.
    public enum LostNodePolicy {
        /// They stay until the node is back or an administrator says that it is down.
        WAIT,
        /// When the lease is over the agent has killed them, and they are requeued or failed.
        LEASE_KILL
    }

    /// `return_to_service`: whether a node that was down serves again when it registers.
    public enum ReturnToService {
        NEVER,
        IF_IT_WAS_SILENT,
        ALWAYS
    }
}
