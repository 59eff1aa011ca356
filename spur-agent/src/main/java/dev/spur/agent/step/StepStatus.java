package dev.spur.agent.step;

import dev.spur.model.StepId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// What a supervisor says about its step.
///
/// @param boot the boot of the machine under which it was said
/// @param leaseOver it was ended because the agent did not say in time that it may go on
/// @param unkillable some of its processes would not die
/// @param unsaved why this is only in the supervisor's memory, empty if it is on disk
/// @param nodeFault the error is the node's: other steps would fare no better here
/// @param error why tasks could not be started, empty if they could
public record StepStatus(
        StepKey key,
        String boot,
        long supervisor,
        State state,
        long startedMillis,
        long endedMillis,
        boolean timedOut,
        boolean leaseOver,
        boolean outOfMemory,
        boolean unkillable,
        String unsaved,
        boolean nodeFault,
        String error,
        List<Task> tasks,
        GroupUsage group) {

    public enum State {
        STARTING,
        RUNNING,
        EXITING,
        ENDED
    }

    /// One task; `code` and `signal` are 0 until it has ended.
    public record Task(int rank, long pid, boolean ended, int code, int signal, TaskUsage used) {}

    /// What a task used so far, with all that descends from it; of memory the most at once.
    ///
    /// @param pages faults that had to read from a disk
    public record TaskUsage(
            long userMicros,
            long systemMicros,
            long maxRssKib,
            long maxVmsizeKib,
            long pages,
            long readBytes,
            long writtenBytes) {
        public static final TaskUsage NONE = new TaskUsage(0, 0, 0, 0, 0, 0, 0);

        long cpuMicros() {
            return userMicros + systemMicros;
        }
    }

    /// What the kernel counted for the step's control group; 0 where it does not count.
    ///
    /// @param memoryPeakKib with cached files
    public record GroupUsage(long userMicros, long systemMicros, long memoryPeakKib) {
        public static final GroupUsage NONE = new GroupUsage(0, 0, 0);
    }

    public StepStatus {
        tasks = List.copyOf(tasks);
    }

    public boolean hasEnded() {
        return state == State.ENDED;
    }

    /// The task that speaks for the step: the one that was killed by a signal or failed worst.
    public Optional<Task> worstTask() {
        return tasks.stream()
                .max((one, two) ->
                        one.signal() != two.signal()
                                ? Integer.compare(one.signal(), two.signal())
                                : Integer.compare(one.code(), two.code()));
    }

    /// Reads the text of the status file; empty if it is not one.
    public static Optional<StepStatus> parse(String text) {
        var values = new HashMap<String, String>();
        var tasks = new ArrayList<Task>();
        try {
            for (var line : text.split("\n", -1)) {
                var space = line.indexOf(' ');
                if (space < 0) {
                    continue;
                }
                if (line.startsWith("task ")) {
                    tasks.add(task(line.split(" ", -1)));
                } else {
                    values.put(line.substring(0, space), line.substring(space + 1));
                }
            }
            return values.containsKey("state") ? Optional.of(of(values, tasks)) : Optional.empty();
        } catch (IllegalArgumentException | IndexOutOfBoundsException _) {
            return Optional.empty();
        }
    }

    private static StepStatus of(Map<String, String> values, List<Task> tasks) {
        return new StepStatus(
                new StepKey(
                        (int) number(values, "job"),
                        StepId.parse(values.getOrDefault("step", "")),
                        (int) number(values, "attempt")),
                values.getOrDefault("boot", ""),
                number(values, "supervisor"),
                State.valueOf(values.getOrDefault("state", "").toUpperCase(Locale.ROOT)),
                number(values, "started"),
                number(values, "ended"),
                number(values, "timed_out") != 0,
                number(values, "lease_over") != 0,
                number(values, "oom_kills") != 0,
                number(values, "unkillable") != 0,
                values.getOrDefault("unsaved", ""),
                number(values, "node_fault") != 0,
                values.getOrDefault("error", ""),
                tasks,
                new GroupUsage(
                        number(values, "group_user_us"),
                        number(values, "group_system_us"),
                        number(values, "memory_peak_kb")));
    }

    private static long number(Map<String, String> values, String key) {
        return Long.parseLong(values.getOrDefault(key, "0"));
    }

    private static Task task(String[] words) {
        return new Task(
                Integer.parseUnsignedInt(words[1]),
                Long.parseLong(words[3]),
                words[4].equals("ended"),
                Integer.parseInt(words[5]),
                Integer.parseInt(words[6]),
                new TaskUsage(
                        number(words, 7),
                        number(words, 8),
                        number(words, 9),
                        number(words, 10),
                        number(words, 11),
                        number(words, 12),
                        number(words, 13)));
    }

    /// A supervisor of an earlier release says less.
    private static long number(String[] words, int at) {
        return at < words.length ? Long.parseLong(words[at]) : 0;
    }
}
