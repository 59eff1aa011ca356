package dev.spur.agent.step;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/// Runs of jobs of which nothing begins on this node any more: their script has ended here, or the
/// controller has ended them. They are remembered for a while, since a launch may arrive late, by
/// whatever way.
final class EndedJobs {
    private static final int MOST = 10_000;

    private final IntPredicate isHere;

    /// The last ended run of each job, the job that ended first in front.
    private final Map<Integer, Integer> attempts = new LinkedHashMap<>();

    /// @param isHere whether a job, by its number, still has a step here: it is never forgotten,
    ///   for the end of its last step has to say that nothing is left
    EndedJobs(IntPredicate isHere) {
        this.isHere = isHere;
    }

    void add(JobAttempt ended) {
        attempts.merge(ended.job(), ended.attempt(), Math::max);
        if (attempts.size() > MOST) {
            forgetOne();
        }
    }

    private void forgetOne() {
        for (var jobs = attempts.keySet().iterator(); jobs.hasNext(); ) {
            if (!isHere.test(jobs.next())) {
                jobs.remove();
                return;
            }
        }
    }

    boolean contains(JobAttempt attempt) {
        var ended = attempts.get(attempt.job());
        return ended != null && ended >= attempt.attempt();
    }
}
