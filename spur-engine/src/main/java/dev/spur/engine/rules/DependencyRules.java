package dev.spur.engine.rules;

import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.dependency.Dependencies;
import dev.spur.engine.dependency.Dependency;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.job.Queueing;
import dev.spur.engine.state.Event;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import dev.spur.model.Outcome;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import dev.spur.model.notation.ArraySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// What keeps a pending job from being looked at: holds, dependencies, begin times. Whenever one of
/// these may have changed, the job is reconsidered; the scheduler then sees only those that may
/// start.
final class DependencyRules {
    private static final Outcome NEVER_SATISFIED =
            new Outcome(
                    JobState.CANCELLED,
                    ExitStatus.SUCCESS,
                    Reason.of(PendingReason.DEPENDENCY_NEVER_SATISFIED),
                    -1);

    private final Tables tables;
    private final JobArrays arrays;
    private final BiConsumer<Job, Outcome> end;
    private final Deque<JobId> doomed = new ArrayDeque<>();
    private boolean ending;

    /// @param end ends a job that waits for what will never be
    DependencyRules(Tables tables, JobArrays arrays, BiConsumer<Job, Outcome> end) {
        this.tables = tables;
        this.arrays = arrays;
        this.end = end;
    }

    /// A job started or ended: those that wait for it, or for its name, are reconsidered.
    void changed(Job job) {
        tables.index.waitingFor(job.id()).forEach(waiter -> changed(job, waiter));
        var array = job.array();
        if (array != null && !array.array().equals(job.id())) {
            tables.index.waitingFor(array.array()).forEach(waiter -> changed(job, waiter));
        }
        if (job.isEnded()) {
            leftName(job);
        }
    }

    /// A job of this name ended or is called otherwise now: one that waits to be the only one may
    /// be.
    void leftName(Job before) {
        var next = tables.index.nextSingletonLike(before);
        if (next != null) {
            reconsider(next);
        }
    }

    /// Of an array that waits task by task, only the counterparts are concerned.
    private void changed(Job job, Job waiter) {
        if (job.array() == null || waiter.array() == null || !waitsTaskByTask(waiter)) {
            reconsider(waiter);
        } else if (job.isEnded()) {
            job.array().tasks().indices().forEach(task -> reconsiderTask(waiter.id(), task));
        }
    }

    private static boolean waitsTaskByTask(Job waiter) {
        return waiter.queueing().dependencies().open().stream()
                .allMatch(dependency -> dependency.kind() == Dependency.Kind.AFTERCORR);
    }

    private void reconsiderTask(JobId record, int task) {
        var waiter = tables.jobs.get(record.value());
        var array = waiter == null ? null : waiter.array();
        if (waiter != null && array != null && array.tasks().contains(task)) {
            reconsider(arrays.split(waiter, ArraySpec.of(task, task), true));
        }
    }

    /// Brings a pending job's dependencies, eligibility and reason up to date.
    void reconsider(Job job) {
        var current = tables.jobs.get(job.id().value());
        if (current == null || !current.isPending()) {
            return;
        }
        var queueing = current.queueing();
        var left = evaluate(current, queueing.dependencies());
        if (tables.jobs.get(job.id().value()) != current) {
            // Tasks of it went their own way meanwhile.
            reconsider(Objects.requireNonNull(tables.jobs.get(job.id().value())));
            return;
        }
        var notBefore =
                queueing.notBefore() != null && queueing.notBefore().isAfter(tables.now)
                        ? queueing.notBefore()
                        : null;
        var free = left.isEmpty() && notBefore == null && !queueing.isHeld();
        var eligibleAt =
                !free ? null : queueing.eligibleAt() != null ? queueing.eligibleAt() : tables.now;
        var updated =
                new Queueing(queueing.standing(), queueing.hold(), left, notBefore, eligibleAt);
        var reason = reason(updated);
        var pending = (JobPhase.Pending) current.phase();
        if (updated.equals(queueing) && pending.reason().equals(reason)) {
            return;
        }
        var changed = current.withQueueing(updated).with(new JobPhase.Pending(reason));
        tables.put(changed, new Event.JobChanged(changed));
        if (isDoomed(changed)) {
            doomed.add(changed.id());
            endTheDoomed();
        }
    }

    private boolean isDoomed(Job job) {
        return job.isPending()
                && job.queueing().dependencies().isHopeless()
                && (job.spec().killOnInvalidDependency()
                        || tables.config.rules().killOnInvalidDependency());
    }

    /// One after the other, by the first who found one: the end of each may doom the next, and such
    /// a chain can be longer than any stack.
    private void endTheDoomed() {
        if (ending) {
            return;
        }
        ending = true;
        try {
            for (var id = doomed.poll(); id != null; id = doomed.poll()) {
                var job = tables.jobs.get(id.value());
                if (job != null && isDoomed(job)) {
                    end.accept(job, NEVER_SATISFIED);
                }
            }
        } finally {
            ending = false;
        }
    }

