package dev.spur.cli.options;

/// The release of Slurm whose behaviour the commands have. Tools read it from `--version` to decide
/// what they may ask for, so it names what was compared, not what is newest.
public final class SlurmVersion {
    public static final String NUMBER = "22.05.8";

    /// The one line that `--version` prints.
    public static final String LINE = "slurm " + NUMBER;

    private SlurmVersion() {}
}
