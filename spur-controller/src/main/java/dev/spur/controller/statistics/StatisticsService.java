package dev.spur.controller.statistics;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.GetStatisticsReply;
import dev.spur.api.v1.GetStatisticsRequest;
import dev.spur.api.v1.StatisticsGrpc;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.model.JobState;
import dev.spur.model.Role;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.time.InstantSource;

/// Answers `sdiag`.
public final class StatisticsService extends StatisticsGrpc.StatisticsImplBase {
    private final ReplicatedState state;
    private final InstantSource clock;
    private final CallCounts calls;
    private final PassCounts passes;
    private final JobCounts jobs;
    private volatile Instant since;

    public StatisticsService(
            ReplicatedState state,
            InstantSource clock,
            CallCounts calls,
            PassCounts passes,
            JobCounts jobs) {
        this.state = state;
        this.clock = clock;
        this.calls = calls;
        this.passes = passes;
        this.jobs = jobs;
        this.since = clock.instant();
    }

    @Override
    public void getStatistics(
            GetStatisticsRequest request, StreamObserver<GetStatisticsReply> reply) {
        Failures.answer(reply, () -> answer(request));
    }

    private GetStatisticsReply answer(GetStatisticsRequest request) {
        if (request.getReset() && !Caller.person().isAtLeast(Role.OPERATOR)) {
            throw SpurErrors.denied();
        }
        var now = clock.instant();
        var reply =
                GetStatisticsReply.newBuilder()
                        .setSinceMicros(InstantMapper.toMicros(since))
                        .setNowMicros(InstantMapper.toMicros(now))
                        .setOpenCalls(calls.open())
                        .setSubmitted(jobs.submitted.sum())
                        .setStarted(jobs.started.sum())
                        .setCompleted(jobs.completed.sum())
                        .setCancelled(jobs.cancelled.sum())
                        .setFailed(jobs.failed.sum())
                        .setQuick(passes.quick())
                        .setPlan(passes.plan())
                        .addAllCalls(calls.calls())
                        .addAllCallers(calls.callers());
        count(reply);
        if (request.getReset()) {
            calls.reset();
            passes.reset();
            jobs.reset();
            since = now;
        }
        return reply.build();
    }

    private void count(GetStatisticsReply.Builder reply) {
        var pending = 0;
        var running = 0;
        for (var job : state.snapshot().jobs()) {
            if (job.state() == JobState.PENDING) {
                pending++;
            } else if (job.state() == JobState.RUNNING) {
                running++;
            }
        }
        reply.setPending(pending).setRunning(running);
    }
}
