package dev.spur.controller.dispatch;

import com.google.protobuf.ByteString;
import dev.spur.api.map.InstantMapper;
import dev.spur.api.map.JobSpecMapper;
import dev.spur.api.map.NodeShareMapper;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.NodeSession;
import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.StepNode;
import dev.spur.controller.blob.BlobStore;
import dev.spur.engine.demand.Demand;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.layout.TaskLayout;
import dev.spur.engine.node.Node;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.step.Step;
import dev.spur.model.BlobRef;
import dev.spur.model.MemoryRequest;
import dev.spur.model.Owner;
import dev.spur.model.Placement;
import dev.spur.model.StepId;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.TimeLimit;
import dev.spur.runtime.identity.LaunchCredentials;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes down what a node must know to run its part of a step, and signs it for that node alone.
public final class Launches {
    /// How long a launch may be under way. Later it is made anew.
    private static final Duration VALID_FOR = Duration.ofMinutes(10);

    private final BlobStore blobs;
    private final LaunchCredentials credentials;
    private final InstantSource clock;

    public Launches(BlobStore blobs, LaunchCredentials credentials, InstantSource clock) {
        this.blobs = blobs;
        this.credentials = credentials;
        this.clock = clock;
    }

    /// The batch script, on the job's first node.
    public SignedLaunch batch(
            Job job, Placement placement, Step step, Snapshot snapshot, long epoch) {
        var launch = common(job, placement, step, 0, snapshot, epoch);
        var script = bytes(job.script());
        var environment = bytes(job.environment());
        launch.setScript(script).setEnvironment(environment);
        setHash(job.script(), launch::setScriptSha256);
        setHash(job.environment(), launch::setEnvironmentSha256);
        return sign(launch.build(), placement.first().node());
    }

    /// One launch for each node of a step, in node id order.
    public List<SignedLaunch> step(
            Job job, Placement placement, Step step, Snapshot snapshot, long epoch) {
        var launches = new ArrayList<SignedLaunch>();
        for (var i = 0; i < step.nodes().size(); i++) {
            launches.add(
                    sign(
                            common(job, placement, step, i, snapshot, epoch).build(),
                            step.nodes().get(i).node()));
        }
        return launches;
    }

    private SignedLaunch sign(StepLaunch launch, String node) {
        var bytes = launch.toByteArray();
        return SignedLaunch.newBuilder()
                .setLaunch(ByteString.copyFrom(bytes))
                .setSignature(ByteString.copyFrom(credentials.keyFor(node).sign(bytes)))
                .setNode(node)
                .build();
    }

    private StepLaunch.Builder common(
            Job job, Placement placement, Step step, int position, Snapshot snapshot, long epoch) {
        var spec = job.spec();
        var owner = spec.owner();
        var how = spec.launch();
        var demand = job.terms().demand();
        var request = spec.request();
        var own = step.nodes().get(position);
        var now = clock.instant();
        var launch =
                StepLaunch.newBuilder()
                        .setCluster(snapshot.config().clusterName())
                        .setJobId(job.id().value())
                        .setStepId(step.id().value())
                        .setAttempt(job.attempt())
                        .setNode(own.node())
                        .setNodeId(position)
                        .setUid(owner.uid())
                        .setGid(owner.gid())
                        .setUserName(owner.userName())
                        .addAllGroups(owner.groups())
                        .setJobName(spec.name())
                        .setPartition(placement.partition())
                        .setAccount(job.terms().charge().account())
                        .setQos(job.terms().charge().qosName())
                        .addAllJobNodes(jobNodes(placement, demand, snapshot))
                        .addAllStepNodes(stepNodes(step, snapshot))
                        .setStepTasks(step.tasks())
                        .setCpusPerTask(
                                step.id().equals(StepId.BATCH)
                                        ? demand.cpusPerTask()
                                        : step.layout().cpusPerTask())
                        .setCpusPerTaskGiven(request.cpusPerTaskGiven())
                        .setTasksGiven(request.countsTasks())
                        .setTasks(request.tasks())
                        .setTasksPerNode(request.tasksPerNode())
                        .setStepShare(NodeShareMapper.toWire(own.share(), own.tasks().size(), ""))
                        .setStartMicros(InstantMapper.toMicros(job.phase().startedAt()))
                        .setRestarts(job.attempts().restarts())
                        .setWorkDir(how.workDir())
                        .setSubmitDir(how.submitDir().isEmpty() ? how.workDir() : how.submitDir())
                        .setSubmitHost(how.submitHost())
                        .setStdOut(how.stdOut())
                        .setStdErr(how.stdErr())
                        .setStdIn(how.stdIn())
                        .setOpenMode(JobSpecMapper.openMode(how.openMode()))
                        .setUmask(how.umask())
                        .addAllRlimits(JobSpecMapper.rlimits(how))
                        .setSignal(spec.signal())
                        .addAllScriptArgs(how.scriptArgs())
                        .setReservation(spec.reservation())
                        .setDependency(spec.dependency())
                        .setKillWaitSeconds((int) snapshot.config().killWait().toSeconds())
                        .setJobKind(JobSpecMapper.kind(spec.kind()))
                        .setEpoch(epoch)
                        .setExpiresMicros(InstantMapper.toMicros(now.plus(VALID_FOR)))
                        .setComment(spec.notes().comment())
                        .setExportEnv(how.exportEnv())
                        .setGetUserEnv(how.getUserEnv())
                        .setStepLimitMillis(stepLimit(step, now))
                        .setBatchRequeue(job.terms().requeue())
                        .setGpusPerTask(gpusPerTask(job, step))
                        .setTasksPerGpu(request.tasksPerGpu());
        if (how.session()) {
            launch.setSession(NodeSession.newBuilder().setHome(home(owner, snapshot)));
        }
        setLimit(job.phase(), now, launch);
        setMemory(demand.memory(), launch);
        setArray(job, snapshot, launch);
        return launch;
    }

