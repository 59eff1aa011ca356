package dev.spur.cli;

/// Which release this is, and which release of Slurm the Slurm names behave like.
public final class Versions {
    /// Printed by `spur version`.
    public static final String SPUR = "spur 0.1.0";

    /// Printed by `--version` of the Slurm names, exactly this line.
    public static final String SLURM = "slurm 22.05.8";

    private Versions() {}
}
