package dev.spur.engine.rules;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.rules.JobUpdates.Refused;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.notation.DependencySpec;
import dev.spur.model.notation.NotationException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Who may change what of a job, and until when.
final class ChangeCheck {
    private ChangeCheck() {}

    /// Why not; null if it may be changed.
    ///
    /// @param priority that the job has now; asked only where it matters
    static @Nullable Refused refusal(
            Job job, JobChange change, Actor actor, LongSupplier priority) {
        var operator = actor.role().atLeast(Role.OPERATOR);
        return switch (change) {
            case JobChange.SetTimeLimit(var limit) ->
                    !operator && !job.isPending() && limit.compareTo(job.terms().timeLimit()) > 0
                            ? Refused.of(ErrorCode.ACCESS_DENIED)
                            : null;
            case JobChange.SetPriority(var other) ->
                    other == 0
                            ? null
                            : job.queueing().isHeld()
                                    ? Refused.of(ErrorCode.JOB_HELD)
                                    : !operator && other > priority.getAsLong()
                                            ? Refused.of(ErrorCode.PRIORITY_RESET)
                                            : null;
            case JobChange.SetNice(var nice) ->
                    !operator && nice < job.spec().nice()
                            ? Refused.of(ErrorCode.ACCESS_DENIED)
                            : null;
            case JobChange.SetAdminComment _ ->
                    operator ? null : Refused.of(ErrorCode.ACCESS_DENIED);
            case JobChange.SetDependency(var text) -> badDependency(job, text);
            case JobChange.SetName _,
                    JobChange.SetComment _,
                    JobChange.SetRequeue _,
                    JobChange.SetDeadline _ ->
                    null;
            case JobChange.SetArrayThrottle _ ->
                    job.array() == null ? Refused.of(ErrorCode.INVALID_ARRAY) : null;
            case JobChange.SetAccount _,
                    JobChange.SetQos _,
                    JobChange.SetPartitions _,
                    JobChange.SetBegin _,
                    JobChange.SetNodes _,
                    JobChange.SetTasks _,
                    JobChange.SetCpus _,
                    JobChange.SetCpusPerTask _,
                    JobChange.SetMemory _,
                    JobChange.SetConstraint _,
                    JobChange.SetGresPerNode _,
                    JobChange.SetNodeList _,
                    JobChange.SetExclude _,
                    JobChange.SetStdOut _,
                    JobChange.SetStdErr _,
                    JobChange.SetReservation _ ->
                    pendingOnly(job);
        };
    }

    private static @Nullable Refused pendingOnly(Job job) {
        return job.isPending() ? null : Refused.of(ErrorCode.JOB_NOT_PENDING);
    }

    private static @Nullable Refused badDependency(Job job, String text) {
        try {
            if (!text.isEmpty()) {
                DependencySpec.parse(text);
            }
            return pendingOnly(job);
        } catch (NotationException e) {
            return new Refused(ErrorCode.DEPENDENCY, String.valueOf(e.getMessage()));
        }
    }
}
