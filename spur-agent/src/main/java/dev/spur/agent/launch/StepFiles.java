package dev.spur.agent.launch;

import dev.spur.agent.step.TaskPlan.Stdio;
import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.StepLaunch;
import dev.spur.model.StepId;
import dev.spur.model.notation.FileNamePattern;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/// Names and modes of a step's files on this node. A name is relative to the job's working
/// directory.
final class StepFiles {
    private final StepLaunch launch;
    private final Path workDirectory;
    private final OpenMode mode;
    private final Set<String> truncated = new HashSet<>();

    StepFiles(StepLaunch launch, String workDirectory, OpenMode mode) {
        this.launch = launch;
        this.workDirectory = Path.of(workDirectory);
        this.mode = mode;
    }

    Stdio input(String pattern, int task) {
        return new Stdio.Read(path(pattern, task));
    }

    Stdio output(String pattern, int task) {
        var path = path(pattern, task);
        if (mode == OpenMode.OPEN_MODE_APPEND) {
            return new Stdio.Append(path);
        }
        // Tasks of one node may share a file: the first empties it, all of them append.
        if (!truncated.add(path)) {
            return new Stdio.Append(path);
        }
        var shared = !new FileNamePattern(pattern).isPerTask() && isStepOfSeveral();
        return shared ? new Stdio.Shared(path) : new Stdio.Truncate(path);
    }

    /// Standard error goes where standard output goes unless it has a name of its own.
    Stdio error(String errorPattern, String outputPattern, int task) {
        if (errorPattern.isEmpty() || path(errorPattern, task).equals(path(outputPattern, task))) {
            return new Stdio.SameAsOutput();
        }
        return output(errorPattern, task);
    }

    private boolean isStepOfSeveral() {
        return launch.getStepTasks() > 1;
    }

    private String path(String pattern, int task) {
        return workDirectory.resolve(new FileNamePattern(pattern).expand(values(task))).toString();
    }

    private FileNamePattern.Values values(int task) {
        var batch = new StepId(launch.getStepId()).equals(StepId.BATCH);
        return new FileNamePattern.Values(
                launch.getJobId(),
                launch.hasArrayTaskId()
                        ? new FileNamePattern.ArrayTask(
                                launch.getArrayJobId(), launch.getArrayTaskId())
                        : null,
                batch ? null : launch.getStepId(),
                launch.getNode(),
                launch.getNodeId(),
                task,
                launch.getUserName(),
                launch.getJobName(),
                launch.getRestarts());
    }
}
