package dev.spur.testkit.simulated;

import static dev.spur.testkit.simulated.SimulatedJob.job;
import static java.util.Objects.requireNonNull;

import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.CreateStepReply;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.CreateTokenReply;
import dev.spur.api.v1.CreateTokenRequest;
import dev.spur.api.v1.HoldJobsRequest;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.ReconfigureReply;
import dev.spur.api.v1.ReconfigureRequest;
import dev.spur.api.v1.ReleaseJobsRequest;
import dev.spur.api.v1.RequeueJobsRequest;
import dev.spur.api.v1.RevokeTokenReply;
import dev.spur.api.v1.RevokeTokenRequest;
import dev.spur.api.v1.SubmitJobReply;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.UpdateNodesReply;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.api.v1.WatchJobRequest;
import dev.spur.controller.access.Caller;
import dev.spur.engine.job.Hold;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Command;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobState;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// What people ask of a cluster, at random, and what they were promised.
///
/// Each counts his own requests, so ids of different people are often the same.
final class Requests {
    private static final Duration LATER = Duration.ofMinutes(5);

    private final SimulatedCluster cluster;
    private final Promises promises;
    private final Random random;
    private final Map<Caller.Person, Integer> requests = new HashMap<>();
    private final List<SimulatedWatcher> watchers = new ArrayList<>();
    private final SiteChanges site;
    private SimulatedRules rules;

    Requests(SimulatedCluster cluster, Promises promises, SimulatedRules rules) {
        this.cluster = cluster;
        this.promises = promises;
        this.random = cluster.random();
        this.rules = rules;
        site = new SiteChanges(cluster, () -> id(Users.ROOT));
    }

