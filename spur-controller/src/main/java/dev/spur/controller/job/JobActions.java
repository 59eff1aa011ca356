package dev.spur.controller.job;

import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.FinishAllocationRequest;
import dev.spur.api.v1.HoldJobsRequest;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.NotifyJobReply;
import dev.spur.api.v1.NotifyJobRequest;
import dev.spur.api.v1.ReleaseJobsRequest;
import dev.spur.api.v1.RequeueJobsRequest;
import dev.spur.api.v1.ResumeJobsRequest;
import dev.spur.api.v1.SignalJobsRequest;
import dev.spur.api.v1.SuspendJobsRequest;
import dev.spur.api.v1.TopJobsRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobRights;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.Role;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/// `scancel` and the verbs of `scontrol` that act on jobs.
public final class JobActions {
    private final Proposals proposals;
    private final ReplicatedState state;
    private final JobSignals signals;
    private final UserGroups groups;

    public JobActions(
            Proposals proposals, ReplicatedState state, JobSignals signals, UserGroups groups) {
        this.proposals = proposals;
        this.state = state;
        this.signals = signals;
        this.groups = groups;
    }

    public CompletableFuture<JobActionReply> cancel(
            CancelJobsRequest request, Caller.Person caller) {
        var targets = targets(request.getIdsList(), request.getFilter(), caller);
        var id =
                request.hasFilter()
                        ? idOf(request.getRequestId(), targets)
                        : request.getRequestId();
        return act(targets, (at, jobs) -> new Command.CancelJobs(at, id, caller.actor(), jobs));
    }

    /// A filter that is asked again may mean other jobs, since some have ended: those were not
    /// answered for.
    private static String idOf(String requestId, List<Target> targets) {
        if (requestId.isEmpty()) {
            return "";
        }
        var texts = targets.stream().map(Target::text).collect(Collectors.joining(" "));
        return requestId + " " + BlobStore.hashOf(texts.getBytes(StandardCharsets.UTF_8));
    }

    public JobActionReply signal(SignalJobsRequest request, Caller.Person caller) {
        var targets = targets(request.getIdsList(), request.getFilter(), caller);
        return JobActionReply.newBuilder()
                .addAllResults(
                        signals.send(targets, request.getSignal(), request.getTarget(), caller))
                .build();
    }

    public NotifyJobReply tell(NotifyJobRequest request, Caller.Person caller) {
        signals.tell(JobSelector.parse(request.getId()), request.getMessage(), caller);
        return NotifyJobReply.getDefaultInstance();
    }

    public CompletableFuture<JobActionReply> hold(HoldJobsRequest request, Caller.Person caller) {
        return act(
                named(request.getIdsList()),
                (at, jobs) ->
                        new Command.HoldJobs(
                                at,
                                request.getRequestId(),
                                caller.actor(),
                                jobs,
                                request.getUserHold()));
    }

    public CompletableFuture<JobActionReply> release(
            ReleaseJobsRequest request, Caller.Person caller) {
        return act(
                named(request.getIdsList()),
                (at, jobs) ->
                        new Command.ReleaseJobs(at, request.getRequestId(), caller.actor(), jobs));
    }

    public CompletableFuture<JobActionReply> requeue(
            RequeueJobsRequest request, Caller.Person caller) {
        return act(
                named(request.getIdsList()),
                (at, jobs) ->
                        new Command.RequeueJobs(
                                at,
                                request.getRequestId(),
                                caller.actor(),
                                jobs,
                                request.getHold(),
                                request.getSpecialExit(),
                                request.getIncompleteOnly()));
    }

    public CompletableFuture<JobActionReply> suspend(
            SuspendJobsRequest request, Caller.Person caller) {
        return act(
                named(request.getIdsList()),
                (at, jobs) ->
                        new Command.SuspendJobs(
                                at, request.getRequestId(), caller.actor(), jobs, true));
    }

    public CompletableFuture<JobActionReply> top(TopJobsRequest request, Caller.Person caller) {
        return act(
                named(request.getIdsList()),
                (at, jobs) ->
                        new Command.TopJobs(at, request.getRequestId(), caller.actor(), jobs));
    }

    public CompletableFuture<JobActionReply> resume(
            ResumeJobsRequest request, Caller.Person caller) {
        return act(
                named(request.getIdsList()),
                (at, jobs) ->
                        new Command.ResumeJobs(at, request.getRequestId(), caller.actor(), jobs));
    }

    public CompletableFuture<JobActionReply> update(
            UpdateJobsRequest request, Caller.Person caller) {
        var targets = named(request.getIdsList());
        var current =
                targets.size() == 1
                        ? state.snapshot().job(targets.getFirst().selector().job())
                        : java.util.Optional.<Job>empty();
        var changes = JobUpdateKeys.parse(request.getChangesMap(), current, proposals.now());
        var actor = groups.of(caller.actor(), state.snapshot());
        return act(
                targets,
                (at, jobs) ->
                        new Command.UpdateJobs(at, request.getRequestId(), actor, jobs, changes));
    }