    /// Nodes know other users themselves.
    private static String home(Owner owner, Snapshot snapshot) {
        var cloud = snapshot.config().cloud();
        return cloud != null && cloud.owns(owner.uid()) ? cloud.homeOf(owner.userName()) : "";
    }

    private static int gpusPerTask(Job job, Step step) {
        var own = step.layout().gresPerTask();
        var perTask = own.isEmpty() ? job.spec().request().gresPerTask() : own;
        return (int) GresRequest.parse(perTask).count("gpu");
    }

    private static void setLimit(JobPhase phase, Instant now, StepLaunch.Builder launch) {
        var deadline = phase instanceof JobPhase.Running running ? running.deadline() : null;
        launch.setEndMicros(InstantMapper.toMicros(deadline))
                .setRemainingMillis(RemainingTime.millis(now, deadline));
    }

    /// What is left of the step's own limit, a millisecond at least; 0 if it has none.
    private static long stepLimit(Step step, Instant now) {
        return step.timeLimit() instanceof TimeLimit.Limited limit
                ? Math.max(1, RemainingTime.millis(now, step.createdAt().plus(limit.duration())))
                : 0;
    }

    private static void setMemory(MemoryRequest memory, StepLaunch.Builder launch) {
        switch (memory) {
            case MemoryRequest.PerNode(var mebibytes) -> launch.setMemPerNodeMb(mebibytes);
            case MemoryRequest.PerCpu(var mebibytes) -> launch.setMemPerCpuMb(mebibytes);
            case MemoryRequest.WholeNode(), MemoryRequest.Unspecified() -> {}
            case MemoryRequest.PerGpu _ -> {}
        }
    }

    private static void setArray(Job job, Snapshot snapshot, StepLaunch.Builder launch) {
        var array = job.array();
        if (array == null) {
            return;
        }
        launch.setArrayJobId(array.array().value()).setArrayTaskId(array.tasks().min());
        snapshot.array(array.array())
                .ifPresent(ledger ->
                        launch.setArrayTaskCount(ledger.spec().count())
                                .setArrayTaskMin(ledger.spec().min())
                                .setArrayTaskMax(ledger.spec().max())
                                .setArrayTaskStep(ledger.spec().step()));
    }

    private static List<NodeAllocation> jobNodes(
            Placement placement, Demand demand, Snapshot snapshot) {
        var counts = TaskLayout.ofJob(placement, demand);
        var nodes = new ArrayList<NodeAllocation>();
        for (var i = 0; i < counts.length; i++) {
            var share = placement.nodes().get(i);
            nodes.add(NodeShareMapper.toWire(share, counts[i], address(share.node(), snapshot)));
        }
        return nodes;
    }

    public static List<StepNode> stepNodes(Step step, Snapshot snapshot) {
        return step.nodes().stream()
                .map(node ->
                        StepNode.newBuilder()
                                .setNode(node.node())
                                .setAddress(address(node.node(), snapshot))
                                .addAllTaskIds(node.tasks().toList())
                                .setCpus(node.share().cpus().size())
                                .build())
                .toList();
    }

    private static String address(String node, Snapshot snapshot) {
        return snapshot.node(node).map(Node::address).orElse("");
    }

    private ByteString bytes(@Nullable BlobRef ref) {
        if (ref == null) {
            return ByteString.EMPTY;
        }
        return blobs.get(ref.sha256())
                .map(ByteString::copyFrom)
                .orElseThrow(() ->
                        new IllegalStateException("a job's script is missing: " + ref.sha256()));
    }

    private interface HashSetter {
        void set(ByteString hash);
    }

    private static void setHash(@Nullable BlobRef ref, HashSetter setter) {
        if (ref != null) {
            setter.set(ByteString.copyFrom(HexFormat.of().parseHex(ref.sha256())));
        }
    }
}
