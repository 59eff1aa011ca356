package dev.spur.cli;

/// One resource limit of the caller, by Slurm's name for it: `CPU FSIZE DATA STACK CORE RSS NPROC
/// NOFILE MEMLOCK AS` (as in `SLURM_RLIMIT_NOFILE`).
public record ResourceLimit(String name, long soft, long hard) {
    public static final long UNLIMITED = Long.MAX_VALUE;
}
