package dev.spur.engine.rules;

import dev.spur.engine.job.Job;
import dev.spur.engine.state.Command;
import dev.spur.model.BlobRef;
import dev.spur.model.JobSpec;
import dev.spur.model.ResourceRequest;
import dev.spur.model.notation.Text;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How much of the controller each user's jobs hold, so that nobody can fill it for the others.
/// Follows from the jobs alone.
final class Holdings {
    /// Of `max_job_count`, for one user.
    private static final int PART = 10;

    /// What one user may have in a cluster of any size.
    private static final int ALWAYS = 1_000;

    private static final long MIB = 1L << 20;
    private static final long MOST_TEXT = 64 * MIB;
    private static final long MOST_FILES = 1024 * MIB;

    /// The texts of a job as most are; they are counted by `max_job_count`.
    private static final long PLAIN_JOB = 1_024;

    /// A text, or a place in a list.
    private static final int OBJECT = 56;

    /// Each `:1234567` of a dependency becomes an object and an entry in the index of those who
    /// wait.
    private static final int DEPENDENCY = 12;

    /// @param open jobs that have not ended
    /// @param text bytes that their descriptions take, ended or not
    /// @param files bytes of scripts and environments on disk
    private record Holding(int open, long text, long files) {
        static final Holding NONE = new Holding(0, 0, 0);

        static Holding of(Job job) {
            return new Holding(
                    job.isEnded() ? 0 : 1,
                    weight(job.spec()),
                    bytes(job.script(), job.environment()));
        }

        static Holding of(Command.SubmitJob command) {
            return new Holding(
                    1, weight(command.spec()), bytes(command.script(), command.environment()));
        }

        Holding plus(Holding more, int sign) {
            return new Holding(
                    open + sign * more.open, text + sign * more.text, files + sign * more.files);
        }
    }

    private final Map<Integer, Holding> byUser = new HashMap<>();

    void replace(@Nullable Job before, @Nullable Job after) {
        if (before != null && after != null && isHeldAlike(before, after)) {
            return;
        }
        add(before, -1);
        add(after, 1);
    }

    private static boolean isHeldAlike(Job before, Job after) {
        return before.spec() == after.spec() && before.isEnded() == after.isEnded();
    }

    private void add(@Nullable Job job, int sign) {
        if (job != null) {
            var holding = of(job.spec().owner().uid()).plus(Holding.of(job), sign);
            if (holding.equals(Holding.NONE)) {
                byUser.remove(job.spec().owner().uid());
            } else {
                byUser.put(job.spec().owner().uid(), holding);
            }
        }
    }

    /// Why its owner may not have this job beside the others; null if he may.
    @Nullable String obstacle(Command.SubmitJob command, int maxJobCount) {
        var holding = of(command.spec().owner().uid()).plus(Holding.of(command), 1);
        var mostJobs = Math.max(ALWAYS, maxJobCount / PART);
        if (holding.open > mostJobs) {
            return Text.of(
                    "you have %d jobs that wait or run, the most for one user. Wait until some have ended, or make them one array",
                    mostJobs);
        }
        if (holding.text > MOST_TEXT) {
            return Text.of(
                    "the descriptions of your jobs (arguments, dependencies, node lists) take %d MiB, the most for one user. Wait until some have ended, or put the arguments into files",
                    MOST_TEXT / MIB);
        }
        if (holding.files > MOST_FILES) {
            return Text.of(
                    "the scripts and environments of your jobs take %d MiB, the most for one user. Wait until some have ended, or keep data in files of your own",
                    MOST_FILES / MIB);
        }
        return null;
    }

    /// Why its owner may not have the job as it would be now; null if he may.
    @Nullable String obstacle(JobSpec before, JobSpec after) {
        var more = weight(after) - weight(before);
        return more > 0 && of(after.owner().uid()).text + more > MOST_TEXT
                ? Text.of(
                        "the descriptions of your jobs would take more than %d MiB, the most for one user",
                        MOST_TEXT / MIB)
                : null;
    }

    private Holding of(int uid) {
        return byUser.getOrDefault(uid, Holding.NONE);
    }

    private static long bytes(@Nullable BlobRef script, @Nullable BlobRef environment) {
        return (script == null ? 0 : script.length())
                + (environment == null ? 0 : environment.length());
    }

    /// Of what may be long.
    private static long weight(JobSpec spec) {
        var launch = spec.launch();
        var weight =
                spec.array().length()
                        + (long) DEPENDENCY * spec.dependency().length()
                        + sum(launch.scriptArgs())
                        + launch.exportEnv().length()
                        + launch.workDir().length()
                        + launch.stdOut().length()
                        + launch.stdErr().length()
                        + launch.stdIn().length()
                        + launch.command().length()
                        + launch.submitDir().length()
                        + launch.submitLine().length()
                        + spec.notes().comment().length()
                        + sum(spec.partitions())
                        + (long) Integer.BYTES * spec.owner().groups().size();
        for (var request : spec.components()) {
            weight += weight(request);
        }
        return Math.max(0, weight - PLAIN_JOB);
    }

    /// A list of hosts is kept as written and as names.
    private static long weight(ResourceRequest request) {
        return 2L * (request.nodeList().length() + request.exclude().length())
                + request.cpuBind().length()
                + request.memBind().length();
    }

    private static long sum(List<String> texts) {
        var sum = 0L;
        for (var text : texts) {
            sum += OBJECT + text.length();
        }
        return sum;
    }
}
