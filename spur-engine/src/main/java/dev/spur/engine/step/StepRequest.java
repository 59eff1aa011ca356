package dev.spur.engine.step;

import dev.spur.model.MemoryRequest;
import dev.spur.model.notation.TimeLimit;
import org.jspecify.annotations.Nullable;

/// What `srun` wants of its job. Counts of zero and empty texts mean "not asked for".
///
/// @param exact take no more CPUs than the tasks need
/// @param overlap share with every other step
/// @param distribution `block`, `cyclic`, `plane=N` or `arbitrary`
/// @param interactive salloc's own shell on the first node
public record StepRequest(
        String name,
        int minNodes,
        int maxNodes,
        int tasks,
        int cpusPerTask,
        int tasksPerNode,
        String nodeList,
        String exclude,
        MemoryRequest memory,
        String gresPerNode,
        String gresPerStep,
        String gresPerTask,
        boolean exact,
        boolean overlap,
        @Nullable TimeLimit timeLimit,
        String distribution,
        boolean overcommit,
        boolean interactive,
        String stdOut,
        String stdErr,
        String stdIn) {

    /// One task of the given name on the whole job.
    public static StepRequest of(String name) {
        return new StepRequest(
                name,
                0,
                0,
                0,
                0,
                0,
                "",
                "",
                MemoryRequest.UNSPECIFIED,
                "",
                "",
                "",
                false,
                false,
                null,
                "",
                false,
                false,
                "",
                "",
                "");
    }
}