    public CompletableFuture<JobActionReply> finish(
            FinishAllocationRequest request, Caller.Person caller) {
        var job = JobId.of(Integer.toUnsignedLong(request.getJobId()));
        var exit = new ExitStatus(request.getExitCode(), request.getExitSignal());
        var target = List.of(new Target(job.toString(), JobSelector.of(job)));
        return proposals
                .deciding(at ->
                        new Command.FinishAllocation(
                                at, request.getRequestId(), caller.actor(), job, exit))
                .thenApply(result -> reply(target, result));
    }

    /// What somebody wrote and what it means.
    public record Target(String text, JobSelector selector) {}

    private static List<Target> named(List<String> ids) {
        return ids.stream().map(id -> new Target(id, JobSelector.parse(id))).toList();
    }

    /// A filter alone means every job it fits that the caller may act on; with ids it narrows them.
    private List<Target> targets(List<String> ids, JobFilter filter, Caller.Person caller) {
        if (filter.equals(JobFilter.getDefaultInstance())) {
            return named(ids);
        }
        var query = JobQuery.of(filter);
        var named = named(ids);
        var targets = new ArrayList<Target>();
        for (var job : state.snapshot().jobs()) {
            if (job.isEnded() || !query.matches(job)) {
                continue;
            }
            if (named.isEmpty()
                    && (JobRights.mayManage(caller.actor(), job, state.snapshot().accounts())
                            || filter.getUsersCount() > 0)) {
                targets.add(whole(job));
            }
            named.stream()
                    .filter(target -> JobQuery.matches(target.selector(), job))
                    .forEach(target ->
                            targets.add(
                                    target.selector().tasks() == null
                                                    && target.selector().step() == null
                                            ? whole(job)
                                            : target));
        }
        return targets.stream().distinct().toList();
    }

    /// Exactly this record: of an array, the tasks it stands for.
    private static Target whole(Job job) {
        var array = job.array();
        var selector =
                array == null
                        ? JobSelector.of(job.id())
                        : new JobSelector(
                                array.array(),
                                array.tasks().withThrottle(java.util.OptionalInt.empty()),
                                null,
                                -1);
        return new Target(selector.toString(), selector);
    }

    private CompletableFuture<JobActionReply> act(
            List<Target> targets, BiFunction<Instant, List<JobSelector>, Command> command) {
        if (targets.isEmpty()) {
            return CompletableFuture.completedFuture(JobActionReply.getDefaultInstance());
        }
        var selectors = targets.stream().map(Target::selector).toList();
        return proposals
                .deciding(at -> command.apply(at, selectors))
                .thenApply(result -> reply(targets, result));
    }

    private static JobActionReply reply(List<Target> targets, Result result) {
        var reply = JobActionReply.newBuilder();
        switch (result) {
            case Result.PerJob(var answers) -> {
                for (var i = 0; i < answers.size(); i++) {
                    var answer = answers.get(i);
                    var text = i < targets.size() ? targets.get(i).text() : answer.job().toString();
                    reply.addResults(
                            result(
                                    text,
                                    outcome(answer.verdict()),
                                    answer.code(),
                                    answer.message()));
                }
            }
            case Result.Done() ->
                    targets.forEach(target ->
                            reply.addResults(
                                    JobActionResult.newBuilder()
                                            .setId(target.text())
                                            .setOutcome(JobActionOutcome.JOB_ACTION_DONE)));
            case Result.Refused(var code, var message) when code == ErrorCode.ALREADY_DONE ->
                    targets.forEach(target ->
                            reply.addResults(
                                    result(
                                            target.text(),
                                            JobActionOutcome.JOB_ACTION_ALREADY_ENDED,
                                            code,
                                            message)));
            default -> throw SpurErrors.unexpected(result);
        }
        return reply.build();
    }

    static JobActionResult result(
            String id, JobActionOutcome outcome, ErrorCode code, String message) {
        var done = outcome == JobActionOutcome.JOB_ACTION_DONE;
        return JobActionResult.newBuilder()
                .setId(id)
                .setOutcome(outcome)
                .setMessage(message)
                .setSlurmErrno(done ? 0 : code.slurmErrno())
                .build();
    }

    private static JobActionOutcome outcome(Result.Verdict verdict) {
        return switch (verdict) {
            case DONE -> JobActionOutcome.JOB_ACTION_DONE;
            case ALREADY_ENDED -> JobActionOutcome.JOB_ACTION_ALREADY_ENDED;
            case NOT_FOUND -> JobActionOutcome.JOB_ACTION_NOT_FOUND;
            case DENIED -> JobActionOutcome.JOB_ACTION_DENIED;
            case REFUSED -> JobActionOutcome.JOB_ACTION_REFUSED;
        };
    }

    /// Whether the caller may read a job's script.
    public static boolean mayRead(Job job, Caller.Person caller) {
        return job.spec().owner().uid() == caller.actor().uid() || caller.isAtLeast(Role.OPERATOR);
    }
}
