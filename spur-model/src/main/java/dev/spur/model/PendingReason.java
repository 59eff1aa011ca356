package dev.spur.model;

/// Why a job waits, or why it ended as it did, in Slurm's words.
public enum PendingReason {
    NONE("None"),
    PRIORITY("Priority"),
    RESOURCES("Resources"),
    DEPENDENCY("Dependency"),
    DEPENDENCY_NEVER_SATISFIED("DependencyNeverSatisfied"),
    BEGIN_TIME("BeginTime"),
    HELD_BY_USER("JobHeldUser"),
    HELD_BY_ADMIN("JobHeldAdmin"),
    HELD_AFTER_REQUEUES("JobHoldMaxRequeue"),
    ARRAY_TASK_LIMIT("JobArrayTaskLimit"),
    PARTITION_TIME_LIMIT("PartitionTimeLimit"),
    PARTITION_NODE_LIMIT("PartitionNodeLimit"),
    PARTITION_DOWN("PartitionDown"),
    PARTITION_INACTIVE("PartitionInactive"),
    PARTITION_CONFIG("PartitionConfig"),
    NODES_NOT_AVAILABLE("ReqNodeNotAvail"),
    NODES_DOWN(
            "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"),
    BAD_CONSTRAINTS("BadConstraints"),
    LICENSES("Licenses"),
    RESERVATION("Reservation"),
    RESERVATION_DELETED("ReservationDeleted"),
    LAUNCH_FAILED("JobLaunchFailure"),
    LAUNCH_FAILED_HELD("launch failed requeued held"),
    PROLOG("Prolog"),
    CLEANING("Cleaning"),
    DEADLINE("DeadLine"),
    NODE_DOWN("NodeDown"),
    TIME_LIMIT("TimeLimit"),
    NON_ZERO_EXIT("NonZeroExitCode"),
    RAISED_SIGNAL("RaisedSignal"),
    OUT_OF_MEMORY("OutOfMemory"),
    SYSTEM_FAILURE("SystemFailure"),
    INACTIVE_LIMIT("InactiveLimit"),
    INVALID_ACCOUNT("InvalidAccount"),
    INVALID_QOS("InvalidQOS"),
    /// A limit of an association, of a QOS, or of an account in a QOS; which one is in the detail,
    /// which makes Slurm's word whole.
    ASSOCIATION_LIMIT("Assoc"),
    QOS_LIMIT("QOS"),
    ACCOUNT_LIMIT("Max");

    private final String word;

    PendingReason(String word) {
        this.word = word;
    }

    /// What `squeue %r` prints.
    public String word() {
        return word;
    }
}
