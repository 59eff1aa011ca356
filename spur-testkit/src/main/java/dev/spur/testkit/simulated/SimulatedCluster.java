package dev.spur.testkit.simulated;

import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.RequeueJobsRequest;
import dev.spur.api.v1.SubmitJobReply;
import dev.spur.engine.state.Job;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import dev.spur.model.notation.Signal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One controller, its nodes and a user, in one thread and in simulated time:
///
/// ```
/// var cluster = SimulatedCluster.with(nodes(4).gpus(8));
/// var job = cluster.submit(job().gpus(2).runs(Duration.ofMinutes(5)));
/// cluster.advance(Duration.ofMinutes(6));
/// assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETED);
/// ```
///
/// After every step it is checked that no job runs twice at once and that nothing of a machine is
/// used by two jobs; failures name the seed.
public final class SimulatedCluster implements AutoCloseable {
    private static final Duration LONGEST_ANSWER = Duration.ofHours(1);
    private static final Duration REGISTRATION = Duration.ofSeconds(5);

    private final long seed;
    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final Path directory;
    private final SimulatedController controller;
    private final SimulatedClient client;
    private final Map<String, SimulatedAgent> agents = new LinkedHashMap<>();
    private Consumer<Snapshot> check = _ -> {};
    private long checkedRevision = -1;
    private long checkedChanges = -1;
    private long requests;

    private SimulatedCluster(SimulatedNodes nodes, long seed, boolean rough) throws IOException {
        this.seed = seed;
        time = new SimulatedTime(seed);
        network = new SimulatedNetwork(time, rough);
        directory = Files.createTempDirectory("spur-simulated");
        controller = new SimulatedController(time, network, directory, nodes.configuration());
        client = new SimulatedClient(time, network, controller::serving);
        controller.start();
        nodes.names()
                .forEach(name ->
                        agents.put(
                                name,
                                new SimulatedAgent(
                                        name, nodes, time, network, controller::serving)));
    }

    /// All nodes are up when it returns.
    public static SimulatedCluster with(SimulatedNodes nodes) {
        return with(nodes, 1, false);
    }

    /// @param rough whether some messages take seconds
    public static SimulatedCluster with(SimulatedNodes nodes, long seed, boolean rough) {
        try {
            var cluster = new SimulatedCluster(nodes, seed, rough);
            cluster.advance(REGISTRATION);
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- what a user does ----

    /// Returns when the controller has answered.
    public JobId submit(SimulatedJob job) {
        return await(submitting(job));
    }

    public CompletableFuture<JobId> submitting(SimulatedJob job) {
        var request = job.request(requestId());
        return client.<SubmitJobReply>ask((service, reply) -> service.submitJob(request, reply))
                .thenApply(reply -> JobId.of(Integer.toUnsignedLong(reply.getJobId())));
    }

    public void cancel(JobId job) {
        await(cancelling(job));
    }

    public CompletableFuture<JobActionReply> cancelling(JobId job) {
        var request =
                CancelJobsRequest.newBuilder()
                        .setRequestId(requestId())
                        .addIds(job.toString())
                        .build();
        return client.ask((service, reply) -> service.cancelJobs(request, reply));
    }

    public void requeue(JobId job) {
        await(requeueing(job));
    }

    public CompletableFuture<JobActionReply> requeueing(JobId job) {
        var request =
                RequeueJobsRequest.newBuilder()
                        .setRequestId(requestId())
                        .addIds(job.toString())
                        .build();
        return client.ask((service, reply) -> service.requeueJobs(request, reply));
    }

    private String requestId() {
        return "request-" + ++requests;
    }

    private <T> T await(CompletableFuture<T> answer) {
        var end = time.instant().plus(LONGEST_ANSWER);
        while (!answer.isDone()) {
            if (!step(end)) {
                throw failed("no answer within " + LONGEST_ANSWER, null);
            }
        }
        return answer.join();
    }

    // ---- what happens to it ----

    public void advance(Duration duration) {
        advanceTo(time.instant().plus(duration));
    }

    public void advanceTo(Instant moment) {
        while (step(moment)) {
            // what happens is the purpose
        }
    }

    /// Lets one thing happen. False if nothing was to happen within the duration.
    public boolean step(Duration within) {
        return step(time.instant().plus(within));
    }

    private boolean step(Instant until) {
        try {
            var happened = time.stepUntil(until);
            check();
            return happened;
        } catch (RuntimeException | AssertionError e) {
            throw failed(String.valueOf(e.getMessage()), e);
        }
    }

    private AssertionError failed(String what, @Nullable Throwable cause) {
        return new AssertionError("seed %d, %s: %s".formatted(seed, time.instant(), what), cause);
    }

    public void failController() {
        controller.crash();
    }

    public void restartController() {
        controller.restart();
    }

    public boolean hasController() {
        return controller.serving().isPresent();
    }

    public void cutOff(String node) {
        network.cutOff(node);
    }

    public void heal(String node) {
        network.heal(node);
    }

    /// Nobody starts it again.
    public void killAgent(String node) {
        agent(node).kill();
    }

    public void restartAgent(String node) {
        agent(node).restart();
    }

    public void reboot(String node) {
        agent(node).reboot();
    }

    private SimulatedAgent agent(String node) {
        var agent = agents.get(node);
        if (agent == null) {
            throw new IllegalArgumentException("no node is called " + node);
        }
        return agent;
    }

    // ---- what can be seen ----

    public Instant now() {
        return time.instant();
    }

    /// For choices of the test itself: part of what the seed determines.
    public Random random() {
        return time.random();
    }

    /// The state as the controller has it, or had it when it failed.
    public Snapshot snapshot() {
        return controller.snapshot();
    }

    public List<String> nodes() {
        return List.copyOf(agents.keySet());
    }

    public Job job(JobId id) {
        return snapshot()
                .job(id)
                .orElseThrow(() -> failed("job %s is not known".formatted(id), null));
    }

    public JobState state(JobId id) {
        return job(id).state();
    }

    /// The records of an array: tasks that have started or ended, and those that wait.
    public List<Job> tasks(JobId array) {
        return snapshot().jobs().stream()
                .filter(job -> job.array() != null && job.array().array().equals(array))
                .toList();
    }

    /// Everything that ever ran of a job, wherever it was, in the order of its start.
    public List<Run> runsOf(JobId job) {
        return runs().stream().filter(run -> run.key().job() == job.value()).toList();
    }

    public List<Run> runs() {
        return agents.values().stream()
                .flatMap(agent -> agent.machine().runs())
                .sorted(Comparator.comparing(Run::startedAt))
                .toList();
    }

    /// What the job's scripts were sent, in order.
    public List<Signal> signalsTo(JobId job) {
        return runsOf(job).stream()
                .flatMap(run -> run.signals().stream())
                .map(Run.Sent::signal)
                .toList();
    }

    // ---- what must always be true ----

    /// Checks the state whenever it has changed.
    public void always(Consumer<Snapshot> stateCheck) {
        check = stateCheck;
    }

    private void check() {
        var snapshot = controller.snapshot();
        if (snapshot.revision() != checkedRevision) {
            checkedRevision = snapshot.revision();
            check.accept(snapshot);
        }
        var changes = agents.values().stream().mapToLong(agent -> agent.machine().changes()).sum();
        if (changes != checkedChanges) {
            checkedChanges = changes;
            LiveRuns.check(
                    agents.values().stream().flatMap(agent -> agent.machine().liveRuns()).toList());
        }
    }

    @Override
    public void close() {
        try (controller;
                var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
