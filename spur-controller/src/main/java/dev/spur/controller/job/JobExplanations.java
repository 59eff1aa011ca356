package dev.spur.controller.job;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.ExplainJobReply;
import dev.spur.api.v1.ExplainJobRequest;
import dev.spur.api.v1.JobAhead;
import dev.spur.api.v1.JobHolding;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.explanation.Explainer;
import dev.spur.engine.explanation.Explanation;
import dev.spur.engine.explanation.Suggestion;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.hostlist.Hostlist;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.StreamSupport;

/// `spur why`: asks the engine, and leaves out of its answer what the asker may not see.
///
/// An explanation plans the queue many times, so there is one at a time: whoever asks waits for
/// those who asked before.
public final class JobExplanations {
    private static final int MOST_NAMED = 20;

    private final ReplicatedState state;
    private final Proposals proposals;
    private final Visibility visibility;
    private final UserGroups groups;
    private final Plan plan;
    private final Explainer explainer;
    private final ReentrantLock turn = new ReentrantLock(true);

    public JobExplanations(
            ReplicatedState state,
            Proposals proposals,
            Visibility visibility,
            UserGroups groups,
            Plan plan,
            Explainer explainer) {
        this.state = state;
        this.proposals = proposals;
        this.visibility = visibility;
        this.groups = groups;
        this.plan = plan;
        this.explainer = explainer;
    }

    public ExplainJobReply explain(ExplainJobRequest request, Caller.Person caller) {
        var snapshot = state.snapshot();
        var job = named(JobSelector.parse(request.getId()), snapshot);
        var sight = visibility.of(job, caller);
        if (sight == Visibility.Sight.NOTHING) {
            throw SpurErrors.of(ErrorCode.INVALID_JOB);
        }
        var now = proposals.now();
        var reply =
                ExplainJobReply.newBuilder()
                        .setState(job.state().name())
                        .setNowMicros(InstantMapper.toMicros(now));
        if (!job.isPending()) {
            return reply.setPlan(new PlanView(plan).of(job, 0))
                    .setBecause(notWaiting(job, caller))
                    .build();
        }
        var actor = groups.of(caller.actor(), snapshot);
        Explanation explanation;
        turn.lock();
        try {
            explanation = explainer.explain(snapshot, job, actor, now);
        } finally {
            turn.unlock();
        }
        reply.setPlan(
                        new PlanView(plan)
                                .of(job, explanation.place())
                                .setReason(explanation.reason().word())
                                .setReasonDetail(explanation.reason().beside())
                                .setStartMicros(InstantMapper.toMicros(explanation.start()))
                                .setNodes(explanation.nodes()))
                .setBecause(explanation.because())
                .setQueued(explanation.queued())
                .setAheadTotal(explanation.ahead().size())
                .setHoldingTotal(explanation.holding().size())
                .setExhausted(explanation.isExhausted());
        var priorities = PriorityPolicy.of(snapshot).at(snapshot, now);
        seen(explanation.ahead(), caller)
                .forEach(other -> reply.addAhead(ahead(other, priorities.priority(other))));
        seen(explanation.holding(), caller).forEach(other -> reply.addHolding(holding(other)));
        explanation.suggestions().forEach(each -> reply.addSuggestions(suggestion(each)));
        return reply.build();
    }

    /// Of an array, the tasks that wait; if none does, the first there is.
    private static Job named(JobSelector selector, Snapshot snapshot) {
        var own = snapshot.job(selector.job());
        if (own.isPresent() && own.get().array() == null) {
            return own.get();
        }
        var meant =
                StreamSupport.stream(snapshot.jobs().spliterator(), false)
                        .filter(job -> JobQuery.matches(selector, job))
                        .toList();
        return meant.stream()
                .filter(Job::isPending)
                .findFirst()
                .or(() -> meant.stream().findFirst())
                .orElseThrow(() -> SpurErrors.of(ErrorCode.INVALID_JOB));
    }

    private List<Job> seen(List<Job> jobs, Caller.Person caller) {
        return jobs.stream()
                .filter(job -> visibility.of(job, caller) != Visibility.Sight.NOTHING)
                .limit(MOST_NAMED)
                .toList();
    }

    private static String notWaiting(Job job, Caller.Person caller) {
        return switch (job.phase()) {
            case JobPhase.Pending _ -> "";
            case JobPhase.Running _ -> "It runs.";
            case JobPhase.Suspended _ ->
                    "It is suspended: its processes stand still until an operator resumes it.";
            case JobPhase.Completing completing ->
                    "It is over. These nodes have not yet said that nothing of it is left: %s."
                            .formatted(Hostlist.compress(completing.remaining()));
            case JobPhase.Ended ended ->
                    "It has ended: %s%s."
                            .formatted(
                                    ended.outcome().state().name(),
                                    job.reason().word().equals("None")
                                                    || !JobActions.mayRead(job, caller)
                                            ? ""
                                            : " (" + job.reason() + ")");
        };
    }

    private JobAhead ahead(Job job, long priority) {
        var wait = plan.of(job);
        Instant start = wait == null ? null : wait.expectedStart();
        return JobAhead.newBuilder()
                .setId(job.shownId())
                .setUser(job.spec().owner().userName())
                .setPartition(String.join(",", job.terms().partitions()))
                .setPriority((int) priority)
                .setStartMicros(InstantMapper.toMicros(start))
                .build();
    }

    private static JobHolding holding(Job job) {
        return JobHolding.newBuilder()
                .setId(job.shownId())
                .setUser(job.spec().owner().userName())
                .setNodes(job.phase().holdings().size())
                .setUntilMicros(InstantMapper.toMicros(job.deadline()))
                .build();
    }

    private static dev.spur.api.v1.Suggestion suggestion(Suggestion of) {
        var view =
                dev.spur.api.v1.Suggestion.newBuilder()
                        .setText(of.text())
                        .setStartMicros(InstantMapper.toMicros(of.start()));
        switch (of.way()) {
            case Suggestion.Update(_, var key, var value) -> view.putUpdate(key, value);
            case Suggestion.Release() -> view.setRelease(true);
            case Suggestion.Resubmit(_, var option) -> view.setOption(option);
        }
        return view.build();
    }
}
