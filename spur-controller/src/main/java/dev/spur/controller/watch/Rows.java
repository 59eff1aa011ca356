package dev.spur.controller.watch;

import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.WatchReply;
import dev.spur.controller.access.Caller;
import dev.spur.controller.job.JobView;
import dev.spur.controller.job.PlanView;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.node.NodeListing;
import dev.spur.controller.partition.PartitionListing;
import dev.spur.controller.scheduling.Plan;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.state.Snapshot;
import java.time.InstantSource;
import java.util.function.IntFunction;

/// What watchers are shown of jobs, nodes, partitions and the plan: as listings show it.
public final class Rows {
    private final Visibility visibility;
    private final InstantSource clock;
    private final IntFunction<String> groupNames;
    private final Plan plan;
    private final NodeListing nodes;

    public Rows(
            Visibility visibility,
            InstantSource clock,
            IntFunction<String> groupNames,
            Plan plan,
            NodeListing nodes) {
        this.visibility = visibility;
        this.clock = clock;
        this.groupNames = groupNames;
        this.plan = plan;
        this.nodes = nodes;
    }

    boolean sees(Caller.Person caller, Job job) {
        return visibility.of(job, caller) != Visibility.Sight.NOTHING;
    }

    /// Whether there are no jobs that this caller does not see.
    boolean seesAll(Caller.Person caller) {
        return visibility.seesAll(caller);
    }

    void addJob(
            WatchReply.Builder reply,
            Job job,
            Caller.Person caller,
            boolean isFull,
            Snapshot snapshot) {
        var detail = isFull ? JobDetail.JOB_DETAIL_FULL : JobDetail.JOB_DETAIL_LISTING;
        reply.addJobs(
                new JobView(snapshot, clock.instant(), detail, groupNames, plan)
                        .of(job, visibility.of(job, caller)));
    }

    void addPlan(WatchReply.Builder reply, Job job) {
        reply.addPlan(new PlanView(plan).of(job, 0));
    }

    void addNode(WatchReply.Builder reply, Node node, Snapshot snapshot) {
        reply.addNodes(nodes.view(node, snapshot));
    }

    void addPartitions(WatchReply.Builder reply, Snapshot snapshot) {
        for (var partition : snapshot.partitions()) {
            reply.addPartitions(PartitionListing.view(partition, snapshot));
        }
    }
}
