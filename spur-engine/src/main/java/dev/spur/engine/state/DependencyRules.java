package dev.spur.engine.state;

import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import dev.spur.model.Outcome;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.DependencySpec;
import dev.spur.model.notation.JobReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What keeps a pending job from being looked at: holds, dependencies, begin times. Whenever one of
/// these may have changed, the job is reconsidered; the scheduler then sees only those that may
/// start.
final class DependencyRules {
    private final Tables tables;
    private final JobArrays arrays;
    private @Nullable JobLifecycle lifecycle;

    DependencyRules(Tables tables, JobArrays arrays) {
        this.tables = tables;
        this.arrays = arrays;
    }

    void endsWith(JobLifecycle jobs) {
        lifecycle = jobs;
    }

    /// Reads `--dependency`; the text has been admitted before.
    Dependencies of(String text) {
        if (text.isEmpty()) {
            return Dependencies.NONE;
        }
        var spec = DependencySpec.parse(text);
        var open = spec.terms().stream().map(DependencyRules::of).toList();
        return new Dependencies(spec.join() == DependencySpec.Join.ANY, open);
    }

    private static Dependency of(DependencySpec.Term term) {
        return switch (term) {
            case DependencySpec.Singleton _ ->
                    new Dependency(Dependency.Kind.SINGLETON, null, -1, 0, null, false);
            case DependencySpec.OnJob(var type, var job, var delay) ->
                    new Dependency(
                            kind(type),
                            JobId.of(job.job()),
                            job instanceof JobReference.Task task ? task.index() : -1,
                            (int) delay.toMinutes(),
                            null,
                            false);
        };
    }

    private static Dependency.Kind kind(DependencySpec.Type type) {
        return switch (type) {
            case AFTER -> Dependency.Kind.AFTER;
            case AFTERANY, AFTERBURSTBUFFER -> Dependency.Kind.AFTERANY;
            case AFTEROK -> Dependency.Kind.AFTEROK;
            case AFTERNOTOK -> Dependency.Kind.AFTERNOTOK;
            case AFTERCORR -> Dependency.Kind.AFTERCORR;
        };
    }

    /// A job started or ended: those that wait for it, or for its name, are reconsidered.
    void changed(Job job) {
        tables.index.waitingFor(job.id()).forEach(waiter -> changed(job, waiter));
        var array = job.array();
        if (array != null && !array.array().equals(job.id())) {
            tables.index.waitingFor(array.array()).forEach(waiter -> changed(job, waiter));
        }
        if (job.isEnded()) {
            tables.index.singletonsLike(job).forEach(this::reconsider);
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
                new Queueing(queueing.priority(), queueing.hold(), left, notBefore, eligibleAt);
        var reason = reason(updated);
        var pending = (JobPhase.Pending) current.phase();
        if (updated.equals(queueing) && (free || pending.reason().equals(reason))) {
            return;
        }
        var changed =
                current.withQueueing(updated)
                        .with(free ? pending : new JobPhase.Pending(reason, notBefore, ""));
        if (free && isOurReason(pending.reason())) {
            changed = changed.with(JobPhase.Pending.because(Reason.NONE));
        }
        tables.put(changed);
        tables.tell(new Event.JobChanged(changed));
        if (left.isHopeless()
                && (current.spec().killOnInvalidDependency()
                        || tables.config.rules().killOnInvalidDependency())) {
            Objects.requireNonNull(lifecycle)
                    .end(
                            changed,
                            new Outcome(
                                    JobState.CANCELLED,
                                    ExitStatus.SUCCESS,
                                    Reason.of(PendingReason.DEPENDENCY_NEVER_SATISFIED),
                                    -1));
        }
    }

    /// Reasons that this class gives; all others are the scheduler's.
    private static boolean isOurReason(Reason reason) {
        return switch (reason.code()) {
            case HELD_BY_USER,
                    HELD_BY_ADMIN,
                    HELD_AFTER_REQUEUES,
                    LAUNCH_FAILED_HELD,
                    DEPENDENCY,
                    DEPENDENCY_NEVER_SATISFIED,
                    BEGIN_TIME ->
                    true;
            default -> false;
        };
    }

    private Reason reason(Queueing queueing) {
        return Reason.of(
                switch (queueing.hold()) {
                    case USER -> PendingReason.HELD_BY_USER;
                    case ADMIN -> PendingReason.HELD_BY_ADMIN;
                    case REQUEUES -> PendingReason.HELD_AFTER_REQUEUES;
                    case LAUNCH -> PendingReason.LAUNCH_FAILED_HELD;
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
                        : arrays.task(target, dependency.task());
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
            return dependency;
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
        var record = arrays.task(ledger.array(), task);
        return record == null || record.isEnded();
    }
}
