package dev.spur.agent.step;

import com.google.protobuf.ByteString;
import dev.spur.agent.cgroup.StepLimits;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Everything the supervisor must know to run this node's part of a step.
///
/// @param arguments the command, or what follows the script
/// @param script a script to run instead of a command
/// @param cpus the cpus to bind to, `0-3,8`; empty for any
/// @param timeLimit what is left of it; null for none
/// @param terminal the size of the terminal, if a task has one
public record StepPlan(
        StepKey key,
        String node,
        User user,
        List<String> arguments,
        @Nullable ByteString script,
        List<String> environment,
        String workDirectory,
        int umask,
        List<String> softLimits,
        int nice,
        String cpus,
        StepLimits limits,
        @Nullable Duration timeLimit,
        Duration killWait,
        @Nullable Warning warning,
        boolean killOnBadExit,
        @Nullable Terminal terminal,
        List<TaskPlan> tasks) {

    /// Who the tasks run as, in numbers: names are for people.
    public record User(int uid, int gid, List<Integer> groups) {
        public User {
            groups = List.copyOf(groups);
        }
    }

    /// A signal some time before the time limit ends.
    public record Warning(int signal, Duration before, boolean firstProcessOnly) {}

    public record Terminal(int rows, int columns) {}

    public StepPlan {
        arguments = List.copyOf(arguments);
        environment = List.copyOf(environment);
        softLimits = List.copyOf(softLimits);
        tasks = List.copyOf(tasks);
    }
}
