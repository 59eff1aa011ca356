package dev.spur.engine.account;

/// Limits that are amounts of resources. What of them an association has, a QOS may not, and the
/// other way round. Append-only.
public enum TresLimit {
    GRP("GrpTRES"),
    GRP_MINUTES("GrpTRESMins"),
    GRP_RUN_MINUTES("GrpTRESRunMins"),
    MAX_PER_JOB("MaxTRESPerJob"),
    MAX_PER_NODE("MaxTRESPerNode"),
    MAX_MINUTES_PER_JOB("MaxTRESMinsPerJob"),
    MAX_PER_USER("MaxTRESPerUser"),
    MAX_PER_ACCOUNT("MaxTRESPerAccount"),
    MIN_PER_JOB("MinTRESPerJob"),
    MAX_RUN_MINUTES_PER_USER("MaxTRESRunMinsPerUser"),
    MAX_RUN_MINUTES_PER_ACCOUNT("MaxTRESRunMinsPerAccount");

    private final String word;

    TresLimit(String word) {
        this.word = word;
    }

    /// As sacctmgr has it.
    public String word() {
        return word;
    }

    /// See [CountLimit#isInherited].
    public boolean isInherited() {
        return this == MAX_PER_JOB || this == MAX_PER_NODE || this == MAX_MINUTES_PER_JOB;
    }
}
