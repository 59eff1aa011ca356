package dev.spur.model;

import dev.spur.model.notation.OpenMode;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What a job's nodes need to run it as it was submitted. File names are patterns as given; empty
/// means the default.
///
/// @param openMode missing: as the cluster does, which is to truncate
/// @param command what `scontrol show job` prints as Command
/// @param submitDir where the user was, which `workDir` (`--chdir`) need not be
/// @param exportEnv the value of `--export`, for `SLURM_EXPORT_ENV`
/// @param session whether it has processes, temporary files and shared memory of its own on nodes
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
        String submitLine,
        String submitDir,
        boolean session) {

    public static final LaunchSpec IN_ROOT =
            new LaunchSpec(
                    "/", "", "", "", null, "", List.of(), 022, List.of(), "", false, "", 0, "", "",
                    "", "/", false);

    public LaunchSpec {
        scriptArgs = List.copyOf(scriptArgs);
        rlimits = List.copyOf(rlimits);
    }

    /// A copy that differs in what `change` sets.
    public LaunchSpec with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.done();
    }

    /// A launch that is being changed.
    public static final class Draft {
        public String workDir;
        public String stdOut;
        public String stdErr;
        public String stdIn;
        public @Nullable OpenMode openMode;
        public String command;
        public List<String> scriptArgs;
        public int umask;
        public List<Rlimit> rlimits;
        public String exportEnv;
        public boolean getUserEnv;
        public String submitHost;
        public int allocSid;
        public String container;
        public String cpuFrequency;
        public String submitLine;
        public String submitDir;
        public boolean session;

        private Draft(LaunchSpec from) {
            workDir = from.workDir;
            stdOut = from.stdOut;
            stdErr = from.stdErr;
            stdIn = from.stdIn;
            openMode = from.openMode;
            command = from.command;
            scriptArgs = from.scriptArgs;
            umask = from.umask;
            rlimits = from.rlimits;
            exportEnv = from.exportEnv;
            getUserEnv = from.getUserEnv;
            submitHost = from.submitHost;
            allocSid = from.allocSid;
            container = from.container;
            cpuFrequency = from.cpuFrequency;
            submitLine = from.submitLine;
            submitDir = from.submitDir;
            session = from.session;
        }

        private LaunchSpec done() {
            return new LaunchSpec(
                    workDir,
                    stdOut,
                    stdErr,
                    stdIn,
                    openMode,
                    command,
                    scriptArgs,
                    umask,
                    rlimits,
                    exportEnv,
                    getUserEnv,
                    submitHost,
                    allocSid,
                    container,
                    cpuFrequency,
                    submitLine,
                    submitDir,
                    session);
        }
    }
}
