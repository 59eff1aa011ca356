package dev.spur.rest;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.v1.*;
import dev.spur.model.notation.HostAndPort;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A controller with one job of everything, that remembers what it was asked.
final class FakeController implements AutoCloseable {
    static final long NOW = 1_800_000_000_000_000L;
    static final String GOOD_TOKEN = "good.token.of-alice";
    private static final Context.Key<String> USER = Context.key("user");

    final List<Object> asked = new CopyOnWriteArrayList<>();
    final List<String> users = new CopyOnWriteArrayList<>();
    private final Map<Integer, Job> jobs = new ConcurrentHashMap<>();
    private final Server server;

    FakeController() throws IOException {
        jobs.put(7, job(7));
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .intercept(new Identity())
                        .addService(new Controlling())
                        .addService(new Accounting())
                        .addService(new Counting())
                        .build()
                        .start();
    }

    HostAndPort address() {
        return new HostAndPort("127.0.0.1", server.getPort());
    }

    void put(Job job) {
        jobs.put(job.getJobId(), job);
    }

    static Job job(int id) {
        return Job.newBuilder()
                .setJobId(id)
                .setName("train \"it\"")
                .setUid(1000)
                .setUserName("alice")
                .setPartition("gpu")
                .setAccount("physics")
                .setState("RUNNING")
                .setBaseState("RUNNING")
                .setReason("None")
                .setNodeList("n[1-2]")
                .setNumNodes(2)
                .setNumCpus(8)
                .setNumTasks(2)
                .setBatch(true)
                .setTimeLimit(TimeLimit.newBuilder().setMinutes(30))
                .setSubmitMicros(NOW - 100_000_000)
                .setStartMicros(NOW - 90_000_000)
                .setTres("cpu=8,mem=2G,node=2,billing=8,gres/gpu=2")
                .setTresAlloc("cpu=8,mem=2G,node=2,billing=8,gres/gpu=2")
                .setExitSignal(9)
                .addNodes(
                        NodeAllocation.newBuilder()
                                .setNode("n1")
                                .setCpus(4)
                                .addGres(
                                        GresAllocation.newBuilder()
                                                .setName("gpu")
                                                .addIndices(0)
                                                .addIndices(1)))
                .setSpec(JobSpec.newBuilder().setMailType("BEGIN,END"))
                .build();
    }

    private static StatusRuntimeException refused(Status status, String code, int errno) {
        var trailers = new Metadata();
        trailers.put(CallerHeaders.ERROR_CODE, code);
        trailers.put(CallerHeaders.ERRNO, Integer.toString(errno));
        return status.asRuntimeException(trailers);
    }

