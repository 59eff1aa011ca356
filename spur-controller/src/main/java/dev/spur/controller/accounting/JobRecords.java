package dev.spur.controller.accounting;

import com.google.protobuf.ByteString;
import dev.spur.api.map.InstantMapper;
import dev.spur.api.map.TimeLimitMapper;
import dev.spur.api.v1.JobRecord;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.job.JobTres;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.BlobRef;
import dev.spur.model.JobState;
import dev.spur.model.MemoryRequest;
import dev.spur.model.Outcome;
import dev.spur.model.PendingReason;
import dev.spur.model.Placement;
import dev.spur.model.Tres;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// A job as accounting keeps it: the whole of it, as it is now. Names of groups are looked up by
/// whoever shows them: a name service must not hold up what is applied.
public final class JobRecords {
    private JobRecords() {}

    public static JobRecord of(Job job, Snapshot state) {
        var spec = job.spec();
        var owner = spec.owner();
        var terms = job.terms();
        var phase = job.phase();
        var placement = phase.placementOrNull();
        var record =
                JobRecord.newBuilder()
                        .setJobId(job.id().value())
                        .setSubmitMicros(InstantMapper.toMicros(job.submittedAt()))
                        .setAttempt(job.attempt())
                        .setName(spec.name())
                        .setUid(owner.uid())
                        .setGid(owner.gid())
                        .setUserName(owner.userName())
                        .setAccount(terms.charge().account())
                        .setAssociationId(terms.charge().association())
                        .setQos(terms.charge().qosName())
                        .setPartition(
                                placement == null
                                        ? String.join(",", terms.partitions())
                                        : placement.partition())
                        .setWckey(terms.charge().wckey())
                        .setReservation(spec.reservation())
                        .setState(state(phase).name())
                        .setEligibleMicros(InstantMapper.toMicros(job.queueing().eligibleAt()))
                        .setStartMicros(InstantMapper.toMicros(phase.startedAt()))
                        .setEndMicros(InstantMapper.toMicros(phase.endedAtOrNull()))
                        .setSuspendedSeconds(suspended(phase).toSeconds())
                        .setTimeLimit(TimeLimitMapper.toWire(terms.timeLimit()))
                        .setPriority((int) PriorityPolicy.of(state).shown(job, state, state.now()))
                        .setRestarts(job.attempts().restarts())
                        .setJobKind(spec.kind().name())
                        .setPlannedMicros(planned(job));
        if (phase instanceof JobPhase.Suspended suspended) {
            record.setSuspendedSinceMicros(InstantMapper.toMicros(suspended.at()));
        }
        if (terms.timeMin() instanceof TimeLimit.Limited(var minutes)) {
            record.setTimeMinMinutes(minutes);
        }
        var reason = job.reason();
        if (reason.code() != PendingReason.NONE) {
            record.setReason(reason.code().word());
        }
        setArray(job, record);
        setOutcome(job, record);
        setResources(job, placement, state, record);
        setTexts(job, record);
        return record.build();
    }

    /// Slurm's word for this attempt. A completing job has ended: what its nodes still clean up is
    /// nobody's time any more.
    private static JobState state(JobPhase phase) {
        return switch (phase) {
            case JobPhase.Pending _ -> JobState.PENDING;
            case JobPhase.Running _ -> JobState.RUNNING;
            case JobPhase.Suspended _ -> JobState.SUSPENDED;
            case JobPhase.Completing completing ->
                    completing.next() == JobPhase.AfterCompletion.END
                            ? completing.outcome().state()
                            : ofRequeued(completing.outcome());
            case JobPhase.Ended ended -> ended.outcome().state();
        };
    }

    /// An attempt that ended only so that another could begin.
    private static JobState ofRequeued(Outcome outcome) {
        var wasPutBack = outcome.state() == JobState.CANCELLED && outcome.by() == -1;
        var didNotRun = outcome.reason().code() == PendingReason.LAUNCH_FAILED;
        return wasPutBack || didNotRun ? JobState.REQUEUED : outcome.state();
    }

    public static @Nullable Outcome outcome(JobPhase phase) {
        return switch (phase) {
            case JobPhase.Completing completing -> completing.outcome();
            case JobPhase.Ended ended -> ended.outcome();
            case JobPhase.Pending _, JobPhase.Running _, JobPhase.Suspended _ -> null;
        };
    }

