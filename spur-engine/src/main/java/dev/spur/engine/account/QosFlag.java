package dev.spur.engine.account;

/// What is special about a QOS. Append-only.
public enum QosFlag {
    /// What is beyond its limits is refused at submission.
    DENY_ON_LIMIT("DenyOnLimit"),
    ENFORCE_USAGE_THRESHOLD("EnforceUsageThreshold"),
    /// Its usage does not fade.
    NO_DECAY("NoDecay"),
    /// Its waiting jobs keep nothing free for themselves.
    NO_RESERVE("NoReserve"),
    /// Its limits come before those of the partition's QOS.
    OVER_PART_QOS("OverPartQOS"),
    /// It may have more nodes than the partition gives.
    PARTITION_MAX_NODES("PartitionMaxNodes"),
    PARTITION_MIN_NODES("PartitionMinNodes"),
    /// It may run longer than the partition allows.
    PARTITION_TIME_LIMIT("PartitionTimeLimit"),
    REQUIRES_RESERVATION("RequiresReservation"),
    /// Its usage factor counts for limits of minutes before the job runs, too.
    USAGE_FACTOR_SAFE("UsageFactorSafe");

    private final String word;

    QosFlag(String word) {
        this.word = word;
    }

    /// As sacctmgr has it.
    public String word() {
        return word;
    }
}
