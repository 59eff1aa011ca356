package dev.spur.model;

import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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

    /// A copy that differs in what `change` sets.
    public JobSpec with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.done();
    }

    /// A copy whose first component differs.
    public JobSpec withRequest(Consumer<ResourceRequest.Draft> change) {
        var changed = new ArrayList<>(components);
        changed.set(0, request().with(change));
        return with(spec -> spec.components = changed);
    }

    /// A copy that is launched differently.
    public JobSpec withLaunch(Consumer<LaunchSpec.Draft> change) {
        return with(spec -> spec.launch = launch.with(change));
    }

    /// A spec that is being changed.
    public static final class Draft {
        public String name;
        public JobKind kind;
        public Owner owner;
        public List<String> partitions;
        public String account;
        public String qos;
        public List<ResourceRequest> components;
        public @Nullable TimeLimit timeLimit;
        public @Nullable TimeLimit timeMin;
        public String array;
        public String dependency;
        public @Nullable Instant begin;
        public @Nullable Instant deadline;
        public int nice;
        public @Nullable Long priority;
        public boolean hold;
        public @Nullable Boolean requeue;
        public String reservation;
        public List<String> licenses;
        public String signal;
        public boolean killOnInvalidDependency;
        public boolean noKill;
        public boolean waitAllNodes;
        public boolean spread;
        public int delayBootSeconds;
        public int coreSpec;
        public LaunchSpec launch;
        public JobNotes notes;

        private Draft(JobSpec from) {
            name = from.name;
            kind = from.kind;
            owner = from.owner;
            partitions = from.partitions;
            account = from.account;
            qos = from.qos;
            components = from.components;
            timeLimit = from.timeLimit;
            timeMin = from.timeMin;
            array = from.array;
            dependency = from.dependency;
            begin = from.begin;
            deadline = from.deadline;
            nice = from.nice;
            priority = from.priority;
            hold = from.hold;
            requeue = from.requeue;
            reservation = from.reservation;
            licenses = from.licenses;
            signal = from.signal;
            killOnInvalidDependency = from.killOnInvalidDependency;
            noKill = from.noKill;
            waitAllNodes = from.waitAllNodes;
            spread = from.spread;
            delayBootSeconds = from.delayBootSeconds;
            coreSpec = from.coreSpec;
            launch = from.launch;
            notes = from.notes;
        }

        private JobSpec done() {
            return new JobSpec(
                    name,
                    kind,
                    owner,
                    partitions,
                    account,
                    qos,
                    components,
                    timeLimit,
                    timeMin,
                    array,
                    dependency,
                    begin,
                    deadline,
                    nice,
                    priority,
                    hold,
                    requeue,
                    reservation,
                    licenses,
                    signal,
                    killOnInvalidDependency,
                    noKill,
                    waitAllNodes,
                    spread,
                    delayBootSeconds,
                    coreSpec,
                    launch,
                    notes);
        }
    }
}
