package dev.spur.controller.job;

import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.SignalStep;
import dev.spur.api.v1.SignalTarget;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.agent.Agents;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobRights;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.StepId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Sends signals to what runs, for `scancel -s`. They are no commands: a signal changes no state
/// and is not repeated.
public final class JobSignals {
    private final ReplicatedState state;
    private final Agents agents;

    public JobSignals(ReplicatedState state, Agents agents) {
        this.state = state;
        this.agents = agents;
    }

    List<JobActionResult> send(
            List<JobActions.Target> targets, int signal, SignalTarget to, Caller.Person caller) {
        var wanted =
                targets.stream().map(target -> target.selector().job()).collect(Collectors.toSet());
        var named = named(wanted);
        return targets.stream().map(target -> send(target, named, signal, to, caller)).toList();
    }

    /// Writes a line to the standard error of what runs of a job: of its script, or of all its
    /// steps if it has none. What waits hears nothing, as in Slurm.
    void tell(JobSelector selector, String message, Caller.Person caller) {
        var jobs =
                named(Set.of(selector.job())).getOrDefault(selector.job(), List.of()).stream()
                        .filter(job -> JobQuery.matches(selector, job))
                        .toList();
        var accounts = state.snapshot().accounts();
        if (jobs.isEmpty()) {
            throw SpurErrors.of(ErrorCode.INVALID_JOB);
        }
        if (jobs.stream().anyMatch(job -> !JobRights.mayManage(caller.actor(), job, accounts))) {
            throw SpurErrors.of(ErrorCode.INVALID_USER);
        }
        if (jobs.stream().allMatch(Job::isEnded)) {
            throw SpurErrors.of(ErrorCode.ALREADY_DONE);
        }
        for (var job : jobs) {
            var placement = job.phase().placementOrNull();
            if (placement != null && !job.isEnded()) {
                var isBatch = job.spec().isBatch();
                var line =
                        SignalStep.newBuilder()
                                .setJobId(job.id().value())
                                .setAttempt(job.attempt())
                                .setMessage(message)
                                .setTarget(
                                        isBatch
                                                ? SignalTarget.SIGNAL_TARGET_BATCH
                                                : SignalTarget.SIGNAL_TARGET_STEPS)
                                .build();
                var nodes = isBatch ? List.of(placement.first().node()) : placement.nodeNames();
                for (var node : nodes) {
                    agents.send(
                            node,
                            () -> Optional.of(ControllerMessage.newBuilder().setSignal(line)));
                }
            }
        }
    }

    /// One walk over all jobs, however many are named.
    private Map<JobId, List<Job>> named(Set<JobId> wanted) {
        var named = new HashMap<JobId, List<Job>>();
        for (var job : state.snapshot().jobs()) {
            var array = job.array();
            if (wanted.contains(job.id())) {
                named.computeIfAbsent(job.id(), _ -> new ArrayList<>()).add(job);
            }
            if (array != null
                    && !array.array().equals(job.id())
                    && wanted.contains(array.array())) {
                named.computeIfAbsent(array.array(), _ -> new ArrayList<>()).add(job);
            }
        }
        return named;
    }

    private JobActionResult send(
            JobActions.Target target,
            Map<JobId, List<Job>> named,
            int signal,
            SignalTarget to,
            Caller.Person caller) {
        var selector = target.selector();
        var jobs =
                named.getOrDefault(selector.job(), List.of()).stream()
                        .filter(job -> JobQuery.matches(selector, job))
                        .toList();
        if (jobs.isEmpty()) {
            return failed(target, JobActionOutcome.JOB_ACTION_NOT_FOUND, ErrorCode.INVALID_JOB);
        }
        var accounts = state.snapshot().accounts();
        if (jobs.stream().anyMatch(job -> !JobRights.mayManage(caller.actor(), job, accounts))) {
            return failed(target, JobActionOutcome.JOB_ACTION_DENIED, ErrorCode.ACCESS_DENIED);
        }
        var active = jobs.stream().filter(Job::hasNodes).toList();
        if (active.isEmpty()) {
            return jobs.stream().allMatch(Job::isEnded)
                    ? failed(
                            target,
                            JobActionOutcome.JOB_ACTION_ALREADY_ENDED,
                            ErrorCode.ALREADY_DONE)
                    : failed(target, JobActionOutcome.JOB_ACTION_REFUSED, ErrorCode.JOB_PENDING);
        }
        active.forEach(job -> send(job, selector.step(), signal, to));
        return JobActionResult.newBuilder()
                .setId(target.text())
                .setOutcome(JobActionOutcome.JOB_ACTION_DONE)
                .build();
    }

    private void send(Job job, @Nullable StepId step, int signal, SignalTarget to) {
        var placement = job.phase().placementOrNull();
        if (placement == null) {
            return;
        }
        var message =
                SignalStep.newBuilder()
                        .setJobId(job.id().value())
                        .setAttempt(job.attempt())
                        .setSignal(signal)
                        .setTarget(to);
        if (step != null) {
            message.setStepId(step.value());
        }
        var built = message.build();
        for (var node : placement.nodeNames()) {
            agents.send(node, () -> Optional.of(ControllerMessage.newBuilder().setSignal(built)));
        }
    }

    private static JobActionResult failed(
            JobActions.Target target, JobActionOutcome outcome, ErrorCode code) {
        return JobActions.result(target.text(), outcome, code, code.text());
    }
}
