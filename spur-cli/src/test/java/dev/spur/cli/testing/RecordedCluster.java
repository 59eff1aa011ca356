package dev.spur.cli.testing;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.ControllerPeer;
import dev.spur.api.v1.ControllerStanding;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesReply;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListPartitionsReply;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.ListStepsReply;
import dev.spur.api.v1.ListStepsRequest;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.Partition;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.Step;
import dev.spur.cli.Caller;
import dev.spur.cli.Command;
import dev.spur.cli.Connector;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.Tool;
import dev.spur.model.ErrorCode;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.HostAndPort;
import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.function.Function;

/// The cluster on which Slurm's output was recorded, as a controller that only answers questions. A
/// test of something that changes the cluster extends it by the one method it needs.
public class RecordedCluster extends ControllerGrpc.ControllerImplBase implements AutoCloseable {
    /// When most recordings were made; some came a second later.
    public static final Instant RECORDED = Instant.parse("2026-11-15T18:49:51Z");

    private static final Caller ALICE = new Caller(1002, 1002, List.of(1002L), "alice");

    private final Server server;
    private final Channels channels = new Channels(new TransportSecurity.Plain());
    private final Instant now;
    private final List<Job> jobs;

    public RecordedCluster() throws IOException {
        this(RECORDED);
    }

    public RecordedCluster(Instant now) throws IOException {
        this(now, List.of());
    }

    /// @param others services that are asked at the same port
    public RecordedCluster(Instant now, List<BindableService> others) throws IOException {
        this.now = now;
        this.jobs = RecordedJobs.at(now);
        var builder =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(this);
        others.forEach(builder::addService);
        this.server = builder.build().start();
    }

    public final String address() {
        return "127.0.0.1:" + server.getPort();
    }

    @Override
    public final void close() {
        channels.close();
        server.shutdownNow();
    }

    /// A call of alice's with the arguments of a recording.
    public RememberingInvocation call(Recording recording) {
        return call(recording.program(), recording.arguments());
    }

    public final RememberingInvocation call(String program, String... arguments) {
        return RememberingInvocation.of(program, arguments)
                .caller(new Caller(1003, 1003, List.of(1003L), "bob"))
                .caller(ALICE)
                .in("/home/alice")
                .at(now);
    }

    /// Runs a tool as the edge does, and returns both streams and the exit code as a recording has
    /// them.
    public final String run(Function<Connector, Tool> tool, RememberingInvocation in) {
        var exit = Command.run(tool.apply(connector()), in);
        return in.complained() + in.printed() + "[exit " + exit + "]";
    }

    public final Connector connector() {
        var addresses = List.of(new HostAndPort("127.0.0.1", server.getPort()));
        return _ ->
                ControllerClient.withPatience(
                        channels, addresses, new CallerIdentity.Host(), Duration.ofSeconds(1));
    }

