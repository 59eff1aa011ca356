package dev.spur.engine.state;

import dev.spur.model.JobState;
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
    /// @param reason why it waits, as far as known
    /// @param expectedStart by the scheduler's latest plan
    /// @param expectedNodes a hostlist, empty if unknown
    record Pending(Reason reason, @Nullable Instant expectedStart, String expectedNodes)
            implements JobPhase {
        static Pending because(Reason reason) {
            return new Pending(reason, null, "");
        }
    }

    /// It has its nodes.
    ///
    /// @param deadline when the time limit ends it; missing: never
    /// @param suspended for how long it has not run since it started
    record Running(
            Placement placement, Instant since, @Nullable Instant deadline, Duration suspended)
            implements JobPhase {}

    record Suspended(
            Placement placement,
            Instant since,
            @Nullable Instant deadline,
            Duration suspended,
            Instant at)
            implements JobPhase {}

    /// It is over, its nodes are being cleaned.
    ///
    /// @param remaining nodes that have not yet said that nothing of the job is left
    /// @param overdue its nodes were told again, because they took too long
    /// @param toldAgainAt when; missing: not yet
    record Completing(
            Placement placement,
            Instant since,
            Instant endedAt,
            Outcome outcome,
            AfterCompletion next,
            List<String> remaining,
            Duration suspended,
            boolean overdue,
            @Nullable Instant toldAgainAt)
            implements JobPhase {
        public Completing {
            remaining = List.copyOf(remaining);
        }

        Completing withRemaining(List<String> left) {
            return new Completing(
                    placement,
                    since,
                    endedAt,
                    outcome,
                    next,
                    left,
                    suspended,
                    overdue,
                    toldAgainAt);
        }

        Completing withEnd(Outcome other, AfterCompletion then) {
            return new Completing(
                    placement,
                    since,
                    endedAt,
                    other,
                    then,
                    remaining,
                    suspended,
                    overdue,
                    toldAgainAt);
        }

        /// Its nodes have as long again.
        Completing toldAgain(boolean isOverdue, Instant at) {
            return new Completing(
                    placement, since, endedAt, outcome, next, remaining, suspended, isOverdue, at);
        }

        /// When its nodes heard last that they should end it.
        Instant toldAt() {
            return toldAgainAt == null ? endedAt : toldAgainAt;
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
        REQUEUE_HELD
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
