package dev.spur.controller.reach;

import dev.spur.api.v1.Reach;
import dev.spur.api.v1.ReachStepReply;
import dev.spur.api.v1.ReachStepRequest;
import dev.spur.api.v1.StepAccess;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.dispatch.Launches;
import dev.spur.controller.job.JobActions;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.model.StepId;
import dev.spur.model.hostlist.Hostlist;

/// Where a step's tasks run, for `sattach` and terminals: the owner and administrators may take
/// part, operators may look on.
public final class StepReach {
    private final ReplicatedState state;
    private final Visibility visibility;
    private final Reaches reaches;

    public StepReach(ReplicatedState state, Visibility visibility, Reaches reaches) {
        this.state = state;
        this.visibility = visibility;
        this.reaches = reaches;
    }

    public ReachStepReply reach(ReachStepRequest request, Caller.Person caller) {
        var snapshot = state.snapshot();
        var selector = JobSelector.parse(request.getId());
        var id = selector.step();
        if (id == null) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "name a step, as in %s.0".formatted(request.getId()));
        }
        var job = ReachedJobs.find(selector, snapshot, visibility, caller);
        if (!JobActions.mayRead(job, caller)) {
            throw SpurErrors.denied();
        }
        if (id.equals(StepId.BATCH)) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "the batch script prints to a file. See it with: spur logs %s"
                            .formatted(job.id()));
        }
        var step =
                job.steps().live().stream()
                        .filter(each -> each.id().equals(id) && !each.isEnded())
                        .findFirst()
                        .orElseThrow(() -> SpurErrors.of(ErrorCode.INVALID_JOB));
        var mayType =
                job.spec().owner().uid() == caller.actor().uid() || caller.isAtLeast(Role.ADMIN);
        var reply =
                ReachStepReply.newBuilder()
                        .setJobId(job.id().value())
                        .setStepId(id.value())
                        .setName(step.name())
                        .addAllNodes(Launches.stepNodes(step, snapshot))
                        .setNodeList(Hostlist.compress(step.nodeNames()))
                        .setTasks(step.tasks())
                        .setInput(mayType);
        for (var node : step.nodeNames()) {
            reply.addReaches(
                    reaches.sign(
                            job,
                            id,
                            node,
                            snapshot,
                            caller,
                            Reach.newBuilder().setStep(StepAccess.newBuilder().setInput(mayType))));
        }
        return reply.build();
    }
}
