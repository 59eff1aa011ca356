package dev.spur.agent.step;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.JobGone;
import dev.spur.api.v1.LaunchFailed;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.StepReportKind;
import java.time.Instant;

/// What the controller is told of steps, in its own words.
final class StepReports {
    private StepReports() {}

    static StepReport.Builder started(StepKey key, StepStatus status) {
        return of(key, status).setKind(StepReportKind.STEP_STARTED);
    }

    /// @param nothingLeft of the job, on this node
    static StepReport.Builder ended(StepKey key, StepStatus status, boolean nothingLeft) {
        return of(key, status)
                .setKind(StepReportKind.STEP_ENDED)
                .setUsage(StepUsages.of(status))
                .setNothingLeft(nothingLeft);
    }

    /// @param nothingLeft of the job, on this node
    static StepReport.Builder lost(StepKey key, String because, Instant now, boolean nothingLeft) {
        return of(key).setKind(StepReportKind.STEP_ENDED)
                .setLost(true)
                .setEndedMicros(now.toEpochMilli() * 1_000)
                .setMessage(because)
                .setNothingLeft(nothingLeft);
    }

    static AgentMessage gone(JobAttempt attempt) {
        return AgentMessage.newBuilder()
                .setJobGone(
                        JobGone.newBuilder().setJobId(attempt.job()).setAttempt(attempt.attempt()))
                .build();
    }

    static AgentMessage notLaunched(StepKey key, LaunchException e) {
        return AgentMessage.newBuilder()
                .setLaunchFailed(
                        LaunchFailed.newBuilder()
                                .setJobId(key.job())
                                .setAttempt(key.attempt())
                                .setStepId(key.step().value())
                                .setReason(String.valueOf(e.getMessage()))
                                .setFault(e.fault()))
                .build();
    }

    private static StepReport.Builder of(StepKey key) {
        return StepReport.newBuilder()
                .setJobId(key.job())
                .setStepId(key.step().value())
                .setAttempt(key.attempt());
    }

    private static StepReport.Builder of(StepKey key, StepStatus status) {
        var usage = StepUsages.of(status);
        var report =
                of(key).setStartedMicros(status.startedMillis() * 1_000)
                        .setEndedMicros(status.endedMillis() * 1_000)
                        .setTimedOut(status.timedOut())
                        .setLost(status.leaseOver())
                        .setOutOfMemory(status.outOfMemory())
                        .setMessage(status.error())
                        .setAdoptedPid(status.supervisor())
                        .setUserMicros(usage.getUserMicros())
                        .setSystemMicros(usage.getSystemMicros())
                        .setMaxRssKb(usage.getMaxRssKb());
        status.worstTask()
                .ifPresent(task -> report.setExitCode(task.code()).setExitSignal(task.signal()));
        return report;
    }
}
