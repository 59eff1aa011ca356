package dev.spur.cloud.sessions;

import dev.spur.api.v1.Job;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What each state of a job in the cluster means for the session that it is. The one table of it,
/// whatever runs the job's processes.
final class JobStates {
    /// Ended by a signal, as shells count: interrupted, killed, asked to end.
    private static final int INTERRUPTED = 130;

    private static final int KILLED = 137;
    private static final int TERMINATED = 143;

    static final String NAME_PREFIX = "session-";

    private JobStates() {}

    /// What a session is, why, and what went wrong.
    ///
    /// @param message null: nothing did
    record Meaning(SessionState state, @Nullable String reason, @Nullable String message) {}

    static Backend.Observed observed(Job job) {
        var meaning = meaning(job);
        var started = hasStarted(job);
        var over = meaning.state().isOver();
        var waits = meaning.state() == SessionState.PENDING;
        return new Backend.Observed(
                Integer.toUnsignedLong(job.getJobId()),
                job.getName().startsWith(NAME_PREFIX)
                        ? job.getName().substring(NAME_PREFIX.length())
                        : "",
                meaning.state(),
                meaning.reason(),
                meaning.message(),
                job.getRestarts() + 1,
                started ? instant(job.getStartMicros()) : null,
                over ? instant(job.getEndMicros()) : null,
                started && !over && !isCompleting(job) ? instant(job.getEndMicros()) : null,
                waits ? instant(job.getStartMicros()) : null,
                job.getNodeList().isEmpty() ? null : job.getNodeList(),
                job.getTimeLimit().getMinutes());
    }

    static @Nullable Instant instant(long micros) {
        return micros == 0
                ? null
                : Instant.EPOCH.plus(
                        java.time.Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros)));
    }

    private static boolean hasStarted(Job job) {
        return !job.getBaseState().equals("PENDING") && !job.getNodeList().isEmpty();
    }

    private static boolean isCompleting(Job job) {
        return job.getState().equals("COMPLETING");
    }

    static Meaning meaning(Job job) {
        var reason = reason(job);
        if (isCompleting(job)) {
            return new Meaning(SessionState.STOPPING, job.getBaseState(), null);
        }
        var exit = job.getExitCode();
        return switch (job.getBaseState()) {
            case "PENDING" -> new Meaning(SessionState.PENDING, pending(job, reason), null);
            case "RUNNING" -> new Meaning(SessionState.RUNNING, null, null);
            case "SUSPENDED" ->
                    new Meaning(
                            SessionState.SUSPENDED,
                            "SUSPENDED",
                            "The cluster has suspended the session; it goes on where it is when it is resumed.");
            case "COMPLETED" ->
                    wasInterrupted(job) ? cancelled() : exit == 0 ? completed() : failed(job);
            case "FAILED" -> wasInterrupted(job) ? cancelled() : failed(job);
            case "CANCELLED" -> cancelled();
            // It was to last so long, and it has.
            case "TIMEOUT" -> new Meaning(SessionState.COMPLETED, "TIMEOUT", null);
            case "NODE_FAIL" -> lost("The node %s failed.".formatted(job.getNodeList()), job);
            case "BOOT_FAIL" -> lost("A node did not start.", job);
            case "PREEMPTED" -> lost("Work of a higher priority took the session's place.", job);
            case "OUT_OF_MEMORY" ->
                    lost("The session used more memory than it had asked for.", job);
            case "DEADLINE" -> lost("It could not start early enough.", job);
            default ->
                    lost(
                            "The cluster says %s of it, which the cloud does not know."
                                    .formatted(job.getState()),
                            job);
        };
    }

    /// Jobs that wait are PENDING beside what makes them wait: requeued, held, set up.
    private static String pending(Job job, String reason) {
        return job.getState().equals("PENDING") || job.getState().isEmpty()
                ? reason
                : reason.isEmpty() ? job.getState() : job.getState() + ": " + reason;
    }

    private static Meaning completed() {
        return new Meaning(SessionState.COMPLETED, null, null);
    }

    private static Meaning cancelled() {
        return new Meaning(SessionState.CANCELLED, "CANCELLED", null);
    }

    private static Meaning failed(Job job) {
        var how =
                job.getExitSignal() != 0
                        ? "signal " + job.getExitSignal()
                        : "exit status " + job.getExitCode();
        return new Meaning(
                SessionState.FAILED,
                reason(job).isEmpty() ? "NonZeroExitCode" : reason(job),
                "The session ended with %s; its output says more.".formatted(how));
    }

    private static Meaning lost(String because, Job job) {
        return new Meaning(SessionState.FAILED, job.getBaseState(), because);
    }

    private static boolean wasInterrupted(Job job) {
        var exit = job.getExitCode();
        return exit == INTERRUPTED || exit == KILLED || exit == TERMINATED;
    }

    private static String reason(Job job) {
        var word = job.getReason();
        return word.isEmpty() || word.equals("None") ? "" : word + job.getReasonDetail();
    }
}
