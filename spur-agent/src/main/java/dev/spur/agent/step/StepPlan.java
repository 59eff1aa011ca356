package dev.spur.agent.step;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Everything the supervisor must know to run this node's part of a step.
///
/// @param arguments the command, or what follows the script
/// @param script a script to run instead of a command
/// @param softLimits of the submitting shell, `NOFILE=1024`; they hold within the node's hard
///   limits
/// @param nodeLimits of the node's own, which may raise its hard limits
/// @param cpus the cpus to bind to, `0-3,8`; empty for any
/// @param login whose shell is asked for the environment to begin with; null for none
/// @param timeLimit what is left of the job's; null for none
/// @param stepLimit what is left of the step's own; null for none
/// @param session null: the job sees the node as it is
/// @param terminal the size of the terminal, if a task has one
public record StepPlan(
        StepKey key,
        String node,
        User user,
        List<String> arguments,
        @Nullable ByteString script,
        List<String> environment,
        @Nullable Login login,
        String workDirectory,
        int umask,
        List<String> softLimits,
        List<String> nodeLimits,
        int nice,
        String cpus,
        StepLimits limits,
        @Nullable Duration timeLimit,
        @Nullable Duration stepLimit,
        Duration killWait,
        @Nullable Warning warning,
        boolean killOnBadExit,
        @Nullable Terminal terminal,
        List<TaskPlan> tasks,
        @Nullable Session session) {

    /// Who the tasks run as, in numbers: names are for people.
    public record User(int uid, int gid, List<Integer> groups) {
        public User {
            groups = List.copyOf(groups);
        }
    }

    /// What the job's processes have for themselves on this node.
    ///
    /// @param user for whom the node's files of users have no line; null: they have one
    /// @param shown a directory of the node that is seen although it is below /tmp; "": none
    public record Session(@Nullable OwnUser user, String shown) {
        public Session(@Nullable OwnUser user) {
            this(user, "");
        }
    }

    /// A user whom only the session knows.
    ///
    /// @param home made on first use
    public record OwnUser(String name, String home, String shell) {
        String passwd(User ids) {
            return "%s:x:%d:%d::%s:%s"
                    .formatted(
                            name,
                            Integer.toUnsignedLong(ids.uid()),
                            Integer.toUnsignedLong(ids.gid()),
                            home,
                            shell);
        }

        String group(User ids) {
            return "%s:x:%d:".formatted(name, Integer.toUnsignedLong(ids.gid()));
        }
    }

    /// A login shell, how long it may take to tell its environment, and what it begins with.
    public record Login(String shell, Duration patience, List<String> account) {
        public Login {
            account = List.copyOf(account);
        }
    }

    /// A signal some time before the time limit ends.
    public record Warning(int signal, Duration before, boolean firstProcessOnly) {}

    /// @param kept so many of its last bytes, and waits for nobody to read them; 0: it waits for
    ///   its reader
    public record Terminal(int rows, int columns, int kept) {}

    private static final int LARGE = 256 << 10;

    public StepPlan {
        arguments = List.copyOf(arguments);
        environment = List.copyOf(environment);
        softLimits = List.copyOf(softLimits);
        nodeLimits = List.copyOf(nodeLimits);
        tasks = List.copyOf(tasks);
    }

    /// Whether it is so large that memory must be thought of: scripts and environments may have
    /// megabytes.
    boolean isLarge() {
        var size = script == null ? 0L : script.size();
        for (var variable : environment) {
            size += variable.length();
        }
        return size > LARGE;
    }
}