    @Override
    public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
        var found = jobs.stream().filter(job -> isWanted(job, request)).toList();
        if (found.isEmpty() && request.getIdsCount() == 1) {
            reply.onError(refusal(ErrorCode.INVALID_JOB));
            return;
        }
        answer(
                reply,
                ListJobsReply.newBuilder().addAllJobs(found).setNowMicros(micros(now)).build());
    }

    private static boolean isWanted(Job job, ListJobsRequest request) {
        return (request.getIdsCount() == 0
                        || request.getIdsList().contains(Integer.toString(job.getJobId()))
                        || request.getIdsList().contains(Integer.toString(job.getArrayJobId()))
                        || request.getIdsList().stream().anyMatch(id -> isTask(job, id)))
                && (request.getUsersCount() == 0
                        || request.getUsersList().contains(Integer.toString(job.getUid())))
                && (request.getStatesCount() == 0
                        || request.getStatesList().contains("ALL")
                        || request.getStatesList().contains(job.getState()))
                && (request.getNodesCount() == 0
                        || new HashSet<>(Hostlist.parse(job.getNodeList()).hosts())
                                .removeAll(request.getNodesList()));
    }

    /// Whether the record is, or holds, the task `ARRAY_INDEX`.
    private static boolean isTask(Job job, String id) {
        var array = job.getArrayJobId() + "_";
        if (!id.startsWith(array)) {
            return false;
        }
        var index = Integer.parseInt(id.substring(array.length()));
        return job.getArrayPending().isEmpty()
                ? job.getArrayTaskId() == index
                : ArraySpec.parse(job.getArrayPending()).contains(index);
    }

    @Override
    public void listSteps(ListStepsRequest request, StreamObserver<ListStepsReply> reply) {
        if (request.getIdsCount() > 0 && !request.getIds(0).startsWith("38")) {
            answer(reply, ListStepsReply.getDefaultInstance());
            return;
        }
        answer(
                reply,
                ListStepsReply.newBuilder()
                        .addSteps(
                                Step.newBuilder()
                                        .setJobId(38)
                                        .setStepId(0)
                                        .setName("sleep")
                                        .setUid(1002)
                                        .setUserName("alice")
                                        .setPartition("debug")
                                        .setNodeList("node[1-2]")
                                        .setNumNodes(2)
                                        .setTasks(4)
                                        .setCpus(4)
                                        .setState("RUNNING")
                                        .setStartMicros(RecordedJobs.micros("2026-11-15T18:49:27"))
                                        .setTimeLimit(RecordedJobs.UNLIMITED)
                                        .setTres("cpu=4,mem=400M,node=2")
                                        .setRunSeconds(24))
                        .setNowMicros(micros(now))
                        .build());
    }

    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesReply> reply) {
        var nodes =
                List.of(
                        mixed("node1", 7, 150, 19813),
                        mixed("node2", 2, 148, 19840),
                        idle("node3", 148, 19820),
                        idle("node4", 157, 19840),
                        idle("node5", 150, 19830),
                        idle("node6", 150, 19830),
                        idle("node7", 148, 19820).toBuilder()
                                .addFlags("DRAIN")
                                .setReason("bad disk")
                                .setReasonUser("sadmin")
                                .setReasonUid(1004)
                                .setReasonMicros(RecordedJobs.micros("2026-11-15T18:49:39"))
                                .build(),
                        mixed("node8", 3, 157, 19820));
        answer(
                reply,
                ListNodesReply.newBuilder()
                        .addAllNodes(
                                nodes.stream()
                                        .filter(node ->
                                                request.getNamesCount() == 0
                                                        || request.getNamesList()
                                                                .contains(node.getName()))
                                        .toList())
                        .addAllPartitions(partitions())
                        .setNowMicros(micros(now))
                        .build());
    }

    @Override
    public void listPartitions(
            ListPartitionsRequest request, StreamObserver<ListPartitionsReply> reply) {
        answer(
                reply,
                ListPartitionsReply.newBuilder()
                        .addAllPartitions(
                                partitions().stream()
                                        .filter(partition ->
                                                request.getNamesCount() == 0
                                                        || request.getNamesList()
                                                                .contains(partition.getName()))
                                        .toList())
                        .setNowMicros(micros(now))
                        .build());
    }

    @Override
    public void ping(PingRequest request, StreamObserver<PingReply> reply) {
        answer(
                reply,
                PingReply.newBuilder()
                        .setCluster("anchor0")
                        .addControllers(
                                ControllerPeer.newBuilder()
                                        .setHost("vm")
                                        .setName("vm")
                                        .setAddress("vm:6817")
                                        .setUp(true)
                                        .setLeader(true))
                        .setSelf(
                                ControllerStanding.newBuilder()
                                        .setName("vm")
                                        .setRole("leader")
                                        .setLeader("vm"))
                        .build());
    }

    private static Node mixed(String name, int allocated, int load, long freeMemory) {
        return idle(name, load, freeMemory).toBuilder()
                .setState("MIXED")
                .setAllocCpus(allocated)
                .setAllocMemMb(allocated * 100L)
                .setGresUsed("gpu:tesla:2(IDX:0-1)")
                .setTresAlloc(
                        "cpu=%d,mem=%dM,gres/gpu=2,gres/gpu:tesla=2"
                                .formatted(allocated, allocated * 100))
                .build();
    }

    private static Node idle(String name, int load, long freeMemory) {
        return Node.newBuilder()
                .setName(name)
                .setAddress("127.0.0.1")
                .setHostname("localhost")
                .setPort(17011)
                .setState("IDLE")
                .setCpus(8)
                .setBoards(1)
                .setSockets(2)
                .setCoresPerSocket(4)
                .setThreadsPerCore(1)
                .setMemoryMb(4000)
                .setTmpMb(1000)
                .setWeight(1)
                .addAllFeatures(List.of("f1", "fast"))
                .addAllActiveFeatures(List.of("f1", "fast"))
                .setGres("gpu:tesla:4(S:0-1)")
                .addAllPartitions(List.of("debug", "batch"))
                .setLoadHundredths(load)
                .setFreeMemMb(freeMemory)
                .setArch("x86_64")
                .setOs("Linux 6.18.44-fc-v445 #1 SMP PREEMPT_DYNAMIC @0")
                .setVersion("22.05.8")
                .setBootMicros(RecordedJobs.micros("2026-11-15T18:12:38"))
                .setAgentStartMicros(RecordedJobs.micros("2026-11-15T18:48:09"))
                .setLastBusyMicros(RecordedJobs.micros("2026-11-15T18:48:15"))
                .setTres("cpu=8,mem=4000M,billing=8,gres/gpu=4,gres/gpu:tesla=4")
                .build();
    }

    private static List<Partition> partitions() {
        var debug =
                Partition.newBuilder()
                        .setName("debug")
                        .setIsDefault(true)
                        .setState("UP")
                        .setNodes("node[1-8]")
                        .setMaxTime(RecordedJobs.UNLIMITED)
                        .setPriorityJobFactor(1)
                        .setPriorityTier(1)
                        .setPreemptMode("REQUEUE")
                        .setDefMemPerCpuMb(100)
                        .setOversubscribe("NO")
                        .setTotalNodes(8)
                        .setTotalCpus(64)
                        .setTres(
                                "cpu=64,mem=32000M,node=8,billing=64,gres/gpu=32,gres/gpu:tesla=32")
                        .build();
        var batch =
                debug.toBuilder()
                        .setName("batch")
                        .setIsDefault(false)
                        .setMaxTime(RecordedJobs.minutes(24 * 60))
                        .setPriorityJobFactor(10)
                        .build();
        return List.of(debug, batch);
    }

    public static StatusRuntimeException refusal(ErrorCode code) {
        var trailers = new Metadata();
        trailers.put(CallerHeaders.ERROR_CODE, code.name());
        trailers.put(CallerHeaders.ERRNO, Integer.toString(code.slurmErrno()));
        return Status.fromCode(Status.Code.valueOf(code.grpcStatus()))
                .withDescription(code.text())
                .asRuntimeException(trailers);
    }

    public static <T> void answer(StreamObserver<T> reply, T message) {
        reply.onNext(message);
        reply.onCompleted();
    }

    private static long micros(Instant at) {
        return at.getEpochSecond() * 1_000_000;
    }
}
