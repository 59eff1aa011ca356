package dev.spur.controller.job;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.map.JobSpecMapper;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.TestJobReply;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.scheduling.Forecasts;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.admission.Admission;
import dev.spur.engine.rules.SupposedJob;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.model.hostlist.Hostlist;

/// `--test-only`: when and where a job would start, without submitting it.
public final class JobTest {
    private final ReplicatedState state;
    private final Proposals proposals;
    private final Forecasts forecasts;
    private final UserGroups groups;

    public JobTest(
            ReplicatedState state, Proposals proposals, Forecasts forecasts, UserGroups groups) {
        this.state = state;
        this.proposals = proposals;
        this.forecasts = forecasts;
        this.groups = groups;
    }

    public TestJobReply test(SubmitJobRequest request, Caller.Person caller) {
        var owner = JobSubmission.owner(request.getSpec(), caller);
        var spec = JobSpecMapper.toModel(request.getSpec(), owner);
        var snapshot = state.snapshot();
        var now = proposals.now();
        var admitted =
                switch (Admission.admit(snapshot, groups.of(caller.actor(), snapshot), spec, now)) {
                    case Admission.Refused(var code, var message) ->
                            throw new SpurException(code, message);
                    case Admission.Admitted answer -> answer;
                };
        var limit = SupposedJob.keptOut(snapshot, spec, admitted, now);
        if (limit != null) {
            throw new SpurException(ErrorCode.LIMIT_REACHED, limit.toString());
        }
        var trial = forecasts.trial(admitted.terms(), now);
        if (trial.start() == null) {
            throw SpurErrors.of(ErrorCode.NODE_CONFIG_UNAVAILABLE);
        }
        return TestJobReply.newBuilder()
                .setJobId(snapshot.counters().jobSequence())
                .setStartMicros(InstantMapper.toMicros(trial.start()))
                .setCpus((int) trial.cpus())
                .setNodes(Hostlist.compress(trial.nodes()))
                .setPartition(trial.partition())
                .build();
    }
}
