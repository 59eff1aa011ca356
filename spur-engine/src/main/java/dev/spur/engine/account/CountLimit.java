package dev.spur.engine.account;

/// Limits that are one number. What of them an association has, a QOS may not, and the other way
/// round. Append-only.
public enum CountLimit {
    GRP_JOBS("GrpJobs"),
    GRP_JOBS_ACCRUE("GrpJobsAccrue"),
    GRP_SUBMIT_JOBS("GrpSubmitJobs"),
    /// In minutes.
    GRP_WALL("GrpWall"),
    MAX_JOBS("MaxJobs"),
    MAX_JOBS_ACCRUE("MaxJobsAccrue"),
    MAX_SUBMIT_JOBS("MaxSubmitJobs"),
    /// In minutes.
    MAX_WALL("MaxWallDurationPerJob"),
    MAX_JOBS_PER_USER("MaxJobsPerUser"),
    MAX_JOBS_PER_ACCOUNT("MaxJobsPerAccount"),
    MAX_SUBMIT_PER_USER("MaxSubmitJobsPerUser"),
    MAX_SUBMIT_PER_ACCOUNT("MaxSubmitJobsPerAccount"),
    MAX_JOBS_ACCRUE_PER_USER("MaxJobsAccruePerUser"),
    MAX_JOBS_ACCRUE_PER_ACCOUNT("MaxJobsAccruePerAccount"),
    MIN_PRIORITY_THRESHOLD("MinPrioThreshold");

    private final String word;

    CountLimit(String word) {
        this.word = word;
    }

    /// As sacctmgr has it.
    public String word() {
        return word;
    }

    /// Whether an association that has none of its own has that of the one above. Those of groups
    /// hold for everybody below together, wherever they are set.
    public boolean isInherited() {
        return switch (this) {
            case MAX_JOBS, MAX_JOBS_ACCRUE, MAX_SUBMIT_JOBS, MAX_WALL, MIN_PRIORITY_THRESHOLD ->
                    true;
            case GRP_JOBS,
                    GRP_JOBS_ACCRUE,
                    GRP_SUBMIT_JOBS,
                    GRP_WALL,
                    MAX_JOBS_PER_USER,
                    MAX_JOBS_PER_ACCOUNT,
                    MAX_SUBMIT_PER_USER,
                    MAX_SUBMIT_PER_ACCOUNT,
                    MAX_JOBS_ACCRUE_PER_USER,
                    MAX_JOBS_ACCRUE_PER_ACCOUNT ->
                    false;
        };
    }
}
