package dev.spur.controller.reach;

import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.job.Visibility;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.SpurException;

/// Finds the one job that somebody names.
final class ReachedJobs {
    private ReachedJobs() {}

    static Job find(
            JobSelector named, Snapshot snapshot, Visibility visibility, Caller.Person caller) {
        var tasks = named.tasks();
        if (tasks != null && tasks.count() != 1) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST, "name one task, as in %s_1".formatted(named.job()));
        }
        var found =
                tasks == null
                        ? snapshot.job(named.job())
                        : snapshot.jobs().stream()
                                .filter(job -> isTask(job, named, tasks.min()))
                                .findFirst();
        return found.filter(job -> visibility.of(job, caller) != Visibility.Sight.NOTHING)
                .orElseThrow(() -> SpurErrors.of(ErrorCode.INVALID_JOB));
    }

    private static boolean isTask(Job job, JobSelector named, int task) {
        var array = job.array();
        return array != null && array.array().equals(named.job()) && array.tasks().contains(task);
    }
}
