package dev.spur.model;

/// Everything that can be refused, in one table: our stable name, Slurm's number and words, the
/// gRPC status. Commands exit as Slurm's do where that number is an exit code (see [#exitCode]).
public enum ErrorCode {
    INVALID_PARTITION(2000, "Invalid partition name specified", "INVALID_ARGUMENT"),
    NO_DEFAULT_PARTITION(
            2001, "No partition specified or system default partition", "INVALID_ARGUMENT"),
    ACCESS_DENIED(2002, "Access/permission denied", "PERMISSION_DENIED"),
    GROUP_NOT_PERMITTED(
            2003, "User's group not permitted to use this partition", "PERMISSION_DENIED"),
    NODES_NOT_IN_PARTITION(2004, "Requested nodes not in this partition", "INVALID_ARGUMENT"),
    TOO_MANY_CPUS(2005, "More processors requested than permitted", "INVALID_ARGUMENT"),
    INVALID_NODE_COUNT(2006, "Node count specification invalid", "INVALID_ARGUMENT"),
    SCRIPT_MISSING(2009, "Batch script missing", "INVALID_ARGUMENT"),
    INVALID_USER(2010, "Invalid user id", "PERMISSION_DENIED"),
    TEXT_TOO_LONG(
            2012, "Pathname of a file, directory or other parameter too long", "INVALID_ARGUMENT"),
    NODE_CONFIG_UNAVAILABLE(
            2014, "Requested node configuration is not available", "FAILED_PRECONDITION"),
    PARTITION_CONFIG_UNAVAILABLE(
            2015, "Requested partition configuration not available now", "FAILED_PRECONDITION"),
    NODES_BUSY(2016, "Requested nodes are busy", "UNAVAILABLE"),
    INVALID_JOB(2017, "Invalid job id specified", "NOT_FOUND"),
    INVALID_NODE(2018, "Invalid node name specified", "NOT_FOUND"),
    TRANSITION_STATE(2020, "Job can not be altered now, try again later", "UNAVAILABLE"),
    ALREADY_DONE(2021, "Job/step already completing or completed", "FAILED_PRECONDITION"),
    BAD_DISTRIBUTION(2023, "Task distribution specification invalid", "INVALID_ARGUMENT"),
    JOB_PENDING(2024, "Job is pending execution", "FAILED_PRECONDITION"),
    BAD_TASK_COUNT(2025, "Task count specification invalid", "INVALID_ARGUMENT"),
    NOT_LEADER(2027, "Slurm backup controller in standby mode", "UNAVAILABLE"),
    INVALID_NODE_STATE(2028, "Invalid node state specified", "INVALID_ARGUMENT"),
    INVALID_FEATURE(2029, "Invalid feature specification", "INVALID_ARGUMENT"),
    ACTIVE_FEATURES(2031, "Active features not subset of available features", "INVALID_ARGUMENT"),
    NOT_SUPPORTED(2036, "Requested operation not supported on this system", "UNIMPLEMENTED"),
    DISABLED(2037, "Requested operation is presently disabled", "FAILED_PRECONDITION"),
    DEPENDENCY(2038, "Job dependency problem", "INVALID_ARGUMENT"),
    BATCH_ONLY(2039, "Only batch jobs are accepted or processed", "FAILED_PRECONDITION"),
    JOB_HELD(2042, "Job is in held state, pending scheduler release", "FAILED_PRECONDITION"),
    INVALID_TASK_MEMORY(2044, "Memory required by task is not available", "INVALID_ARGUMENT"),
    INVALID_ACCOUNT(
            2045, "Invalid account or account/partition combination specified", "INVALID_ARGUMENT"),
    INVALID_LICENSES(2048, "Invalid license specification", "INVALID_ARGUMENT"),
    LIMIT_REACHED(
            2050,
            "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
            "RESOURCE_EXHAUSTED"),
    INVALID_TIME_LIMIT(
            2051,
            "Requested time limit is invalid (missing or exceeds some limit)",
            "INVALID_ARGUMENT"),
    RESERVATION_ACCESS(2052, "Access denied to requested reservation", "PERMISSION_DENIED"),
    INVALID_RESERVATION(2053, "Requested reservation is invalid", "INVALID_ARGUMENT"),
    INVALID_TIME(2054, "Invalid time specified", "INVALID_ARGUMENT"),
    RESERVATION_BUSY(2055, "Requested reservation is in use", "FAILED_PRECONDITION"),
    RESERVATION_OVERLAP(
            2058, "Requested reservation overlaps another reservation", "FAILED_PRECONDITION"),
    NO_STEPS(2062, "Job steps can not be run on this cluster", "FAILED_PRECONDITION"),
    INVALID_QOS(2066, "Invalid qos specification", "INVALID_ARGUMENT"),
    INVALID_WCKEY(2067, "Invalid wckey specification", "INVALID_ARGUMENT"),
    NODE_NOT_AVAILABLE(
            2068, "Required node not available (down, drained or reserved)", "FAILED_PRECONDITION"),
    INVALID_CPU_COUNT(2069, "CPU count specification invalid", "INVALID_ARGUMENT"),
    PARTITION_NOT_AVAILABLE(
            2070, "Required partition not available (inactive or drain)", "FAILED_PRECONDITION"),
    CIRCULAR_DEPENDENCY(2071, "Circular job dependency", "INVALID_ARGUMENT"),
    INVALID_GRES(2072, "Invalid generic resource (gres) specification", "INVALID_ARGUMENT"),
    JOB_NOT_PENDING(2073, "Job is no longer pending execution", "FAILED_PRECONDITION"),
    STEP_LIMIT(2076, "Step limit reached for this job", "RESOURCE_EXHAUSTED"),
    CAN_NOT_START_IMMEDIATELY(
            2078, "Immediate execution impossible, insufficient priority", "FAILED_PRECONDITION"),
    INVALID_ARRAY(2081, "Invalid job array specification", "INVALID_ARGUMENT"),
    JOB_NOT_RUNNING(2085, "Job is not running", "FAILED_PRECONDITION"),
    NOT_PENDING_NOR_RUNNING(2086, "Job is not pending nor running", "FAILED_PRECONDITION"),
    JOB_NOT_SUSPENDED(2087, "Job is not suspended", "FAILED_PRECONDITION"),
    JOB_NOT_FINISHED(2088, "Job is not finished", "FAILED_PRECONDITION"),
    INTERNAL(2090, "Unexpected internal error", "INTERNAL"),
    PRIORITY_RESET(
            2095,
            "Changes to job priority are not persistent, change nice instead",
            "PERMISSION_DENIED"),
    PARTITION_IN_USE(2099, "Partition is in use", "FAILED_PRECONDITION"),
    PARTITION_DOWN(2101, "Required partition not available (down)", "FAILED_PRECONDITION"),
    INVALID_NICE(2123, "Invalid --nice value", "PERMISSION_DENIED"),
    INVALID_TIME_MIN(
            2124,
            "Invalid time-min specification (exceeds job's time or other limits)",
            "INVALID_ARGUMENT"),
    JOBS_RUNNING_ON_ASSOCIATION(
            7001, "Job(s) active, cancel job(s) before remove", "FAILED_PRECONDITION"),
    BAD_NAME(7004, "Unacceptable name given", "INVALID_ARGUMENT"),
    NO_REMOVE_DEFAULT_ACCOUNT(
            7009, "You can not remove the default account of a user", "FAILED_PRECONDITION"),
    /// Somebody else was faster: look again, then decide.
    CHANGED_MEANWHILE(7003, "Can only change one at a time", "ABORTED"),
    TOO_MANY_JOBS(11, "Resource temporarily unavailable", "RESOURCE_EXHAUSTED"),
    BUSY(11, "Resource temporarily unavailable", "RESOURCE_EXHAUSTED"),
    DISK_FULL(28, "No space left on device", "RESOURCE_EXHAUSTED"),
    NO_MAJORITY(1800, "Unable to contact slurm controller (connect failure)", "UNAVAILABLE"),
    /// It may or may not have happened: repeat it with the same request id, or look.
    OUTCOME_UNKNOWN(5004, "Socket timed out on send/recv operation", "UNAVAILABLE"),
    INVALID_REQUEST(22, "Invalid argument", "INVALID_ARGUMENT"),
    UNKNOWN_TOKEN(6000, "Invalid authentication credential", "UNAUTHENTICATED");

    private final int slurmErrno;
    private final String text;
    private final String grpcStatus;

    ErrorCode(int slurmErrno, String text, String grpcStatus) {
        this.slurmErrno = slurmErrno;
        this.text = text;
        this.grpcStatus = grpcStatus;
    }

    public int slurmErrno() {
        return slurmErrno;
    }

    /// Slurm's own words, which scripts match on.
    public String text() {
        return text;
    }

    /// The name of the gRPC status code.
    public String grpcStatus() {
        return grpcStatus;
    }

    /// What a command returns that ends with Slurm's error number: the low eight bits are what a
    /// shell sees.
    public int exitCode() {
        return slurmErrno & 0xff;
    }
}
