package dev.spur.model;

import dev.spur.model.notation.OpenMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a job's nodes need to run it as it was submitted. File names are patterns as given; empty
/// means the default.
///
/// @param openMode missing: as the cluster does, which is to truncate
/// @param command what `scontrol show job` prints as Command
/// @param exportEnv the value of `--export`, for `SLURM_EXPORT_ENV`
public record LaunchSpec(
        String workDir,
        String stdOut,
        String stdErr,
        String stdIn,
        @Nullable OpenMode openMode,
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

    public static final LaunchSpec IN_ROOT =
            new LaunchSpec(
                    "/", "", "", "", null, "", List.of(), 022, List.of(), "", false, "", 0, "", "",
                    "");

    public LaunchSpec {
        scriptArgs = List.copyOf(scriptArgs);
        rlimits = List.copyOf(rlimits);
    }
}
