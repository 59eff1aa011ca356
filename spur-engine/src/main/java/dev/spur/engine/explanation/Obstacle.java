package dev.spur.engine.explanation;

import dev.spur.engine.demand.Demand;
import dev.spur.engine.job.Job;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.MemoryRequest;
import dev.spur.model.Reason;
import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.Text;
import java.util.ArrayList;
import java.util.List;

/// Slurm's word for why a job waits, as a sentence for people. It speaks of this job, of nodes,
/// partitions and limits, and of nobody else's jobs.
final class Obstacle {
    private final Snapshot cluster;
    private final Job job;
    private final Reason reason;

    Obstacle(Snapshot cluster, Job job, Reason reason) {
        this.cluster = cluster;
        this.job = job;
        this.reason = reason;
    }

    /// @param ahead jobs before it in the queue of its partitions
    /// @param suitable nodes that could run it or a part of it
    String inWords(int ahead, int suitable) {
        return switch (reason.code()) {
            case NONE ->
                    "The scheduler has not looked at it yet; it does so within a second or two.";
            case HELD_BY_USER ->
                    "It is held: it was submitted with --hold, or its owner holds it. It waits until it is released.";
            case HELD_BY_ADMIN ->
                    "An administrator holds it. Only an administrator or operator can release it.";
            case HELD_AFTER_REQUEUES ->
                    Text.of(
                            "It was launched %d times in vain and is held now. Look for the cause, then release it.",
                            job.attempts().launchFailures());
            case LAUNCH_FAILED_HELD ->
                    "A prolog failed when it was launched, so it is held. Somebody should look at the node, then release it.";
            case DEPENDENCY ->
                    Text.of("It waits for other jobs: %s.", job.queueing().dependencies());
            case DEPENDENCY_NEVER_SATISFIED ->
                    Text.of(
                            "What it waits for can never be: %s. Change its dependency or cancel it.",
                            job.queueing().dependencies());
            case BEGIN_TIME ->
                    job.attempts().launchFailures() > 0
                            ? "Its last launch failed; it is tried again after a pause."
                            : "Its begin time has not come.";
            case ARRAY_TASK_LIMIT ->
                    "As many tasks of its array run as its owner allows at once (% in --array).";
            case PARTITION_TIME_LIMIT ->
                    Text.of(
                            "Its time limit, %s, is longer than %s.",
                            job.terms().timeLimit().brief(), eachAllows());
            case PARTITION_NODE_LIMIT ->
                    Text.of(
                            "It asks for %s, which its partition (%s) does not allow.",
                            nodes(job.terms().demand()), partitionNames());
            case PARTITION_DOWN ->
                    Text.of("Its partition (%s) is down: it starts no jobs.", partitionNames());
            case PARTITION_INACTIVE ->
                    Text.of("Its partition (%s) is inactive: it starts no jobs.", partitionNames());
            case PARTITION_CONFIG ->
                    Text.of(
                            "Partition %s has no nodes with what it asks for: %s.",
                            partitionNames(), wish());
            case NODES_NOT_AVAILABLE -> notAvailable();
            case NODES_DOWN ->
                    Text.of(
                            "Too many of the nodes that have what it asks for (%s) are down or drained.",
                            wish());
            case BAD_CONSTRAINTS ->
                    "The nodes that it must have do not belong to its partition, or do not have what it asks for.";
            case RESOURCES ->
                    Text.of(
                            "What it asks for is not free: %s. %s could run it, and others use them.",
                            wish(), suitable == 1 ? "1 node" : suitable + " nodes");
            case PRIORITY ->
                    ahead == 0
                            ? "It waits for its turn: starting it now would delay jobs that come before it."
                            : Text.of(
                                    "%s before it in the queue, and starting it now would delay them or finds nothing free.",
                                    ahead == 1 ? "1 job comes" : ahead + " jobs come");
            case ASSOCIATION_LIMIT ->
                    Text.of(
                            "A limit of its account or user is reached: %s. It waits until jobs that count for it have ended.",
                            reason);
            case QOS_LIMIT ->
                    Text.of(
                            "A limit of its QOS%s is reached: %s.",
                            job.spec().qos().isEmpty() ? "" : " (" + job.spec().qos() + ")",
                            reason);
            case ACCOUNT_LIMIT ->
                    Text.of("A limit of its account within the QOS is reached: %s.", reason);
            case LICENSES -> "The licenses that it asks for are in use.";
            case RESERVATION -> inReservation();
            case RESERVATION_DELETED ->
                    "The reservation that it waited for is over, so it is held. Release it, and it runs outside.";
            case DEADLINE -> "It can no longer end before its deadline.";
            case CLEANING -> "Nodes of its last run are still being cleaned.";
            case PROLOG -> "A prolog prepares its nodes.";
            case INVALID_ACCOUNT ->
                    Text.of("Its account (%s) may not run jobs any more.", job.spec().account());
            case INVALID_QOS -> Text.of("It may not use its QOS (%s) any more.", job.spec().qos());
            case LAUNCH_FAILED,
                    NODE_DOWN,
                    TIME_LIMIT,
                    NON_ZERO_EXIT,
                    RAISED_SIGNAL,
                    OUT_OF_MEMORY,
                    SYSTEM_FAILURE,
                    INACTIVE_LIMIT ->
                    Text.of("Its last run ended with: %s.", reason);
        };
    }

