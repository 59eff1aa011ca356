package dev.spur.engine.state;

import dev.spur.model.notation.TimeLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the cluster made of a [JobSpec][dev.spur.model.JobSpec] when it admitted it.
///
/// @param partitions in the order in which they are shown: highest priority tier first
/// @param timeLimit with the partition's default filled in
/// @param timeMin the limit may be lowered to this to start earlier; missing: it may not
/// @param requeue whether it may run again after a failure that is not its own
public record JobTerms(
        Demand demand,
        List<String> partitions,
        TimeLimit timeLimit,
        @Nullable TimeLimit timeMin,
        boolean requeue) {
    public JobTerms {
        partitions = List.copyOf(partitions);
    }

    JobTerms withTimeLimit(TimeLimit limit) {
        return new JobTerms(demand, partitions, limit, timeMin, requeue);
    }

    JobTerms withRequeue(boolean allowed) {
        return new JobTerms(demand, partitions, timeLimit, timeMin, allowed);
    }
}
