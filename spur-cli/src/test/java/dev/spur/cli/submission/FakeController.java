package dev.spur.cli.submission;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.CreateStepReply;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.FinishAllocationRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.SignalJobsRequest;
import dev.spur.api.v1.SubmitJobReply;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.TestJobReply;
import dev.spur.api.v1.WatchJobRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.model.ErrorCode;
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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A controller that accepts everything as job 7, unless told otherwise, and remembers what it was
/// asked.
public final class FakeController extends ControllerGrpc.ControllerImplBase
        implements AutoCloseable {
    public final List<SubmitJobRequest> submitted = new CopyOnWriteArrayList<>();
    public final List<CancelJobsRequest> cancelled = new CopyOnWriteArrayList<>();
    public final List<SignalJobsRequest> signalled = new CopyOnWriteArrayList<>();
    public final List<CreateStepRequest> steps = new CopyOnWriteArrayList<>();
    public final List<FinishAllocationRequest> finished = new CopyOnWriteArrayList<>();

    private final Server server;
    private final Channels channels = new Channels(new TransportSecurity.Plain());
    private final AtomicInteger away = new AtomicInteger();
    private @Nullable StatusRuntimeException refusal;
    private List<JobUpdate> updates = List.of();
    private Runnable cancelling = () -> {};
    private Duration patience = Duration.ofSeconds(30);
    private List<Job> jobs = List.of();
    private JobActionReply actions = JobActionReply.getDefaultInstance();
    private Function<CreateStepRequest, CreateStepReply> stepping =
            _ -> CreateStepReply.getDefaultInstance();

    public FakeController(BindableService... others) throws IOException {
        var builder =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(this);
        for (var other : others) {
            builder.addService(other);
        }
        server = builder.build().start();
    }

    public Connector connector() {
        var addresses = List.of(new HostAndPort("127.0.0.1", server.getPort()));
        return _ ->
                ControllerClient.withPatience(
                        channels, addresses, new CallerIdentity.Host(), patience);
    }

    /// Where this fake listens, also as an agent if it was given that service.
    public String address() {
        return "127.0.0.1:" + server.getPort();
    }

    public FakeController refusing(ErrorCode code, String message) {
        var trailers = new Metadata();
        trailers.put(CallerHeaders.ERROR_CODE, code.name());
        trailers.put(CallerHeaders.ERRNO, Integer.toString(code.slurmErrno()));
        refusal =
                Status.fromCode(Status.Code.valueOf(code.grpcStatus()))
                        .withDescription(message)
                        .asRuntimeException(trailers);
        return this;
    }

    /// Does not answer the next submissions, and lets its callers know at once.
    public FakeController awayFor(int submissions) {
        away.set(submissions);
        patience = Duration.ZERO;
        return this;
    }

    /// What a watch of the job sees, first to last.
    public FakeController updates(JobUpdate... all) {
        updates = List.of(all);
        return this;
    }

    public FakeController jobs(Job... all) {
        jobs = List.of(all);
        return this;
    }

    public FakeController answering(JobActionReply reply) {
        actions = reply;
        return this;
    }

    public FakeController creatingSteps(Function<CreateStepRequest, CreateStepReply> how) {
        stepping = how;
        return this;
    }

    public FakeController onCancel(Runnable what) {
        cancelling = what;
        return this;
    }

    public SubmitJobRequest onlySubmission() {
        if (submitted.size() != 1) {
            throw new AssertionError("expected one submission, there were " + submitted.size());
        }
        return submitted.getFirst();
    }

    @Override
    public void submitJob(SubmitJobRequest request, StreamObserver<SubmitJobReply> reply) {
        if (away.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            reply.onError(Status.UNAVAILABLE.asRuntimeException());
            return;
        }
        submitted.add(request);
        answer(reply, SubmitJobReply.newBuilder().setJobId(7).setCluster("test").build());
    }

    @Override
    public void testJob(SubmitJobRequest request, StreamObserver<TestJobReply> reply) {
        answer(
                reply,
                TestJobReply.newBuilder()
                        .setJobId(36)
                        .setStartMicros(1_794_768_564_000_000L)
                        .setCpus(2)
                        .setNodes("node[1-2]")
                        .setPartition("debug")
                        .build());
    }

    @Override
    public void watchJob(WatchJobRequest request, StreamObserver<JobUpdate> reply) {
        updates.forEach(reply::onNext);
        reply.onCompleted();
    }

    @Override
    public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
        answer(reply, ListJobsReply.newBuilder().addAllJobs(jobs).build());
    }

    @Override
    public void cancelJobs(CancelJobsRequest request, StreamObserver<JobActionReply> reply) {
        cancelled.add(request);
        answer(reply, actions);
        cancelling.run();
    }

    @Override
    public void signalJobs(SignalJobsRequest request, StreamObserver<JobActionReply> reply) {
        signalled.add(request);
        answer(reply, actions);
    }

    @Override
    public void createStep(CreateStepRequest request, StreamObserver<CreateStepReply> reply) {
        steps.add(request);
        answer(reply, stepping.apply(request));
    }

    @Override
    public void finishAllocation(
            FinishAllocationRequest request, StreamObserver<JobActionReply> reply) {
        finished.add(request);
        answer(reply, JobActionReply.getDefaultInstance());
    }

    private <T> void answer(StreamObserver<T> reply, T message) {
        if (refusal != null) {
            reply.onError(refusal);
            return;
        }
        reply.onNext(message);
        reply.onCompleted();
    }

    @Override
    public void close() {
        channels.close();
        server.shutdownNow();
    }

    /// Runs a tool as the edge does: a failure becomes a line and an exit code.
    public static int run(Tool tool, Invocation in) throws Exception {
        try {
            return tool.run(in);
        } catch (Failure failure) {
            in.err().println(in.program() + ": error: " + failure.text());
            return failure.exitCode();
        } finally {
            in.out().flush();
        }
    }
}
