package dev.spur.controller.step;

import dev.spur.api.map.ResourceRequestMapper;
import dev.spur.api.map.TimeLimitMapper;
import dev.spur.api.v1.CreateStepReply;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.CreatedStep;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.dispatch.Launches;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.NotLeaderException;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.MemoryRequest;
import dev.spur.model.hostlist.Hostlist;
import java.util.function.Supplier;

/// Makes a step and hands the caller what the agents need to believe it.
public final class StepCreation {
    private final Proposals proposals;
    private final ReplicatedState state;
    private final Launches launches;
    private final Supplier<Leadership> leadership;

    public StepCreation(
            Proposals proposals,
            ReplicatedState state,
            Launches launches,
            Supplier<Leadership> leadership) {
        this.proposals = proposals;
        this.state = state;
        this.launches = launches;
        this.leadership = leadership;
    }

    public CreateStepReply create(CreateStepRequest request, Caller.Person caller) {
        var id = JobId.of(Integer.toUnsignedLong(request.getJobId()));
        var wanted = wanted(request);
        var result =
                proposals.decide(at ->
                        new Command.CreateStep(
                                at, request.getRequestId(), caller.actor(), id, wanted));
        return switch (result) {
            case Result.StepCreated(var job, var step, var attempt) ->
                    CreateStepReply.newBuilder().setCreated(created(job, attempt, step)).build();
            case Result.StepBusy(var why) -> CreateStepReply.newBuilder().setBusy(why).build();
            default -> throw SpurErrors.unexpected(result);
        };
    }

    /// A job that was requeued meanwhile has begun anew, without this step.
    private CreatedStep created(JobId id, int attempt, Step step) {
        var snapshot = state.snapshot();
        var job = snapshot.job(id).orElseThrow(() -> SpurErrors.of(ErrorCode.INVALID_JOB));
        var placement = job.phase().placementOrNull();
        if (placement == null || job.attempt() != attempt) {
            throw SpurErrors.of(ErrorCode.ALREADY_DONE);
        }
        if (!(leadership.get() instanceof Leadership.Leading(var epoch))) {
            throw new NotLeaderException(null);
        }
        return CreatedStep.newBuilder()
                .setJobId(id.value())
                .setStepId(step.id().value())
                .addAllNodes(Launches.stepNodes(step, snapshot))
                .setNodeList(Hostlist.compress(step.nodeNames()))
                .setTasks(step.tasks())
                .addAllLaunches(launches.step(job, placement, step, snapshot, epoch))
                .build();
    }

    private static StepRequest wanted(CreateStepRequest request) {
        var least = request.getMinNodes() > 0 ? request.getMinNodes() : request.getNodes();
        var most = request.getMaxNodes() > 0 ? request.getMaxNodes() : request.getNodes();
        return new StepRequest(
                request.getName(),
                least,
                most,
                request.getTasks(),
                request.getCpusPerTask(),
                request.getTasksPerNode(),
                request.getNodeList(),
                request.getExclude(),
                memory(request),
                request.getGresPerNode(),
                request.getGresPerStep(),
                request.getGresPerTask(),
                request.getExact() || request.getExclusiveWhole(),
                request.getOverlap(),
                TimeLimitMapper.toModel(request.getTimeLimit()),
                request.getDistribution(),
                request.getOvercommit(),
                request.getInteractive(),
                request.getStdOut(),
                request.getStdErr(),
                request.getStdIn());
    }

    private static MemoryRequest memory(CreateStepRequest request) {
        if (request.hasMemPerCpuMb()) {
            return new MemoryRequest.PerCpu(request.getMemPerCpuMb());
        }
        return request.hasMemPerNodeMb()
                ? ResourceRequestMapper.perNode(request.getMemPerNodeMb())
                : MemoryRequest.UNSPECIFIED;
    }
}
