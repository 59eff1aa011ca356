package dev.spur.engine.job;

import dev.spur.model.JobState;
import dev.spur.model.NodeShare;
import dev.spur.model.Outcome;
import dev.spur.model.Placement;
import dev.spur.model.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where a job is in its life, with what only exists there.
///
/// ```
///             start              end, cancel, time limit          last node clean
///  Pending ──────────> Running ───────────────────────> Completing ─────────────> Ended
///     ^  │              │   ^                               │
///     │  └ cancel       v   │ resume                        │ requeue: attempt + 1
///     │    > Ended     Suspended                            │
///     └─────────────────────────────────────────────────────┘
/// ```
public sealed interface JobPhase {
    /// It waits.
    ///
    /// @param reason what keeps it out of the queue; `None` if it is in the queue, where the
    ///   scheduler's plan knows more
    record Pending(Reason reason) implements JobPhase {}

    /// It has its nodes.
    ///
    /// @param deadline when the time limit ends it; missing: never
    /// @param suspended for how long it has not run since it started
    record Running(
            Placement placement, Instant since, @Nullable Instant deadline, Duration suspended)
            implements JobPhase {}

    /// Its processes stand still, and so does its time limit. Memory and devices stay with it.
    ///
    /// @param cpusFree whether others may have its CPUs meanwhile
    record Suspended(
            Placement placement,
            Instant since,
            @Nullable Instant deadline,
            Duration suspended,
            Instant at,
            boolean cpusFree)
            implements JobPhase {}

    /// It is over, its nodes are being cleaned.
    record Completing(
            Placement placement,
            Instant since,
            Duration suspended,
            Instant endedAt,
            Outcome outcome,
            AfterCompletion next,
            Cleaning cleaning)
            implements JobPhase {
        public List<String> remaining() {
            return cleaning.remaining();
        }

        public boolean overdue() {
            return cleaning.overdue();
        }

        public Completing withRemaining(List<String> left) {
            return with(
                    new Cleaning(left, cleaning.overdue, cleaning.toldAgainAt, cleaning.cpusFree));
        }

        public Completing withEnd(Outcome other, AfterCompletion then) {
            return new Completing(placement, since, suspended, endedAt, other, then, cleaning);
        }

        /// Its nodes have as long again.
        public Completing toldAgain(boolean isOverdue, Instant at) {
            return with(new Cleaning(cleaning.remaining, isOverdue, at, cleaning.cpusFree));
        }

        /// When its nodes heard last that they should end it.
        public Instant toldAt() {
            return cleaning.toldAgainAt == null ? endedAt : cleaning.toldAgainAt;
        }

        private Completing with(Cleaning other) {
            return new Completing(placement, since, suspended, endedAt, outcome, next, other);
        }
    }

    /// How far the nodes of a job that is over have come.
    ///
    /// @param remaining nodes that have not yet said that nothing of the job is left
    /// @param overdue its nodes were told again, because they took too long
    /// @param toldAgainAt when; missing: not yet
    /// @param cpusFree it was suspended, and its CPUs were given back then
    record Cleaning(
            List<String> remaining,
            boolean overdue,
            @Nullable Instant toldAgainAt,
            boolean cpusFree) {
        public Cleaning {
            remaining = List.copyOf(remaining);
        }

        /// They have just been told.
        public static Cleaning of(List<String> remaining, boolean cpusFree) {
            return new Cleaning(remaining, false, null, cpusFree);
        }
    }

    /// It is over and has nothing any more.
    ///
    /// @param placement missing if it never started
    /// @param settledAt when its last node was clean; it is known for MinJobAge from then on
    record Ended(
            Outcome outcome,
            @Nullable Placement placement,
            @Nullable Instant since,
            Instant endedAt,
            Duration suspended,
            Instant settledAt)
            implements JobPhase {}

    /// What follows when the nodes are clean.
    enum AfterCompletion {
        END,
        REQUEUE,
        REQUEUE_HELD,
        REQUEUE_SPECIAL_EXIT;

        /// What holds the job when it waits again. A hold that it has stays.
        public Hold holdOf(Job job) {
            var hold = job.queueing().hold();
            return switch (this) {
                case END, REQUEUE -> hold;
                case REQUEUE_HELD -> hold == Hold.NONE ? Hold.USER : hold;
                case REQUEUE_SPECIAL_EXIT -> hold.orIfFree(Hold.SPECIAL_EXIT);
            };
        }
    }

    /// The word that `squeue` shows.
    default JobState state() {
        return switch (this) {
            case Pending _ -> JobState.PENDING;
            case Running _ -> JobState.RUNNING;
            case Suspended _ -> JobState.SUSPENDED;
            case Completing _ -> JobState.COMPLETING;
            case Ended ended -> ended.outcome.state();
        };
    }

    /// The state below the flags: of a completing job, what it will have been.
    default JobState baseState() {
        return this instanceof Completing completing
                ? completing.next == AfterCompletion.END
                        ? completing.outcome.state()
                        : JobState.PENDING
                : state();
    }

    /// Where the job runs or ran; missing if it never started.
    default @Nullable Placement placementOrNull() {
        return switch (this) {
            case Pending _ -> null;
            case Running running -> running.placement;
            case Suspended suspended -> suspended.placement;
            case Completing completing -> completing.placement;
            case Ended ended -> ended.placement;
        };
    }

    /// What of its nodes is counted as its own; of a completing job also what was given back.
    default List<NodeShare> holdings() {
        return switch (this) {
            case Pending _, Ended _ -> List.of();
            case Running running -> running.placement.nodes();
            case Suspended suspended -> kept(suspended.placement, suspended.cpusFree);
            case Completing completing -> kept(completing.placement, completing.cleaning.cpusFree);
        };
    }

    private static List<NodeShare> kept(Placement placement, boolean cpusFree) {
        return cpusFree
                ? placement.nodes().stream().map(NodeShare::withoutCpus).toList()
                : placement.nodes();
    }

    /// When this attempt started; missing if it has not.
    default @Nullable Instant startedAt() {
        return switch (this) {
            case Pending _ -> null;
            case Running running -> running.since;
            case Suspended suspended -> suspended.since;
            case Completing completing -> completing.since;
            case Ended ended -> ended.since;
        };
    }

    /// When this attempt ended; missing if it has not.
    default @Nullable Instant endedAtOrNull() {
        return switch (this) {
            case Pending _, Running _, Suspended _ -> null;
            case Completing completing -> completing.endedAt;
            case Ended ended -> ended.endedAt;
        };
    }
}