    private String notAvailable() {
        if (reason.detail().endsWith("for maintenance")) {
            return "Nodes that it could use are reserved for maintenance before it would have ended.";
        }
        return reason.detail().endsWith("for other job")
                ? "Nodes that it could use are reserved for others before it would have ended."
                : Text.of(
                        "Nodes that it must have are down, drained or do not respond%s.",
                        reason.detail().replace(", UnavailableNodes:", ": "));
    }

    private String inReservation() {
        var names = job.terms().reservation();
        var own = cluster.reservations().find(names).orElse(null);
        if (own == null) {
            return Text.of("It waits for its reservation (%s).", names);
        }
        return own.isActive(cluster.now())
                ? Text.of(
                        "It would not end with its reservation (%s), at %s, or is larger than that. Give it a shorter limit.",
                        own.name(), own.end())
                : Text.of(
                        "Its reservation (%s) begins at %s and ends at %s.",
                        own.name(), own.start(), own.end());
    }

    private String partitionNames() {
        return String.join(",", job.terms().partitions());
    }

    private List<Partition> partitions() {
        return job.terms().partitions().stream()
                .flatMap(name -> cluster.partition(name).stream())
                .toList();
    }

    private String eachAllows() {
        var allowed = new ArrayList<String>();
        for (var partition : partitions()) {
            allowed.add(
                    Text.of(
                            "partition %s allows (%s)",
                            partition.name(), partition.spec().maxTime().brief()));
        }
        return String.join(" and ", allowed);
    }

    /// `2 nodes with 8 CPUs, 4 gpu and 16G each`
    private String wish() {
        var demand = job.terms().demand();
        var each = new ArrayList<String>();
        var cpus = (demand.cpus() + demand.minNodes() - 1) / Math.max(1, demand.minNodes());
        each.add(cpus == 1 ? "1 CPU" : cpus + " CPUs");
        demand.gresPerNode().forEach(gres -> each.add(device(gres)));
        switch (demand.memory()) {
            case MemoryRequest.Unspecified() -> {}
            case MemoryRequest.WholeNode() -> each.add("all memory");
            case MemoryRequest.PerNode(var size) -> each.add(new MemorySize(size) + " of memory");
            case MemoryRequest.PerCpu(var size) ->
                    each.add(new MemorySize(size) + " of memory per CPU");
            case MemoryRequest.PerGpu(var size) ->
                    each.add(new MemorySize(size) + " of memory per GPU");
        }
        var text =
                Text.of(
                        "%s with %s%s",
                        nodes(demand),
                        String.join(", ", each),
                        demand.minNodes() > 1 ? " each" : "");
        var of = new StringBuilder(text);
        demand.gresPerJob().forEach(gres -> of.append(", ").append(device(gres)).append(" in all"));
        demand.gresPerTask()
                .forEach(gres -> of.append(", ").append(device(gres)).append(" per task"));
        if (demand.exclusive()) {
            of.append(", for itself alone");
        }
        if (!demand.required().isEmpty()) {
            of.append(", among them ").append(String.join(",", demand.required()));
        }
        return of.toString();
    }

    private static String device(Demand.GresDemand gres) {
        return gres.count() + " " + gres.name() + (gres.type().isEmpty() ? "" : ":" + gres.type());
    }

    private static String nodes(Demand demand) {
        return demand.minNodes() == 1 ? "1 node" : demand.minNodes() + " nodes";
    }
}
