package dev.spur.controller.job;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.map.JobSpecMapper;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.TestJobReply;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.scheduling.SchedulingLoop.Planner;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.state.ClusterState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.hostlist.Hostlist;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.function.Supplier;

/// `--test-only`: submits to a copy of the cluster and looks when and where the job would start.
/// Seldom asked, so a copy is cheap enough, and the answer is the real scheduler's.
public final class JobTest {
    private final ReplicatedState state;
    private final Proposals proposals;
    private final Supplier<Planner> planner;

    /// @param planner a fresh one for each question
    public JobTest(ReplicatedState state, Proposals proposals, Supplier<Planner> planner) {
        this.state = state;
        this.proposals = proposals;
        this.planner = planner;
    }

    public TestJobReply test(SubmitJobRequest request, Caller.Person caller) {
        var spec =
                JobSpecMapper.toModel(
                        request.getSpec(), JobSubmission.owner(request.getSpec(), caller));
        var copy = copy();
        var now = proposals.now();
        var result =
                copy.apply(new Command.SubmitJob(now, "", caller.actor(), spec, null, null))
                        .result();
        if (!(result instanceof Result.Submitted(var id, _))) {
            throw SpurErrors.unexpected(result);
        }
        var snapshot = copy.publish();
        var job = snapshot.job(id).orElseThrow();
        var reply =
                TestJobReply.newBuilder()
                        .setJobId(id.value())
                        .setCpus((int) job.terms().demand().cpus())
                        .setPartition(job.terms().partitions().getFirst());
        for (var decision : planner.get().plan(snapshot, now)) {
            if (decision.job().equals(id)) {
                return tell(decision, reply, now, id);
            }
        }
        return reply.build();
    }

    private static TestJobReply tell(
            Decision decision, TestJobReply.Builder reply, java.time.Instant now, JobId id) {
        switch (decision) {
            case Decision.Start(_, var placement) ->
                    reply.setStartMicros(InstantMapper.toMicros(now))
                            .setCpus(placement.cpus())
                            .setNodes(Hostlist.compress(placement.nodeNames()))
                            .setPartition(placement.partition());
            case Decision.Wait wait -> {
                if (wait.expectedStart() == null) {
                    throw SpurErrors.of(ErrorCode.NODE_CONFIG_UNAVAILABLE);
                }
                reply.setStartMicros(InstantMapper.toMicros(wait.expectedStart()))
                        .setNodes(wait.expectedNodes());
            }
        }
        return reply.setJobId(id.value()).build();
    }

    private ClusterState copy() {
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(state.snapshot(), bytes::write);
        return SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read);
    }
}
