package dev.spur.engine.explanation;

import dev.spur.engine.job.Job;
import dev.spur.model.Reason;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What there is to say about a job that waits. Jobs of others are in it: whoever hands it out
/// leaves out what its reader may not see. The sentence names nobody's job but this one's.
///
/// @param because the obstacle in plain words
/// @param start by the present plan; missing if it cannot be foreseen
/// @param nodes a hostlist; empty if they cannot be foreseen
/// @param place in the queue, 1 is looked at first; 0: it is not in it
/// @param queued how many jobs are in the queue
/// @param ahead jobs before it in the queue of its partitions, the one right before it first
/// @param holding jobs on nodes that it could use, the first to end first
/// @param isExhausted there was more to try than the bounds allowed
public record Explanation(
        Reason reason,
        String because,
        @Nullable Instant start,
        String nodes,
        int place,
        int queued,
        List<Job> ahead,
        List<Job> holding,
        List<Suggestion> suggestions,
        boolean isExhausted) {
    public Explanation {
        ahead = List.copyOf(ahead);
        holding = List.copyOf(holding);
        suggestions = List.copyOf(suggestions);
    }
}
