package dev.spur.model;

/// How something ended, shown as `code:signal`.
public record ExitStatus(int code, int signal) {
    public static final ExitStatus SUCCESS = new ExitStatus(0, 0);

    /// What Slurm shows for processes that the kernel killed for their memory.
    public static final ExitStatus OUT_OF_MEMORY = new ExitStatus(0, 125);

    public boolean isSuccess() {
        return code == 0 && signal == 0;
    }

    /// The worse of two: a signal counts more than any code.
    public ExitStatus worse(ExitStatus other) {
        return rank(other) > rank(this) ? other : this;
    }

    private static int rank(ExitStatus status) {
        return status.signal * 256 + status.code;
    }

    @Override
    public String toString() {
        return code + ":" + signal;
    }
}
