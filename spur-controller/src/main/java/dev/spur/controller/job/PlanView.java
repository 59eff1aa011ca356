package dev.spur.controller.job;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.PlannedJob;
import dev.spur.controller.scheduling.Plan;
import dev.spur.engine.job.Job;

/// A waiting job as the plan has it.
public final class PlanView {
    private final Plan plan;

    public PlanView(Plan plan) {
        this.plan = plan;
    }

    /// @param place in the queue; 0: it has none, or it is not told
    public PlannedJob.Builder of(Job job, int place) {
        var reason = plan.reasonOf(job);
        var view =
                PlannedJob.newBuilder()
                        .setJobId(job.id().value())
                        .setReason(reason.word())
                        .setReasonDetail(reason.beside())
                        .setPlace(place)
                        .setEvaluatedMicros(InstantMapper.toMicros(plan.lookedAt(job)))
                        .setPartition(String.join(",", job.terms().partitions()));
        var array = job.array();
        if (array != null) {
            view.setArrayJobId(array.array().value());
            if (array.split()) {
                view.setArrayTaskId(array.tasks().min());
            } else {
                view.setArrayPending(array.tasks().toString());
            }
        }
        var wait = plan.of(job);
        var start = wait == null ? job.queueing().notBefore() : wait.expectedStart();
        if (job.isPending()) {
            view.setStartMicros(InstantMapper.toMicros(start))
                    .setNodes(wait == null ? "" : wait.expectedNodes());
        }
        return view;
    }
}
