package dev.spur.controller.accounting;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.StepRecord;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepUsage;
import dev.spur.model.JobState;
import dev.spur.model.Outcome;
import dev.spur.model.StepId;
import dev.spur.model.Tres;
import dev.spur.model.hostlist.Hostlist;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A step as accounting keeps it.
public final class StepRecords {
    private StepRecords() {}

    public static StepRecord of(Job job, Step step, Snapshot state) {
        var end = end(job, step);
        var record =
                StepRecord.newBuilder()
                        .setJobId(job.id().value())
                        .setSubmitMicros(InstantMapper.toMicros(job.submittedAt()))
                        .setAttempt(job.attempt())
                        .setStepId(step.id().value())
                        .setName(step.name())
                        .setState(state(job, step).name())
                        .setStartMicros(InstantMapper.toMicros(step.createdAt()))
                        .setEndMicros(InstantMapper.toMicros(end))
                        .setSuspendedSeconds(suspended(job, step).toSeconds())
                        .setExitCode(step.exit().code())
                        .setExitSignal(step.exit().signal())
                        .setNodeList(Hostlist.compress(step.nodeNames()))
                        .setNodeCount(step.nodes().size())
                        .setTasks(step.tasks())
                        .setCpus(step.cpus())
                        .setDistribution(step.layout().distribution())
                        .putAllTresAllocated(state.tres().vector(tres(step)).amounts());
        var usage = step.progress().usage();
        if (usage != null && end != null) {
            record.setUsage(usage(step, usage));
        }
        var by = step.progress().cancelledBy();
        if (by != null) {
            record.setCancelledBy(by);
        }
        return record.build();
    }

    /// When it was over for the controller, whose clock says when the job was; missing: it is not.
    private static @Nullable Instant end(Job job, Step step) {
        var usage = step.progress().usage();
        return step.isEnded() && usage != null ? usage.endedAt() : job.phase().endedAtOrNull();
    }

    private static JobState state(Job job, Step step) {
        var outcome = JobRecords.outcome(job.phase());
        if (!step.isEnded()) {
            return outcome == null
                    ? job.phase() instanceof JobPhase.Suspended
                            ? JobState.SUSPENDED
                            : JobState.RUNNING
                    : outcome.state() == JobState.NODE_FAIL
                            ? JobState.NODE_FAIL
                            : JobState.CANCELLED;
        }
        var usage = step.progress().usage();
        if (usage != null && usage.lost()) {
            return JobState.NODE_FAIL;
        }
        if (usage != null && usage.outOfMemory()) {
            return JobState.OUT_OF_MEMORY;
        }
        if (step.exit().isSuccess() && (usage == null || !usage.timedOut())) {
            return JobState.COMPLETED;
        }
        if (step.cancelled() || wasEndedWith(outcome, step)) {
            return JobState.CANCELLED;
        }
        return usage != null && usage.timedOut()
                ? step.id().equals(StepId.BATCH) ? JobState.CANCELLED : JobState.TIMEOUT
                : JobState.FAILED;
    }

    /// A job that ends takes its steps along, by signals.
    private static boolean wasEndedWith(@Nullable Outcome outcome, Step step) {
        return outcome != null
                && step.exit().signal() != 0
                && switch (outcome.state()) {
                    case CANCELLED, TIMEOUT, NODE_FAIL, PREEMPTED, DEADLINE -> true;
                    case PENDING,
                            RUNNING,
                            SUSPENDED,
                            COMPLETED,
                            FAILED,
                            BOOT_FAIL,
                            OUT_OF_MEMORY,
                            COMPLETING,
                            STAGE_OUT,
                            CONFIGURING,
                            RESIZING,
                            REQUEUED,
                            REQUEUE_FED,
                            REQUEUE_HOLD,
                            SPECIAL_EXIT,
                            STOPPED,
                            REVOKED,
                            RESV_DEL_HOLD,
                            SIGNALING ->
                            false;
                };
    }

    private static Duration suspended(Job job, Step step) {
        var since = JobRecords.suspended(job.phase()).minus(step.progress().suspendedBefore());
        return since.isNegative() ? Duration.ZERO : since;
    }

    private static Tres tres(Step step) {
        var others = new TreeMap<String, Long>();
        var memory = 0L;
        for (var node : step.nodes()) {
            memory += node.share().memoryMebibytes();
            for (var gres : node.share().gres()) {
                Tres.addGres(others, gres.name(), gres.type(), gres.count());
            }
        }
        return new Tres(step.cpus(), memory, step.nodes().size(), 0, others);
    }

    /// Where an agent of an earlier release said only what a node's tasks used together, a task of
    /// many is taken for an average one.
    private static dev.spur.api.v1.StepUsage usage(Step step, StepUsage usage) {
        if (usage.perTask() != null) {
            return UsageMapper.toWire(
                    step, usage.tasks(), usage.userMicros(), usage.systemMicros(), usage.perTask());
        }
        var tasks = Math.max(1, usage.tasks());
        return dev.spur.api.v1.StepUsage.newBuilder()
                .setUserMicros(usage.userMicros())
                .setSystemMicros(usage.systemMicros())
                .setMaxRssKb(usage.maxRssKibibytes())
                .setMaxRssNode(step.nodes().get(usage.maxRssPosition()).node())
                .setMaxRssTask(firstTask(step, usage.maxRssPosition()))
                .setAveRssKb(usage.rssKibibytes() / Math.max(1, usage.nodes()))
                .setMinCpuMicros(usage.minCpuMicros())
                .setMinCpuNode(step.nodes().get(usage.minCpuPosition()).node())
                .setMinCpuTask(firstTask(step, usage.minCpuPosition()))
                .setAveCpuMicros((usage.userMicros() + usage.systemMicros()) / tasks)
                .setTasks(usage.tasks())
                .build();
    }

    private static int firstTask(Step step, int position) {
        return Math.max(0, step.nodes().get(position).tasks().next(0));
    }
}
