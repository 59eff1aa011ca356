package dev.spur.testkit.simulated;

import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.RequeueJobsRequest;
import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.SubmitJobReply;
import dev.spur.api.v1.WatchJobRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import dev.spur.model.notation.Signal;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.testkit.simulated.disk.SimulatedDisk;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Controllers, nodes and their users, in one thread and in simulated time:
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
    private static final Duration REGISTRATION = Duration.ofSeconds(15);
    private static final Duration SAMPLED_EVERY = Duration.ofSeconds(10);
    private static final Duration LONGEST_ERROR = Duration.ofMinutes(3);
    private static final int SAMPLES_COMPARED = 18;
    private static final long MOST_ENTRIES = 1_200;

    private final long seed;
    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final SimulatedRaft raft;
    private final List<SimulatedController> controllers = new ArrayList<>();
    private final SimulatedClient client;
    private final Map<String, SimulatedAgent> agents = new LinkedHashMap<>();
    private Consumer<Snapshot> check = _ -> {};
    private final Map<String, Long> checkedRevisions = new HashMap<>();
    private Snapshot newest = new ReplicatedState().snapshot();
    private long checkedChanges = -1;
    private long requests;
    private final Chronicle chronicle;
    private final Map<SimulatedController.Life, Instant> wrongLeaders = new HashMap<>();
    private final Queue<Long> entriesBefore = new ArrayDeque<>();
    private final OrdersArrive orders = new OrdersArrive();
    private final LiveRuns liveRuns = new LiveRuns();
    private final SimulatedNodes site;
    private SimulatedRules rules;
    private @Nullable SimulatedDatabase database;

    private SimulatedCluster(
            SimulatedNodes site, SimulatedRules rules, long seed, boolean troubled) {
        this.seed = seed;
        this.site = site;
        this.rules = rules;
        time = new SimulatedTime(seed);
        chronicle = new Chronicle(time);
        network = new SimulatedNetwork(time);
        network.isRough(troubled);
        raft = new SimulatedRaft(time, network, site.controllers());
        var around =
                new SimulatedController.Surroundings(
                        time,
                        network,
                        raft,
                        Identities.shared(),
                        () -> ConfigFile.parse(site.configuration(this.rules)),
                        habits(troubled));
        site.controllerNames()
                .forEach(name -> controllers.add(new SimulatedController(name, around)));
        client = new SimulatedClient(time, network, controllers);
        controllers.forEach(SimulatedController::start);
        site.names()
                .forEach(name ->
                        agents.put(
                                name, new SimulatedAgent(name, site, time, network, controllers)));
        sample();
    }

    private SimulatedLog.Habits habits(boolean troubled) {
        return new SimulatedLog.Habits(
                10 + time.random().nextInt(200), 1 + time.random().nextInt(8), troubled);
    }

    /// All nodes are up when it returns.
    public static SimulatedCluster with(SimulatedNodes site) {
        return started(new SimulatedCluster(site, SimulatedRules.of(site.leased()), 1, false));
    }

    /// Some messages take seconds, and controllers are busy now and then.
    static SimulatedCluster with(SimulatedNodes site, SimulatedRules rules, long seed) {
        return started(new SimulatedCluster(site, rules, seed, true));
    }

    private static SimulatedCluster started(SimulatedCluster cluster) {
        cluster.advance(REGISTRATION);
        return cluster;
    }

    // ---- what a user does ----

    /// Returns when the controller has answered.
    public JobId submit(SimulatedJob job) {
        return await(submitting(job));
    }

    public CompletableFuture<JobId> submitting(SimulatedJob job) {
        var request = job.request(requestId());
        return client.<SubmitJobReply>ask(
                        Users.ALICE, (life, reply) -> life.service().submitJob(request, reply))
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
        return client.ask(Users.ALICE, (life, reply) -> life.service().cancelJobs(request, reply));
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
        return client.ask(Users.ALICE, (life, reply) -> life.service().requeueJobs(request, reply));
    }

    /// What an administrator decides; returns when it is in force.
    public Result decide(Function<Instant, Command> command) {
        return await(deciding(command));
    }

    CompletableFuture<Result> deciding(Function<Instant, Command> command) {
        return client.ask(
                Users.ROOT,
                (life, reply) -> Failures.answer(reply, () -> life.proposals().decide(command)));
    }

    private String requestId() {
        return "request-" + ++requests;
    }

    <T> CompletableFuture<T> ask(
            Caller.Person caller, BiConsumer<SimulatedController.Life, StreamObserver<T>> call) {
        return client.ask(caller, call);
    }

    /// Somebody watches a job, at the controller that leads; empty if none does.
    Optional<SimulatedWatcher> watch(Caller.Person caller, JobId job, WatchJobRequest request) {
        var leading = leader().flatMap(name -> controller(name).life());
        return leading.filter(life -> !life.process().isStopped())
                .map(life -> {
                    var watcher = new SimulatedWatcher(job, time, life);
                    life.process()
                            .run(() ->
                                    Context.current()
                                            .withValue(Caller.CURRENT, caller)
                                            .run(() -> life.service().watchJob(request, watcher)));
                    return watcher;
                });
    }

    /// srun hands a node its part of a step.
    void runStep(String node, SignedLaunch launch, SimulatedProgram program) {
        time.after(
                network.delay(),
                () -> {
                    if (network.reaches(SimulatedClient.HOST, node)) {
                        agent(node).life().ifPresent(life -> life.runStep(launch, program));
                    }
                });
    }

    <T> T await(CompletableFuture<T> answer) {
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
        return new AssertionError(
                "seed %d, %s, step %d: %s%n%s"
                        .formatted(
                                seed,
                                time.instant(),
                                time.steps(),
                                what,
                                String.join("\n", time.told())),
                cause);
    }

    /// The power of its machine goes.
    public void failController(String name) {
        time.tell("the power of %s goes", name);
        controller(name).cutPower();
    }

    public void killController(String name) {
        controller(name).kill();
    }

    public void restartController(String name) {
        controller(name).start();
    }

    /// All of them lose their power.
    public void failControllers() {
        controllers.forEach(SimulatedController::cutPower);
    }

    public void restartControllers() {
        controllers.forEach(SimulatedController::start);
    }

    public List<String> controllers() {
        return controllers.stream().map(SimulatedController::host).toList();
    }

    /// The controller that leads, by what it knows itself; of two, the later one.
    public Optional<String> leader() {
        return controllers.stream()
                .filter(controller -> epoch(controller) > 0)
                .max(Comparator.comparing(SimulatedCluster::epoch))
                .map(SimulatedController::host);
    }

    private static long epoch(SimulatedController controller) {
        return controller
                .life()
                .map(life -> life.leadership() instanceof Leadership.Leading(var e) ? e : 0L)
                .orElse(0L);
    }

    private SimulatedController controller(String name) {
        return controllers.stream()
                .filter(each -> each.host().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no controller is called " + name));
    }

    public void cutOff(String node) {
        time.tell("%s is cut off", node);
        network.cutOff(node);
    }

    /// These two hosts from each other.
    public void cut(String one, String other) {
        time.tell("%s and %s are cut off from each other", one, other);
        network.cut(one, other);
    }

    public void heal(String host) {
        time.tell("%s is connected again", host);
        network.heal(host);
    }

    public void healAll() {
        time.tell("everything is connected");
        network.healAll();
    }

    /// SIGSTOP, and SIGCONT later.
    public void pauseController(String name, Duration duration) {
        controller(name).pause(duration);
    }

    public void pauseAgent(String node, Duration duration) {
        time.tell("the agent of %s stands still for %s", node, duration);
        agent(node).pause(duration);
    }

    /// From now on its clock is so far ahead of the true time, or behind.
    public void setClock(String controller, Duration ahead) {
        time.tell("the clock of %s is %s ahead", controller, ahead);
        controller(controller).clock().set(ahead);
    }

    /// Nobody starts it again.
    public void killAgent(String node) {
        agent(node).kill();
    }

    public void restartAgent(String node) {
        time.tell("the agent of %s is restarted", node);
        agent(node).restart();
    }

    /// For so long its agent cannot launch anything.
    void failLaunches(String node, Duration duration) {
        time.tell("%s launches nothing for %s", node, duration);
        agent(node).machine().failLaunches(duration);
    }

    public void reboot(String node) {
        time.tell("%s reboots", node);
        agent(node).reboot();
    }

    private SimulatedAgent agent(String node) {
        var agent = agents.get(node);
        if (agent == null) {
            throw new IllegalArgumentException("no node is called " + node);
        }
        return agent;
    }

    /// Somebody else wants to lead.
    void changeLeader() {
        var candidate = controllers.get(time.random().nextInt(controllers.size()));
        candidate.life().ifPresent(life -> life.process().run(life.log()::campaignAnyway));
    }

    void setRough(boolean rough) {
        network.isRough(rough);
    }

    SimulatedDisk disk(String controller) {
        time.tell("something is done to the disk of %s", controller);
        return controller(controller).disk();
    }

    /// From the next start of its agent on.
    void nameGpus(String node, String type) {
        agent(node).nameGpus(type);
    }

    /// Writes spur.conf; nobody has read it yet.
    void configure(SimulatedRules changed) {
        rules = changed;
    }

    void after(Duration delay, Runnable what) {
        time.after(delay, what);
    }

    Duration between(Duration shortest, Duration longest) {
        return time.between(shortest, longest);
    }

    void tell(String what, @Nullable Object... details) {
        time.tell(what, details);
    }

    // ---- what can be seen ----

    /// The last of what happened, in words.
    List<String> told() {
        return time.told();
    }

    /// How far any controller ever was. What people were told may be from there, although whoever
    /// told it reads its log again by now, from the beginning, and nobody else knows.
    long newestRevision() {
        return newest.revision();
    }

    Instant newestTime() {
        return newest.now();
    }

    Traffic traffic() {
        return network.traffic();
    }

    long entries() {
        return raft.entries();
    }

    long steps() {
        return time.steps();
    }

    long fingerprint() {
        return time.fingerprint();
    }

    public Instant now() {
        return time.instant();
    }

    /// For choices of the test itself: part of what the seed determines.
    public Random random() {
        return time.random();
    }

    /// The state of the controller that knows most, or knew most when it failed.
    public Snapshot snapshot() {
        return controllers.stream()
                .map(SimulatedController::snapshot)
                .max(Comparator.comparing(Snapshot::revision))
                .orElseThrow();
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

    /// By the plan of the controller that leads.
    public Instant expectedStart(JobId id) {
        var leading = leader().flatMap(name -> controller(name).life()).orElseThrow();
        var wait = Objects.requireNonNull(leading.plan().of(job(id)));
        return Objects.requireNonNull(wait.expectedStart());
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

    /// There is an accounting database from now on.
    void keepAccounts() {
        database = new SimulatedDatabase(time, network, controllers);
    }

    /// The accounting database does not fail any more.
    void calmDatabase() {
        if (database != null) {
            database.calm();
        }
    }

    /// The database has been told exactly what a replica records that was never interrupted.
    void compareRecords() {
        if (database == null) {
            return;
        }
        var expected = raft.uninterrupted().records();
        var stored = database.stored();
        for (var i = 0; i < Math.min(expected.size(), stored.size()); i++) {
            if (!expected.get(i).equals(stored.get(i))) {
                throw new AssertionError(
                        "the database has %s where %s was recorded"
                                .formatted(stored.get(i), expected.get(i)));
            }
        }
        if (expected.size() != stored.size()) {
            throw new AssertionError(
                    "%d records, and the database has %d"
                            .formatted(expected.size(), stored.size()));
        }
    }

    // ---- what must always be true ----

    /// Checks the state whenever it has changed.
    public void always(Consumer<Snapshot> stateCheck) {
        check = stateCheck;
    }

    private void check() {
        // After every step: a stream for each would cost as much as what the step does.
        for (var controller : controllers) {
            controller.life().ifPresent(this::check);
        }
        var changes = 0L;
        for (var agent : agents.values()) {
            changes += agent.machine().changes();
        }
        if (changes != checkedChanges) {
            checkedChanges = changes;
            liveRuns.check(
                    agents.values().stream().flatMap(agent -> agent.machine().liveRuns()).toList());
        }
    }

    /// Looks at what may be wrong for a while, every few seconds.
    private void sample() {
        var epoch = controllers.stream().mapToLong(SimulatedCluster::epoch).max().orElse(0);
        agents.values()
                .forEach(agent -> orders.check(time.instant(), agent, epoch == 0 ? null : epoch));
        controllers.forEach(controller -> controller.life().ifPresent(this::checkScripts));
        controllers.forEach(controller -> controller.life().ifPresent(this::checkLeadership));
        checkGrowth();
        time.after(SAMPLED_EVERY, this::sample);
    }

    /// A controller may believe for a while that it leads, not for ever.
    private void checkLeadership(SimulatedController.Life life) {
        var right =
                life.leadership().isLeading() == life.log().leads() || life.process().isStopped();
        var since = right ? null : wrongLeaders.getOrDefault(life, time.instant());
        if (since == null) {
            wrongLeaders.remove(life);
            return;
        }
        wrongLeaders.put(life, since);
        if (since.plus(LONGEST_ERROR).isBefore(time.instant())) {
            throw new AssertionError(
                    "%s says since %s: %s".formatted(life.host(), since, life.leadership()));
        }
    }

    /// Alarms that ring for nothing fill the log.
    private void checkGrowth() {
        entriesBefore.add(raft.entries());
        if (entriesBefore.size() > SAMPLES_COMPARED) {
            var grown = raft.entries() - entriesBefore.remove();
            if (grown > MOST_ENTRIES) {
                throw new AssertionError(
                        "the log grew by %d entries within %s"
                                .formatted(grown, SAMPLED_EVERY.multipliedBy(SAMPLES_COMPARED)));
            }
        }
    }

    /// Whoever leads next must be able to launch every job.
    private void checkScripts(SimulatedController.Life life) {
        for (var job : life.state().snapshot().jobs()) {
            var script = job.script();
            if (script != null && !job.isEnded() && !life.blobs().contains(script.sha256())) {
                throw new AssertionError(
                        "%s has no script of job %s".formatted(life.host(), job.shownId()));
            }
        }
    }

    /// When all have everything, all have the same.
    void compareControllers() {
        for (var controller : controllers) {
            controller
                    .life()
                    .ifPresent(life -> {
                        raft.compare(life.log(), life.log().applied());
                        life.state().snapshot().jobs().forEach(job -> readScript(life, job));
                    });
        }
    }

    private static void readScript(SimulatedController.Life life, Job job) {
        var script = job.script();
        if (script != null && life.blobs().get(script.sha256()).isEmpty()) {
            throw new AssertionError(
                    "%s has no script of job %s".formatted(life.host(), job.shownId()));
        }
    }

    private void check(SimulatedController.Life life) {
        var snapshot = life.state().snapshot();
        var before = checkedRevisions.put(life.host(), snapshot.revision());
        if (before == null || before != snapshot.revision()) {
            newest = snapshot.revision() > newest.revision() ? snapshot : newest;
            chronicle.note(snapshot);
            liveRuns.note(snapshot);
            check.accept(snapshot);
        }
    }

    @Override
    public void close() {
        controllers.forEach(SimulatedController::kill);
    }
}
