package dev.spur.engine.rules;

import dev.spur.engine.array.ArrayTasks;
import dev.spur.engine.job.Job;
import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.Outcome;
import dev.spur.model.notation.ArraySpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Job arrays: one record stands for all waiting tasks. A task gets a record and an id of its own
/// when it starts, or when somebody speaks of it alone; the last one keeps the record it came from.
final class JobArrays {
    private final Tables tables;

    JobArrays(Tables tables) {
        this.tables = tables;
    }

    /// The record of the lowest waiting task, which is about to start; of other jobs, the job.
    Job takeNextTask(Job job) {
        var array = job.array();
        return array == null || array.split()
                ? job
                : split(job, ArraySpec.of(array.tasks().min(), array.tasks().min()), true);
    }

    /// Takes tasks out of a waiting record into one of their own.
    ///
    /// @param alone whether the new record stands for its one task
    Job split(Job job, ArraySpec tasks, boolean alone) {
        var array = job.array();
        if (array == null || array.split()) {
            return job;
        }
        var taken =
                new ArrayTasks(array.array(), tasks.withThrottle(array.tasks().throttle()), alone);
        if (tasks.count() == array.tasks().count()) {
            var whole = job.withArray(taken);
            tables.divide(whole);
            return whole;
        }
        tables.divide(
                job.withArray(new ArrayTasks(array.array(), minus(array.tasks(), tasks), false)));
        var part = job.withId(tables.newJobId()).withArray(taken);
        tables.divide(part);
        var ledger = tables.ledgerOf(job);
        tables.put(ledger.withRecords(ledger.records() + 1));
        return part;
    }

    void started(Job job) {
        if (job.array() != null) {
            var ledger = tables.ledgerOf(job).withActive(1);
            tables.put(job.attempts().current() == 0 ? ledger.withStarted(1) : ledger);
        }
    }

    /// It has its nodes no longer for itself.
    void left(Job job) {
        if (job.array() != null) {
            tables.put(tables.ledgerOf(job).withActive(-1));
        }
    }

    void ended(Job job, Outcome outcome) {
        var array = job.array();
        if (array == null) {
            return;
        }
        var ledger = tables.ledgerOf(job);
        if (job.phase().startedAt() == null && job.attempts().current() == 0) {
            ledger = ledger.withStarted(array.tasks().count());
        }
        tables.put(
                outcome.isSuccess()
                        ? ledger.withEnded(1, IndexSet.EMPTY, 0)
                        : ledger.withEnded(0, bits(array.tasks()), outcome.exit().code()));
    }

    /// A task that had ended waits again.
    void revived(Job job, Outcome outcome) {
        var array = job.array();
        if (array == null) {
            return;
        }
        var ledger = tables.ledgerOf(job);
        tables.put(
                outcome.isSuccess()
                        ? ledger.withEnded(-1, IndexSet.EMPTY, 0)
                        : ledger.withoutFailed(bits(array.tasks())));
    }

    /// The records that a selector means, split so that each holds no other task. Empty if there is
    /// none.
    List<Job> select(JobSelector selector) {
        var tasks = selector.tasks();
        if (tasks == null) {
            var whole = tables.index.ofArray(selector.job());
            return whole.isEmpty() ? tables.job(selector.job()).stream().toList() : whole;
        }
        var chosen = new ArrayList<Job>();
        for (var job : candidates(selector.job(), tasks)) {
            var array = job.array();
            var meant = array == null ? null : common(array.tasks(), tasks);
            if (array == null || meant == null) {
                continue;
            }
            chosen.add(
                    array.split() || meant.count() == array.tasks().count()
                            ? job
                            : split(job, meant, meant.count() == 1));
        }
        return chosen;
    }

    /// Records among which these tasks are. Thousands may be named one by one.
    private List<Job> candidates(JobId array, ArraySpec tasks) {
        if (tasks.count() > 1) {
            return tables.index.ofArray(array);
        }
        var only = tables.index.task(array, tasks.min());
        return only == null ? List.of() : List.of(only);
    }

    /// Tasks of the array that have not ended.
    BitSet undecided(JobId array) {
        var tasks = new BitSet();
        for (var job : tables.index.ofArray(array)) {
            if (job.array() != null && !job.isEnded()) {
                job.array().tasks().indices().forEach(tasks::set);
            }
        }
        return tasks;
    }

    private static @Nullable ArraySpec common(ArraySpec some, ArraySpec others) {
        if (some.count() == 1) {
            return others.contains(some.min()) ? some : null;
        }
        var both = bits(some).intersect(bits(others));
        return both.isEmpty() ? null : spec(both);
    }

    private static ArraySpec minus(ArraySpec tasks, ArraySpec taken) {
        if (taken.count() == 1) {
            return tasks.without(taken.min());
        }
        return spec(bits(tasks).minus(bits(taken))).withThrottle(tasks.throttle());
    }

    private static IndexSet bits(ArraySpec tasks) {
        var bits = new BitSet();
        tasks.indices().forEach(bits::set);
        return IndexSet.of(bits);
    }

    private static ArraySpec spec(IndexSet indices) {
        return ArraySpec.parse(indices.toString());
    }
}