    private final class Identity implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            var token = headers.get(CallerHeaders.AUTHORIZATION);
            if (token != null && !token.endsWith(GOOD_TOKEN)) {
                var refusal =
                        refused(
                                Status.UNAUTHENTICATED.withDescription("the token is not good"),
                                "UNKNOWN_TOKEN",
                                6000);
                call.close(refusal.getStatus(), refusal.getTrailers());
                return new ServerCall.Listener<>() {};
            }
            var user = token != null ? "alice" : String.valueOf(headers.get(CallerHeaders.USER));
            users.add(user);
            return Contexts.interceptCall(
                    Context.current().withValue(USER, user), call, headers, next);
        }
    }

    private <A> void answer(StreamObserver<A> observer, Object request, A reply) {
        asked.add(request);
        observer.onNext(reply);
        observer.onCompleted();
    }

    private static JobActionReply done(List<String> ids) {
        var reply = JobActionReply.newBuilder();
        for (var id : ids) {
            reply.addResults(
                    id.startsWith("7")
                            ? JobActionResult.newBuilder()
                                    .setId(id)
                                    .setOutcome(JobActionOutcome.JOB_ACTION_DONE)
                            : JobActionResult.newBuilder()
                                    .setId(id)
                                    .setOutcome(JobActionOutcome.JOB_ACTION_NOT_FOUND)
                                    .setMessage("there is no such job")
                                    .setSlurmErrno(2017));
        }
        return reply.build();
    }

    private final class Controlling extends ControllerGrpc.ControllerImplBase {
        @Override
        public void ping(PingRequest request, StreamObserver<PingReply> reply) {
            answer(
                    reply,
                    request,
                    PingReply.newBuilder()
                            .setCluster("one")
                            .setVersion("0")
                            .addControllers(
                                    ControllerPeer.newBuilder()
                                            .setHost("ctl")
                                            .setAddress("ctl:6817")
                                            .setUp(true)
                                            .setLeader(true))
                            .setSelf(ControllerStanding.newBuilder().setNowMicros(NOW))
                            .setYou(KnownAs.newBuilder().setUser(USER.get()).setRole("user"))
                            .build());
        }

        @Override
        public void submitJob(SubmitJobRequest request, StreamObserver<SubmitJobReply> reply) {
            if (request.getSpec().getPartitionsList().contains("nowhere")) {
                reply.onError(
                        refused(
                                Status.INVALID_ARGUMENT.withDescription(
                                        "there is no partition nowhere"),
                                "INVALID_PARTITION",
                                2000));
                return;
            }
            answer(reply, request, SubmitJobReply.newBuilder().setJobId(8).build());
        }

        @Override
        public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
            asked.add(request);
            var found = new ArrayList<Job>();
            for (var job : jobs.values()) {
                var id = Integer.toString(job.getJobId());
                if (request.getIdsCount() == 0 || request.getIdsList().contains(id)) {
                    found.add(job);
                }
            }
            if (request.getIdsCount() == 1 && found.isEmpty()) {
                reply.onError(
                        refused(
                                Status.NOT_FOUND.withDescription("Invalid job id specified"),
                                "INVALID_JOB",
                                2017));
                return;
            }
            for (var from = 0; from == 0 || from < found.size(); from += 100) {
                var to = Math.min(found.size(), from + 100);
                reply.onNext(
                        ListJobsReply.newBuilder()
                                .addAllJobs(found.subList(from, to))
                                .setNowMicros(NOW)
                                .build());
            }
            reply.onCompleted();
        }

        @Override
        public void listSteps(ListStepsRequest request, StreamObserver<ListStepsReply> reply) {
            answer(
                    reply,
                    request,
                    ListStepsReply.newBuilder()
                            .addSteps(
                                    Step.newBuilder().setJobId(7).setStepId(-5).setState("RUNNING"))
                            .setNowMicros(NOW)
                            .build());
        }

        @Override
        public void cancelJobs(CancelJobsRequest request, StreamObserver<JobActionReply> reply) {
            answer(reply, request, done(request.getIdsList()));
        }

        @Override
        public void signalJobs(SignalJobsRequest request, StreamObserver<JobActionReply> reply) {
            answer(reply, request, done(request.getIdsList()));
        }

        @Override
        public void holdJobs(HoldJobsRequest request, StreamObserver<JobActionReply> reply) {
            answer(reply, request, done(request.getIdsList()));
        }

        @Override
        public void releaseJobs(ReleaseJobsRequest request, StreamObserver<JobActionReply> reply) {
            answer(reply, request, done(request.getIdsList()));
        }

        @Override
        public void requeueJobs(RequeueJobsRequest request, StreamObserver<JobActionReply> reply) {
            answer(reply, request, done(request.getIdsList()));
        }

        @Override
        public void suspendJobs(SuspendJobsRequest request, StreamObserver<JobActionReply> reply) {
            answer(reply, request, done(request.getIdsList()));
        }

        @Override
        public void resumeJobs(ResumeJobsRequest request, StreamObserver<JobActionReply> reply) {
            answer(reply, request, done(request.getIdsList()));
        }

        @Override
        public void updateJobs(UpdateJobsRequest request, StreamObserver<JobActionReply> reply) {
            answer(reply, request, done(request.getIdsList()));
        }

        @Override
        public void getScript(GetScriptRequest request, StreamObserver<GetScriptReply> reply) {
            answer(reply, request, GetScriptReply.getDefaultInstance());
        }

        @Override
        public void listNodes(ListNodesRequest request, StreamObserver<ListNodesReply> reply) {
            var node =
                    Node.newBuilder()
                            .setName("n1")
                            .setState("MIXED")
                            .addFlags("DRAIN")
                            .addFlags("MAINT")
                            .setCpus(8)
                            .setAllocCpus(4)
                            .addPartitions("gpu")
                            .setTres("cpu=8,mem=62.50G")
                            .build();
            var isMeant = request.getNamesCount() == 0 || request.getNamesList().contains("n1");
            answer(
                    reply,
                    request,
                    ListNodesReply.newBuilder()
                            .addAllNodes(isMeant ? List.of(node) : List.of())
                            .setNowMicros(NOW)
                            .build());
        }

        @Override
        public void updateNodes(
                UpdateNodesRequest request, StreamObserver<UpdateNodesReply> reply) {
            answer(reply, request, UpdateNodesReply.getDefaultInstance());
        }

        @Override
        public void listPartitions(
                ListPartitionsRequest request, StreamObserver<ListPartitionsReply> reply) {
            answer(
                    reply,
                    request,
                    ListPartitionsReply.newBuilder()
                            .addPartitions(
                                    Partition.newBuilder()
                                            .setName("gpu")
                                            .setNodes("n[1-2]")
                                            .setMaxTime(TimeLimit.newBuilder().setUnlimited(true)))
                            .setNowMicros(NOW)
                            .build());
        }

        @Override
        public void listReservations(
                ListReservationsRequest request, StreamObserver<ListReservationsReply> reply) {
            answer(
                    reply,
                    request,
                    ListReservationsReply.newBuilder()
                            .addReservations(
                                    Reservation.newBuilder()
                                            .setName("later")
                                            .addFlags("MAINT")
                                            .addUsers("alice")
                                            .setTres("cpu=8"))
                            .setNowMicros(NOW)
                            .build());
        }

        @Override
        public void createReservation(
                ChangeReservationRequest request, StreamObserver<ChangeReservationReply> reply) {
            answer(reply, request, ChangeReservationReply.newBuilder().setName("later").build());
        }

        @Override
        public void updateReservation(
                ChangeReservationRequest request, StreamObserver<ChangeReservationReply> reply) {
            answer(reply, request, ChangeReservationReply.newBuilder().setName("later").build());
        }

        @Override
        public void deleteReservation(
                DeleteReservationRequest request, StreamObserver<ChangeReservationReply> reply) {
            answer(reply, request, ChangeReservationReply.newBuilder().setName("later").build());
        }

        @Override
        public void getPlan(GetPlanRequest request, StreamObserver<GetPlanReply> reply) {
            answer(
                    reply,
                    request,
                    GetPlanReply.newBuilder()
                            .addJobs(PlannedJob.newBuilder().setJobId(9).setPlace(1))
                            .setNowMicros(NOW)
                            .build());
        }

        @Override
        public void explainJob(ExplainJobRequest request, StreamObserver<ExplainJobReply> reply) {
            answer(reply, request, ExplainJobReply.newBuilder().setBecause("busy").build());
        }

        @Override
        public void watch(WatchRequest request, StreamObserver<WatchReply> reply) {
            asked.add(request);
            var last = request.getCursor().isEmpty() ? 0 : Integer.parseInt(request.getCursor());
            reply.onNext(
                    WatchReply.newBuilder()
                            .setCursor(Integer.toString(last + 1))
                            .addJobs(job(7))
                            .setIsCurrent(true)
                            .setNowMicros(NOW)
                            .build());
            // It stays open, as that of a cluster in which nothing happens.
        }

        @Override
        public void reconfigure(
                ReconfigureRequest request, StreamObserver<ReconfigureReply> reply) {
            answer(reply, request, ReconfigureReply.newBuilder().addNeedRestart("x").build());
        }
    }

    private final class Accounting extends AccountsGrpc.AccountsImplBase {
        @Override
        public void listAccounts(
                ListAccountsRequest request, StreamObserver<ListAccountsReply> reply) {
            answer(
                    reply,
                    request,
                    ListAccountsReply.newBuilder()
                            .setCluster("one")
                            .setNowMicros(NOW)
                            .addTres(TresView.newBuilder().setId(1).setType("cpu"))
                            .addTres(
                                    TresView.newBuilder()
                                            .setId(1001)
                                            .setType("gres")
                                            .setName("gpu"))
                            .addAccounts(
                                    AccountView.newBuilder()
                                            .setName("physics")
                                            .addCoordinators("bob"))
                            .addUsers(
                                    UserView.newBuilder()
                                            .setName("alice")
                                            .setDefaultAccount("physics")
                                            .setAdminLevel("None"))
                            .addAssociations(
                                    AssociationView.newBuilder()
                                            .setId(3)
                                            .setAccount("physics")
                                            .setUser("alice")
                                            .setLimits(
                                                    AssociationLimits.newBuilder()
                                                            .setMaxJobs(5)
                                                            .putGrpTres("gres/gpu", 8)))
                            .addQos(
                                    QosView.newBuilder()
                                            .setId(1)
                                            .setName("normal")
                                            .addFlags("DenyOnLimit")
                                            .setPreemptMode("cancel"))
                            .addWckeys(
                                    WckeyView.newBuilder().setId(2).setName("k").setUser("alice"))
                            .build());
        }

        @Override
        public void changeAccounts(
                ChangeAccountsRequest request, StreamObserver<ChangeAccountsReply> reply) {
            answer(
                    reply,
                    request,
                    ChangeAccountsReply.newBuilder()
                            .addAffected(AffectedEntity.newBuilder().setName("x"))
                            .build());
        }

        @Override
        public void listRecords(
                ListRecordsRequest request, StreamObserver<ListRecordsReply> reply) {
            var record =
                    JobRecord.newBuilder()
                            .setJobId(7)
                            .setState("COMPLETED")
                            .setUserName("alice")
                            .setStartMicros(NOW)
                            .putTresAllocated(1, 8);
            answer(
                    reply,
                    request,
                    ListRecordsReply.newBuilder()
                            .setCluster("one")
                            .addTres(TresView.newBuilder().setId(1).setType("cpu"))
                            .addJobs(
                                    JobHistory.newBuilder()
                                            .setJob(record)
                                            .setCluster("one")
                                            .addSteps(
                                                    StepRecord.newBuilder()
                                                            .setStepId(-5)
                                                            .setState("FAILED")
                                                            .setExitCode(1)
                                                            .setNodeList("n[1-2]")))
                            .build());
        }
    }

    private final class Counting extends StatisticsGrpc.StatisticsImplBase {
        @Override
        public void getStatistics(
                GetStatisticsRequest request, StreamObserver<GetStatisticsReply> reply) {
            answer(
                    reply,
                    request,
                    GetStatisticsReply.newBuilder()
                            .setNowMicros(NOW)
                            .addCalls(CallStatistics.newBuilder().setName("Ping").setCount(1))
                            .addCallers(CallStatistics.newBuilder().setName("alice").setUid(1000))
                            .build());
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
