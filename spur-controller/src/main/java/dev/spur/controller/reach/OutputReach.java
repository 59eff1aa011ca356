package dev.spur.controller.reach;

import dev.spur.api.map.JobSpecMapper;
import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.Reach;
import dev.spur.api.v1.ReachOutputReply;
import dev.spur.api.v1.ReachOutputRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.job.JobActions;
import dev.spur.controller.job.JobFiles;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.step.Step;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.SpurException;
import dev.spur.model.StepId;
import dev.spur.model.notation.FileNamePattern;

/// Where a job's output is, for `spur logs` and whoever else shows it.
public final class OutputReach {
    private final ReplicatedState state;
    private final Visibility visibility;
    private final Plan plan;
    private final Reaches reaches;

    public OutputReach(ReplicatedState state, Visibility visibility, Plan plan, Reaches reaches) {
        this.state = state;
        this.visibility = visibility;
        this.plan = plan;
        this.reaches = reaches;
    }

    public ReachOutputReply reach(ReachOutputRequest request, Caller.Person caller) {
        var snapshot = state.snapshot();
        var selector = JobSelector.parse(request.getId());
        var job = ReachedJobs.find(selector, snapshot, visibility, caller);
        if (!JobActions.mayRead(job, caller)) {
            throw SpurErrors.denied();
        }
        var step = selector.step();
        return step == null || step.equals(StepId.BATCH)
                ? ofBatch(job, request.getError(), snapshot, caller)
                : ofStep(job, step, request.getError(), snapshot, caller);
    }

    private ReachOutputReply ofBatch(
            Job job, boolean error, Snapshot snapshot, Caller.Person caller) {
        if (!job.spec().isBatch()) {
            throw new SpurException(
                    ErrorCode.BATCH_ONLY,
                    "job %s has no script: what its steps print goes to their srun. See one with: sattach %s.0"
                            .formatted(job.id(), job.id()));
        }
        var reply =
                ReachOutputReply.newBuilder()
                        .setJobId(job.id().value())
                        .setStepId(StepId.BATCH.value())
                        .setState(job.state().name())
                        .setReason(plan.reasonOf(job).word())
                        .setEnded(job.isEnded())
                        .setAttempt(job.attempt())
                        .setAppends(
                                JobSpecMapper.openMode(job.spec().launch().openMode())
                                        == OpenMode.OPEN_MODE_APPEND);
        var placement = job.phase().placementOrNull();
        if (placement == null) {
            return reply.build();
        }
        var path = error ? JobFiles.error(job) : JobFiles.output(job);
        return reply.setPath(path)
                .setReach(
                        reaches.sign(
                                job,
                                StepId.BATCH,
                                placement.first().node(),
                                snapshot,
                                caller,
                                Reach.newBuilder().setFile(path)))
                .build();
    }

    private ReachOutputReply ofStep(
            Job job, StepId id, boolean error, Snapshot snapshot, Caller.Person caller) {
        var step =
                job.steps().live().stream()
                        .filter(each -> each.id().equals(id))
                        .findFirst()
                        .orElseThrow(() ->
                                new SpurException(
                                        ErrorCode.INVALID_JOB,
                                        "step %s.%s is not running".formatted(job.id(), id)));
        var pattern = pattern(job, step, error);
        var path = JobFiles.ofStep(job, step, pattern);
        return ReachOutputReply.newBuilder()
                .setJobId(job.id().value())
                .setStepId(id.value())
                .setState(job.state().name())
                .setEnded(step.isEnded())
                .setAttempt(job.attempt())
                .setPath(path)
                .setReach(
                        reaches.sign(
                                job,
                                id,
                                step.nodes().getFirst().node(),
                                snapshot,
                                caller,
                                Reach.newBuilder().setFile(path)))
                .build();
    }

    private static String pattern(Job job, Step step, boolean error) {
        var streams = step.streams();
        var pattern = error && !streams.stdErr().isEmpty() ? streams.stdErr() : streams.stdOut();
        if (pattern.isEmpty() || pattern.matches("all|none|\\d+")) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "step %s.%s prints to its srun and not to a file. See it with: sattach %s.%s"
                            .formatted(job.id(), step.id(), job.id(), step.id()));
        }
        var file = new FileNamePattern(pattern);
        if (step.tasks() > 1 && (file.isPerTask() || file.isPerNode())) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "step %s.%s writes a file for each task or node (%s)"
                            .formatted(job.id(), step.id(), pattern));
        }
        return pattern;
    }
}
