package dev.spur.controller.job;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.GetPlanReply;
import dev.spur.api.v1.GetPlanRequest;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.PlannedJob;
import dev.spur.controller.access.Caller;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.scheduling.QueueOrder;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// The plan, as far as its reader may see it: in the order of the queue, and behind it those that
/// something keeps out.
public final class PlanListing {
    private static final int CHUNK = 500;

    private final ReplicatedState state;
    private final Visibility visibility;
    private final InstantSource clock;
    private final Plan plan;
    private final QueueOrder order;

    public PlanListing(
            ReplicatedState state,
            Visibility visibility,
            InstantSource clock,
            Plan plan,
            QueueOrder order) {
        this.state = state;
        this.visibility = visibility;
        this.clock = clock;
        this.plan = plan;
        this.order = order;
    }

    /// At least one reply.
    public void list(GetPlanRequest request, Caller.Person caller, Consumer<GetPlanReply> replies) {
        var query =
                JobQuery.of(
                        ListJobsRequest.newBuilder()
                                .addAllIds(request.getIdsList())
                                .addAllUsers(request.getUsersList())
                                .addAllPartitions(request.getPartitionsList())
                                .addStates("PENDING")
                                .build());
        var now = clock.instant();
        var places = order.at(now);
        var view = new PlanView(plan);
        var chunk = new ArrayList<PlannedJob>();
        for (var job : inOrder(places.jobs())) {
            if (!query.matches(job) || visibility.of(job, caller) == Visibility.Sight.NOTHING) {
                continue;
            }
            chunk.add(view.of(job, places.of(job)).build());
            if (chunk.size() == CHUNK) {
                replies.accept(reply(chunk, InstantMapper.toMicros(now)));
                chunk.clear();
            }
        }
        replies.accept(reply(chunk, InstantMapper.toMicros(now)));
    }

    /// As they are now, although their places are a moment old.
    private List<Job> inOrder(List<Job> queue) {
        var snapshot = state.snapshot();
        var jobs = new ArrayList<Job>();
        for (var queued : queue) {
            snapshot.job(queued.id()).filter(Job::isPending).ifPresent(jobs::add);
        }
        for (var job : snapshot.jobs()) {
            if (job.isPending() && job.queueing().eligibleAt() == null) {
                jobs.add(job);
            }
        }
        return jobs;
    }

    private static GetPlanReply reply(List<PlannedJob> jobs, long now) {
        return GetPlanReply.newBuilder().addAllJobs(jobs).setNowMicros(now).build();
    }
}