    /// Why it is not in the queue; `None` if it is.
    private Reason reason(Queueing queueing) {
        return Reason.of(
                switch (queueing.hold()) {
                    case USER, SPECIAL_EXIT -> PendingReason.HELD_BY_USER;
                    case ADMIN -> PendingReason.HELD_BY_ADMIN;
                    case REQUEUES -> PendingReason.HELD_AFTER_REQUEUES;
                    case LAUNCH -> PendingReason.LAUNCH_FAILED_HELD;
                    case RESERVATION -> PendingReason.RESERVATION_DELETED;
                    case NONE ->
                            queueing.dependencies().isHopeless()
                                    ? PendingReason.DEPENDENCY_NEVER_SATISFIED
                                    : !queueing.dependencies().isEmpty()
                                            ? PendingReason.DEPENDENCY
                                            : queueing.notBefore() != null
                                                    ? PendingReason.BEGIN_TIME
                                                    : PendingReason.NONE;
                });
    }

    private Dependencies evaluate(Job job, Dependencies dependencies) {
        if (dependencies.isEmpty()) {
            return dependencies;
        }
        var open = new ArrayList<Dependency>();
        for (var dependency : dependencies.open()) {
            var left = dependency.failed() ? dependency : evaluate(job, dependency);
            if (left != null) {
                open.add(left);
            } else if (dependencies.any()) {
                return Dependencies.NONE;
            }
        }
        return new Dependencies(dependencies.any(), open);
    }

    /// What is left of it; null if it is satisfied.
    private @Nullable Dependency evaluate(Job job, Dependency dependency) {
        var target = dependency.job();
        if (target == null) {
            return tables.index.isAlone(job) ? null : dependency;
        }
        if (dependency.kind() == Dependency.Kind.AFTERCORR && job.array() != null) {
            return correspond(job, dependency, target);
        }
        var ledger = dependency.task() < 0 ? tables.arrays.get(target.value()) : null;
        if (ledger != null) {
            return settle(
                    dependency,
                    ledger.started() >= ledger.spec().count() ? tables.now : null,
                    ledger.isEnded(),
                    ledger.allSucceeded());
        }
        var other =
                dependency.task() < 0
                        ? tables.jobs.get(target.value())
                        : tables.index.task(target, dependency.task());
        // A job that nobody knows any more has had its effect.
        return other == null
                ? null
                : settle(
                        dependency,
                        other.isEnded() ? tables.now : other.phase().startedAt(),
                        other.isEnded(),
                        other.phase() instanceof JobPhase.Ended ended
                                && ended.outcome().isSuccess());
    }

    private @Nullable Dependency settle(
            Dependency dependency, @Nullable Instant started, boolean ended, boolean succeeded) {
        return switch (dependency.kind()) {
            case AFTER -> afterStart(dependency, started, ended);
            case AFTERANY -> ended ? null : dependency;
            case AFTEROK, AFTERCORR ->
                    !ended ? dependency : succeeded ? null : dependency.asFailed();
            case AFTERNOTOK -> !ended ? dependency : succeeded ? dependency.asFailed() : null;
            case SINGLETON -> dependency;
        };
    }

    private @Nullable Dependency afterStart(
            Dependency dependency, @Nullable Instant started, boolean ended) {
        if (started == null) {
            // Not yet, or not any more: its time begins when it starts again.
            return dependency.withDueAt(null);
        }
        var due =
                dependency.dueAt() != null
                        ? dependency.dueAt()
                        : started.plus(Duration.ofMinutes(dependency.minutes()));
        return dependency.minutes() == 0
                        || ended && dependency.dueAt() == null
                        || !due.isAfter(tables.now)
                ? null
                : dependency.withDueAt(due);
    }

    /// Tasks whose counterparts are decided leave the record; what stays waits for those that are
    /// not.
    private @Nullable Dependency correspond(Job job, Dependency dependency, JobId target) {
        var ledger = tables.arrays.get(target.value());
        var array = Objects.requireNonNull(job.array());
        if (ledger == null) {
            return null;
        }
        if (array.tasks().count() == 1) {
            return correspond(dependency, ledger, array.tasks().min());
        }
        var undecided = arrays.undecided(target);
        var decided = array.tasks().indices().filter(task -> !undecided.get(task)).boxed().toList();
        for (var task : decided) {
            var current = Objects.requireNonNull(tables.jobs.get(job.id().value()));
            reconsider(arrays.split(current, ArraySpec.of(task, task), true));
        }
        return dependency;
    }

    private @Nullable Dependency correspond(Dependency dependency, ArrayLedger ledger, int task) {
        if (!isDecided(ledger, task)) {
            return dependency;
        }
        return ledger.failed().contains(task) ? dependency.asFailed() : null;
    }

    private boolean isDecided(ArrayLedger ledger, int task) {
        if (ledger.failed().contains(task) || !ledger.spec().contains(task)) {
            return true;
        }
        var record = tables.index.task(ledger.array(), task);
        return record == null || record.isEnded();
    }
}