    /// Somebody asks for something.
    void any() {
        switch (random.nextInt(51)) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 -> submit();
            case 12, 13, 14 -> anyJob(id -> cancel(id, owner(id)));
            case 15, 16 -> anyJob(id -> requeue(id, false));
            case 17 -> anyJob(id -> requeue(id, true));
            case 18 -> anyJob(id -> hold(id, owner(id)));
            case 19, 20 -> anyJob(id -> hold(id, Users.ROOT));
            case 21 -> anyJob(id -> release(id, owner(id)));
            case 22, 23 -> anyJob(id -> release(id, Users.ROOT));
            case 24, 25, 26, 27, 28 -> anyJob(this::update);
            case 29, 30 -> anyJob(this::suspend);
            case 31 -> anyJob(this::resume);
            case 32, 33, 34 -> createStep();
            case 35 -> cancelStep();
            case 36, 37 -> reconfigure(rules.changed(random));
            case 38 -> updateNode();
            case 39 -> createToken();
            case 40, 41 -> anyRunning(job -> raiseOrLowerLimit(job.id()));
            case 42 -> anyRunning(job -> suspend(job.id()));
            case 43, 44 -> anyJob(this::watch);
            case 45, 46, 47, 48, 49 -> site.any();
            case 50 -> anyJob(this::top);
            default -> throw new IllegalStateException();
        }
    }

    // ---- jobs ----

    private void submit() {
        var caller = random.nextInt(3) == 0 ? Users.BOB : Users.ALICE;
        var exit = random.nextInt(4) == 0 ? 1 : 0;
        var job =
                job().limit(Duration.ofMinutes(1 + random.nextInt(10)))
                        .runs(Duration.ofMillis(1 + random.nextInt(400_000)))
                        .exits(exit)
                        .cpus(1 + random.nextInt(4));
        var ends = EnumSet.of(exit == 0 ? JobState.COMPLETED : JobState.FAILED);
        if (random.nextInt(3) == 0) {
            job.nodes(2);
        }
        if (random.nextInt(3) == 0) {
            job.gpus(1 + random.nextInt(2));
        }
        if (random.nextInt(3) == 0) {
            job.memory(1 + random.nextInt(8_000));
        }
        if (random.nextInt(3) == 0) {
            job.noRequeue();
            ends.add(JobState.NODE_FAIL);
        }
        if (random.nextInt(4) == 0) {
            job.ignoresTerm();
        }
        if (random.nextInt(20) == 0) {
            job.limit(Duration.ofDays(30_000));
        }
        if (random.nextInt(8) == 0) { // longer than a node may be away
            job.runs(Duration.ofMinutes(10 + random.nextInt(50))).limit(Duration.ofHours(2));
        }
        if (random.nextInt(4) == 0) {
            anyJob(before ->
                    job.dependingOn(
                            random.nextInt(3) == 0
                                    ? "after:" + before + "+1"
                                    : "afterany:" + before));
        }
        if (random.nextInt(8) == 0) {
            job.reservation(site.anyReservation());
        }
        if (random.nextInt(5) == 0) {
            job.partition(site.anyPartition());
        }
        var array = random.nextInt(6) == 0;
        if (array) {
            job.array("0-4%2");
        }
        send(caller, job.request(id(caller)), array, ends);
    }

    private void send(
            Caller.Person caller, SubmitJobRequest request, boolean array, EnumSet<JobState> ends) {
        var _ =
                submitting(caller, request)
                        .thenAccept(id -> {
                            promises.accepted(id, caller, array, ends, cluster.newestRevision());
                            if (random.nextInt(5) == 0) {
                                askAgain(caller, request, id);
                            }
                        });
    }

    /// The network delivers it twice.
    private void askAgain(Caller.Person caller, SubmitJobRequest request, JobId first) {
        cluster.after(
                cluster.between(Duration.ZERO, LATER),
                () -> {
                    var _ =
                            submitting(caller, request)
                                    .thenAccept(id -> {
                                        if (!id.equals(first)) {
                                            throw new AssertionError(
                                                    "one request made jobs %s and %s"
                                                            .formatted(first, id));
                                        }
                                    });
                });
    }

    private CompletableFuture<JobId> submitting(Caller.Person caller, SubmitJobRequest request) {
        return this.<SubmitJobReply>ask(
                        caller, (life, reply) -> life.service().submitJob(request, reply))
                .thenApply(reply -> JobId.of(Integer.toUnsignedLong(reply.getJobId())));
    }

    void cancel(JobId id, Caller.Person caller) {
        cluster.tell("%s cancels %s", caller.actor().userName(), id);
        promise(id).mayEnd(JobState.CANCELLED);
        var request =
                CancelJobsRequest.newBuilder()
                        .setRequestId(id(caller))
                        .addIds(id.toString())
                        .build();
        this.<JobActionReply>ask(
                caller, (life, reply) -> life.service().cancelJobs(request, reply));
    }

    private void requeue(JobId id, boolean hold) {
        var caller = random.nextBoolean() ? owner(id) : Users.ROOT;
        cluster.tell("%s requeues %s%s", caller.actor().userName(), id, hold ? ", held" : "");
        var request =
                RequeueJobsRequest.newBuilder()
                        .setRequestId(id(caller))
                        .addIds(id.toString())
                        .setHold(hold)
                        .build();
        this.<JobActionReply>ask(
                caller, (life, reply) -> life.service().requeueJobs(request, reply));
    }

    private void hold(JobId id, Caller.Person caller) {
        var request =
                HoldJobsRequest.newBuilder().setRequestId(id(caller)).addIds(id.toString()).build();
        var byRoot = caller.equals(Users.ROOT);
        cluster.tell("%s holds %s", caller.actor().userName(), id);
        if (byRoot) {
            promise(id).asked();
        }
        var _ =
                this.<JobActionReply>ask(
                                caller, (life, reply) -> life.service().holdJobs(request, reply))
                        .thenAccept(reply -> {
                            if (byRoot && isDone(reply) && isHeld(id)) {
                                promise(id).held(cluster.newestTime());
                            } else if (byRoot) {
                                promise(id).answered();
                            }
                        });
    }

    void release(JobId id, Caller.Person caller) {
        cluster.tell("%s releases %s", caller.actor().userName(), id);
        var byRoot = caller.equals(Users.ROOT);
        if (byRoot) {
            promise(id).asked();
        }
        var request =
                ReleaseJobsRequest.newBuilder()
                        .setRequestId(id(caller))
                        .addIds(id.toString())
                        .build();
        var _ =
                this.<JobActionReply>ask(
                                caller, (life, reply) -> life.service().releaseJobs(request, reply))
                        .thenAccept(_ -> {
                            if (byRoot) {
                                promise(id).answered();
                            }
                        });
    }

    private void update(JobId id) {
        var owner = owner(id);
        switch (random.nextInt(12)) {
            case 0, 1 -> raiseOrLowerLimit(id);
            case 2 -> limit(id, owner, 1 + random.nextInt(5));
            case 3 -> update(id, owner, "Priority", "" + random.nextInt(3));
            case 4 -> update(id, owner, "Partition", random.nextBoolean() ? "other" : "main");
            case 5 -> update(id, owner, "NumNodes", "" + (1 + random.nextInt(2)));
            case 6 -> update(id, owner, "CPUsPerTask", "" + (1 + random.nextInt(4)));
            case 7 -> update(id, owner, "MinMemoryNode", "" + (1 + random.nextInt(8_000)));
            case 8 -> update(id, owner, "Gres", "gpu:" + (1 + random.nextInt(2)));
            case 9 -> update(id, owner, "ReqNodeList", random.nextBoolean() ? "node1" : "");
            case 10 -> update(id, owner, "Nice", "" + random.nextInt(100));
            case 11 -> {
                promise(id).mayEnd(JobState.NODE_FAIL);
                update(id, owner, "Requeue", "" + random.nextInt(2));
            }
            default -> throw new IllegalStateException();
        }
    }

    private void raiseOrLowerLimit(JobId id) {
        limit(id, Users.ROOT, 5 + random.nextInt(60));
    }

    private void limit(JobId id, Caller.Person caller, int minutes) {
        promise(id).limitAsked(Duration.ofMinutes(minutes));
        update(id, caller, "TimeLimit", "" + minutes);
    }

    private void update(JobId id, Caller.Person caller, String key, String value) {
        cluster.tell("%s updates %s: %s=%s", caller.actor().userName(), id, key, value);
        var request =
                UpdateJobsRequest.newBuilder()
                        .setRequestId(id(caller))
                        .addIds(id.toString())
                        .putChanges(key, value)
                        .build();
        this.<JobActionReply>ask(
                caller, (life, reply) -> life.service().updateJobs(request, reply));
    }

    private void suspend(JobId id) {
        cluster.tell("root suspends %s", id);
        var request = id(Users.ROOT);
        var jobs = List.of(JobSelector.of(id));
        cluster.deciding(
                at -> new Command.SuspendJobs(at, request, Users.ROOT.actor(), jobs, true));
    }

    void resume(JobId id) {
        cluster.tell("root resumes %s", id);
        var request = id(Users.ROOT);
        var jobs = List.of(JobSelector.of(id));
        cluster.deciding(at -> new Command.ResumeJobs(at, request, Users.ROOT.actor(), jobs));
    }

    private void top(JobId id) {
        cluster.tell("root puts %s first", id);
        var request = id(Users.ROOT);
        var jobs = List.of(JobSelector.of(id));
        cluster.deciding(at -> new Command.TopJobs(at, request, Users.ROOT.actor(), jobs));
    }

    /// Nobody is kept from anything by what administrators made of the cluster.
    void letSiteGo() {
        site.letGo();
    }

    /// At whichever controller leads; nobody asks elsewhere if that one ends.
    private void watch(JobId id) {
        var caller = owner(id);
        var request = WatchJobRequest.newBuilder().setJobId(id.value()).build();
        cluster.watch(caller, id, request).ifPresent(watchers::add);
    }

    /// Ended jobs keep nobody out.
    void checkThatThereIsRoom() {
        var request = job().request(id(Users.ALICE));
        var _ = cluster.await(submitting(Users.ALICE, request));
    }

    /// All their jobs have ended.
    void checkWatchers() {
        watchers.forEach(SimulatedWatcher::checkThatItHeardTheEnd);
    }

    // ---- steps ----

    private void createStep() {
        anyRunning(running -> {
            var caller = owner(running.id());
            var program =
                    new SimulatedProgram(
                            Duration.ofMillis(1 + random.nextInt(300_000)),
                            0,
                            random.nextInt(3) == 0);
            var request =
                    CreateStepRequest.newBuilder()
                            .setRequestId(id(caller))
                            .setJobId(running.id().value())
                            .setOverlap(true)
                            .build();
            cluster.tell("srun in %s", running.id());
            var _ =
                    this.<CreateStepReply>ask(
                                    caller,
                                    (life, reply) -> life.service().createStep(request, reply))
                            .thenAccept(reply -> launch(reply, program));
        });
    }

    private void launch(CreateStepReply reply, SimulatedProgram program) {
        var step = reply.getCreated();
        for (var i = 0; i < step.getNodesCount(); i++) {
            cluster.runStep(step.getNodes(i).getNode(), step.getLaunches(i), program);
        }
    }

    private void cancelStep() {
        anyRunning(running -> {
            var caller = owner(running.id());
            var request =
                    CancelJobsRequest.newBuilder()
                            .setRequestId(id(caller))
                            .addIds(running.id() + ".0")
                            .build();
            this.<JobActionReply>ask(
                    caller, (life, reply) -> life.service().cancelJobs(request, reply));
        });
    }

    // ---- the cluster ----

    void reconfigure(SimulatedRules wanted) {
        rules = wanted;
        cluster.configure(wanted);
        cluster.tell("root reconfigures: %s", wanted);
        var request = ReconfigureRequest.newBuilder().setRequestId(id(Users.ROOT)).build();
        this.<ReconfigureReply>ask(
                Users.ROOT, (life, reply) -> life.service().reconfigure(request, reply));
    }

    private void updateNode() {
        var node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
        updateNode(node, random.nextInt(3) == 0 ? "DRAIN" : "RESUME");
    }

    void updateNode(String node, String state) {
        cluster.tell("root sets %s to %s", node, state);
        var request =
                UpdateNodesRequest.newBuilder()
                        .setRequestId(id(Users.ROOT))
                        .setNames(node)
                        .putChanges("State", state)
                        .putChanges("Reason", "by chance")
                        .build();
        this.<UpdateNodesReply>ask(
                Users.ROOT, (life, reply) -> life.service().updateNodes(request, reply));
    }

    private void createToken() {
        var request =
                CreateTokenRequest.newBuilder()
                        .setRequestId(id(Users.ROOT))
                        .setUser("root")
                        .setLifespanSeconds(100_000_000)
                        .build();
        var _ =
                this.<CreateTokenReply>ask(
                                Users.ROOT,
                                (life, reply) -> life.service().createToken(request, reply))
                        .thenAccept(reply -> revoke(reply.getId()));
    }

    private void revoke(String token) {
        var request =
                RevokeTokenRequest.newBuilder().setRequestId(id(Users.ROOT)).setId(token).build();
        var _ =
                this.<RevokeTokenReply>ask(
                                Users.ROOT,
                                (life, reply) -> life.service().revokeToken(request, reply))
                        .thenAccept(_ -> promises.revoked(token, cluster.newestRevision()));
    }

    // ---- asking ----

    private <T> CompletableFuture<T> ask(
            Caller.Person caller, BiConsumer<SimulatedController.Life, StreamObserver<T>> call) {
        return cluster.ask(caller, call);
    }

    private String id(Caller.Person caller) {
        return Integer.toString(requests.merge(caller, 1, Integer::sum));
    }

    private void anyJob(Consumer<JobId> deed) {
        var id = promises.any(random);
        if (id != null) {
            deed.accept(id);
        }
    }

    private void anyRunning(Consumer<Job> deed) {
        var running =
                cluster.snapshot().jobs().stream()
                        .filter(job -> job.phase() instanceof JobPhase.Running)
                        .filter(job -> promises.jobs().containsKey(job.id()))
                        .toList();
        if (!running.isEmpty()) {
            deed.accept(running.get(random.nextInt(running.size())));
        }
    }

    private Promises.Promise promise(JobId id) {
        return requireNonNull(promises.jobs().get(id));
    }

    private Caller.Person owner(JobId id) {
        return promise(id).owner();
    }

    /// Of an array it may be other tasks that were held: those that had ended were not.
    private boolean isHeld(JobId id) {
        return cluster.snapshot()
                .job(id)
                .filter(job -> job.queueing().hold() == Hold.ADMIN)
                .isPresent();
    }

    private static boolean isDone(JobActionReply reply) {
        return reply.getResultsList().stream()
                .allMatch(result -> result.getOutcome() == JobActionOutcome.JOB_ACTION_DONE);
    }
}