    /// For how long it was suspended, up to the last time it was resumed.
    public static Duration suspended(JobPhase phase) {
        return switch (phase) {
            case JobPhase.Pending _ -> Duration.ZERO;
            case JobPhase.Running running -> running.suspended();
            case JobPhase.Suspended suspended -> suspended.suspended();
            case JobPhase.Completing completing -> completing.suspended();
            case JobPhase.Ended ended -> ended.suspended();
        };
    }

    /// How long nothing but resources and priority kept it waiting; 0 as long as it waits.
    private static long planned(Job job) {
        var eligible = job.queueing().eligibleAt();
        var until =
                job.phase().startedAt() == null
                        ? job.phase().endedAtOrNull()
                        : job.phase().startedAt();
        return eligible == null || until == null ? 0 : micros(eligible, until);
    }

    private static long micros(Instant from, Instant until) {
        return Math.max(0, InstantMapper.toMicros(until) - InstantMapper.toMicros(from));
    }

    private static void setArray(Job job, JobRecord.Builder record) {
        var array = job.array();
        if (array == null) {
            return;
        }
        record.setArrayJobId(array.array().value()).setArrayTaskCount(array.tasks().count());
        if (array.split()) {
            record.setArrayTaskId(array.tasks().min());
        } else {
            record.setArrayPending(array.tasks().toString());
        }
    }

    private static void setOutcome(Job job, JobRecord.Builder record) {
        var worst = job.steps().worst();
        record.setDerivedExitCode(worst.code()).setDerivedExitSignal(worst.signal());
        var outcome = outcome(job.phase());
        if (outcome == null) {
            return;
        }
        record.setExitCode(outcome.exit().code()).setExitSignal(outcome.exit().signal());
        if (outcome.state() == JobState.CANCELLED && outcome.by() != -1) {
            record.setCancelledBy(outcome.by());
        }
    }

    private static void setResources(
            Job job, @Nullable Placement placement, Snapshot state, JobRecord.Builder record) {
        var demand = job.terms().demand();
        record.setReqCpus((int) Math.min(demand.cpus(), Integer.MAX_VALUE))
                .putAllTresRequested(state.tres().vector(JobTres.requested(demand)).amounts());
        setMemory(demand.memory(), record);
        if (placement == null) {
            record.setNodeCount(demand.minNodes()).setTasks(demand.tasks());
            return;
        }
        var nodes = placement.nodes();
        record.setNodeList(
                        nodes.size() == 1
                                ? nodes.getFirst().node()
                                : Hostlist.compress(placement.nodeNames()))
                .setNodeCount(nodes.size())
                .setAllocCpus(placement.cpus())
                .setTasks(demand.tasksOn(nodes.size()))
                .putAllTresAllocated(state.tres().vector(Tres.of(placement)).amounts());
    }

    private static void setMemory(MemoryRequest memory, JobRecord.Builder record) {
        switch (memory) {
            case MemoryRequest.PerNode(var mebibytes) -> record.setReqMemMb(mebibytes);
            case MemoryRequest.PerCpu(var mebibytes) ->
                    record.setReqMemMb(mebibytes).setFlags("MemPerCPU");
            case MemoryRequest.PerGpu(var mebibytes) ->
                    record.setReqMemMb(mebibytes).setFlags("MemPerGPU");
            case MemoryRequest.Unspecified _, MemoryRequest.WholeNode _ -> {}
        }
    }

    private static void setTexts(Job job, JobRecord.Builder record) {
        var spec = job.spec();
        var launch = spec.launch();
        record.setConstraint(spec.request().constraint())
                .setWorkDir(launch.workDir())
                .setSubmitLine(launch.submitLine())
                .setComment(spec.notes().comment())
                .setAdminComment(spec.notes().adminComment())
                .setContainer(launch.container())
                .setLicenses(String.join(",", spec.licenses()))
                .setReqNodes(spec.request().nodeList())
                .setMcsLabel(spec.notes().mcsLabel())
                .setStdOut(launch.stdOut())
                .setStdErr(launch.stdErr())
                .setStdIn(launch.stdIn())
                .setSubmitHost(launch.submitHost());
        if (!job.queueing().dependencies().isEmpty()) {
            record.setDependency(job.queueing().dependencies().toString());
        }
        record.setScriptSha256(hash(job.script())).setEnvironmentSha256(hash(job.environment()));
    }

    private static ByteString hash(@Nullable BlobRef ref) {
        return ref == null
                ? ByteString.EMPTY
                : ByteString.copyFrom(HexFormat.of().parseHex(ref.sha256()));
    }
}
