package dev.spur.model;

import java.util.List;

/// What a job's nodes need to run it as it was submitted. File names are patterns as given; empty means
/// the default.
///
/// @param command what `scontrol show job` prints as Command
/// @param exportEnv the value of `--export`, for `SLURM_EXPORT_ENV`
public record LaunchSpec(
        String workDir,
        String stdOut,
        String stdErr,
        String stdIn,
        OpenMode openMode,
        String command,
        List<String> scriptArgs,
        int umask,
        List<Rlimit> rlimits,
        String exportEnv,
        boolean getUserEnv,
        String submitHost,
        int allocSid,
        String container,
        String cpuFrequency,
        String submitLine) {

    public static final LaunchSpec IN_ROOT = new LaunchSpec(
            "/", "", "", "", OpenMode.DEFAULT, "", List.of(), 022, List.of(), "", false, "", 0, "", "", "");

    public LaunchSpec {
        scriptArgs = List.copyOf(scriptArgs);
        rlimits = List.copyOf(rlimits);
    }
}
