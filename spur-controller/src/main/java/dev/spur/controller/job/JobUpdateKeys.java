package dev.spur.controller.job;

import dev.spur.api.map.ResourceRequestMapper;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.model.ErrorCode;
import dev.spur.model.MemoryRequest;
import dev.spur.model.SpurException;
import dev.spur.model.notation.BeginTime;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.NodeCount;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The keys of `scontrol update job`, in any case, and what they change.
final class JobUpdateKeys {
    private JobUpdateKeys() {}

    /// @param job the one that is changed, if it is one: for relative time limits
    static List<JobChange> parse(Map<String, String> keys, Optional<Job> job, Instant now) {
        var changes = new ArrayList<JobChange>();
        keys.forEach((key, value) -> changes.add(parse(key, value, job, now)));
        return changes;
    }

    private static JobChange parse(String key, String value, Optional<Job> job, Instant now) {
        return switch (key.toLowerCase(Locale.ROOT)) {
            case "timelimit" -> new JobChange.SetTimeLimit(timeLimit(value, job));
            case "jobname", "name" -> new JobChange.SetName(value);
            case "partition" ->
                    new JobChange.SetPartitions(
                            Arrays.stream(value.split(",")).distinct().toList());
            case "priority" -> new JobChange.SetPriority(number(key, value, 0, 0xffff_fffdL));
            case "nice" ->
                    new JobChange.SetNice(
                            value.isEmpty()
                                    ? 100
                                    : (int) number(key, value, -2_147_483_645, 2_147_483_645));
            case "starttime", "eligibletime" -> new JobChange.SetBegin(instant(value, now));
            case "deadline" -> new JobChange.SetDeadline(instant(value, now));
            case "dependency" -> new JobChange.SetDependency(value);
            case "comment" -> new JobChange.SetComment(value);
            case "admincomment" -> new JobChange.SetAdminComment(value);
            case "account" -> new JobChange.SetAccount(value);
            case "qos" -> new JobChange.SetQos(value);
            case "requeue" -> new JobChange.SetRequeue(number(key, value, 0, 1) == 1);
            case "numnodes", "reqnodes", "minnodes" -> {
                var count = NodeCount.parse(value);
                yield new JobChange.SetNodes(count.least(), count.most());
            }
            case "numcpus", "reqcpus", "reqprocs" ->
                    new JobChange.SetCpus((int) number(key, value, 1, 10_000_000));
            case "numtasks" -> new JobChange.SetTasks((int) number(key, value, 1, 10_000_000));
            case "cpuspertask", "cpus/task" ->
                    new JobChange.SetCpusPerTask((int) number(key, value, 1, 100_000));
            case "minmemorynode" ->
                    new JobChange.SetMemory(
                            ResourceRequestMapper.perNode(MemorySize.parse(value).mebibytes()));
            case "minmemorycpu" ->
                    new JobChange.SetMemory(
                            new MemoryRequest.PerCpu(MemorySize.parse(value).mebibytes()));
            case "features" -> new JobChange.SetConstraint(value);
            case "gres", "trespernode" ->
                    new JobChange.SetGresPerNode(GresRequest.parse(value).toString());
            case "reqnodelist", "nodelist" -> new JobChange.SetNodeList(value);
            case "excnodelist" -> new JobChange.SetExclude(value);
            case "arraytaskthrottle" ->
                    new JobChange.SetArrayThrottle((int) number(key, value, 0, 4_000_001));
            case "reservationname", "reservation" -> new JobChange.SetReservation(value);
            case "stdout" -> new JobChange.SetStdOut(value);
            case "stderr" -> new JobChange.SetStdErr(value);
            default ->
                    throw new SpurException(
                            ErrorCode.INVALID_REQUEST,
                            "Update of this parameter is not supported: %s=%s"
                                    .formatted(key, value));
        };
    }

    /// `30`, or relative to what the job has: `+30`, `-1:00:00`.
    private static TimeLimit timeLimit(String value, Optional<Job> job) {
        var sign =
                value.startsWith("+") ? 1 : value.startsWith("-") && !value.equals("-1") ? -1 : 0;
        if (sign == 0) {
            return TimeLimit.parse(value);
        }
        var current = job.map(known -> known.terms().timeLimit()).orElse(null);
        if (!(current instanceof TimeLimit.Limited(var has))
                || !(TimeLimit.parse(value.substring(1)) instanceof TimeLimit.Limited(var change))
                || has + sign * change <= 0) {
            throw new SpurException(
                    ErrorCode.INVALID_TIME_LIMIT, ErrorCode.INVALID_TIME_LIMIT.text());
        }
        return TimeLimit.ofMinutes(has + sign * change);
    }

    /// An instant as clients send it (they know their zone), or Slurm's notation in UTC.
    private static @Nullable Instant instant(String value, Instant now) {
        if (value.isEmpty() || value.equals("0")) {
            return null;
        }
        try {
            return Instant.parse(value);
        } catch (DateTimeParseException e) {
            return BeginTime.parse(value, now, ZoneOffset.UTC);
        }
    }

    private static long number(String key, String value, long least, long most) {
        try {
            var number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below: a wrong number and no number are the same mistake.
        }
        throw new SpurException(
                ErrorCode.INVALID_REQUEST,
                "%s must be a number from %d to %d, was \"%s\"".formatted(key, least, most, value));
    }
}
