package dev.spur.engine.array;

import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.notation.ArraySpec;

/// What became of the tasks of an array, kept as long as any of its records: dependencies on the
/// whole array and the throttle look here.
///
/// @param spec as submitted
/// @param records how many records of the array the state holds
/// @param active tasks that have nodes now
/// @param started tasks that ever got nodes or ended without
/// @param worst the highest exit code so far
public record ArrayLedger(
        JobId array,
        ArraySpec spec,
        int records,
        int active,
        int started,
        int succeeded,
        IndexSet failed,
        int worst) {

    public static ArrayLedger of(JobId array, ArraySpec spec) {
        return new ArrayLedger(array, spec, 1, 0, 0, 0, IndexSet.EMPTY, 0);
    }

    public boolean isEnded() {
        return succeeded + failed.size() >= spec.count();
    }

    public boolean allSucceeded() {
        return succeeded >= spec.count();
    }

    public ArrayLedger withRecords(int count) {
        return new ArrayLedger(array, spec, count, active, started, succeeded, failed, worst);
    }

    public ArrayLedger withStarted(int tasks) {
        return new ArrayLedger(
                array, spec, records, active, started + tasks, succeeded, failed, worst);
    }

    public ArrayLedger withActive(int change) {
        return new ArrayLedger(
                array, spec, records, active + change, started, succeeded, failed, worst);
    }

    public ArrayLedger withThrottle(ArraySpec changed) {
        return new ArrayLedger(array, changed, records, active, started, succeeded, failed, worst);
    }

    public ArrayLedger withEnded(int successes, IndexSet failures, int exitCode) {
        return new ArrayLedger(
                array,
                spec,
                records,
                active,
                started,
                succeeded + successes,
                failed.plus(failures),
                Math.max(worst, exitCode));
    }

    public ArrayLedger withoutFailed(IndexSet tasks) {
        return new ArrayLedger(
                array, spec, records, active, started, succeeded, failed.minus(tasks), worst);
    }
}
