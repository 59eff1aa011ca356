package dev.spur.model;

import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a user asked for when submitting: never changed by the cluster, only by `scontrol update`.
/// Mirrors `JobSpec` of the wire contract.
///
/// @param partitions in the user's order; empty: the default partition
/// @param components what to allocate; more than one makes a heterogeneous job
/// @param timeLimit missing: the partition's default
/// @param array in the notation of `--array`, empty if this is no array
/// @param dependency in the notation of `--dependency`, empty if there is none
/// @param priority set by hand; missing: by submit order
/// @param requeue missing: the cluster's default
/// @param signal in the notation of `--signal`
public record JobSpec(
        String name,
        JobKind kind,
        Owner owner,
        List<String> partitions,
        String account,
        String qos,
        List<ResourceRequest> components,
        @Nullable TimeLimit timeLimit,
        @Nullable TimeLimit timeMin,
        String array,
        String dependency,
        @Nullable Instant begin,
        @Nullable Instant deadline,
        int nice,
        @Nullable Long priority,
        boolean hold,
        @Nullable Boolean requeue,
        String reservation,
        List<String> licenses,
        String signal,
        boolean killOnInvalidDependency,
        boolean noKill,
        boolean waitAllNodes,
        boolean spread,
        int delayBootSeconds,
        int coreSpec,
        LaunchSpec launch,
        JobNotes notes) {

    public JobSpec {
        partitions = List.copyOf(partitions);
        components = List.copyOf(components);
        licenses = List.copyOf(licenses);
    }

    /// The first component: the whole job unless it is heterogeneous.
    public ResourceRequest request() {
        return components.getFirst();
    }

    public boolean isBatch() {
        return kind == JobKind.BATCH;
    }
}
