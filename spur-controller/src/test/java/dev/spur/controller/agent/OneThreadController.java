package dev.spur.controller.agent;

import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.dispatch.Dispatcher;
import dev.spur.controller.dispatch.Launches;
import dev.spur.controller.raft.InMemoryLog;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.JobsByNode;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.StartCommands;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.fixture.NodeFixture;
import dev.spur.runtime.identity.LaunchCredentials;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/// What a controller has to do with its agents, in the test's own thread and by a clock that the
/// test sets: two nodes, `node1` and `node2`.
public final class OneThreadController implements AutoCloseable {
    public static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(30);
    public static final LaunchCredentials CREDENTIALS = LaunchCredentials.of(new byte[32]);

    private static final String NAME = "controller";

    private final ReplicatedState state = new ReplicatedState();
    private final BlobStore blobs;
    private final InMemoryLog.Quorum<Proposal, Result> quorum;
    private final FragileLog log;
    private final Proposals proposals;
    private final Agents agents;
    private Instant now = Heart.START;

    public OneThreadController(Path directory) throws IOException {
        blobs = BlobStore.open(directory.resolve("blobs"));
        var feed = new EventFeed(state, Runnable::run);
        quorum = new InMemoryLog.Quorum<>(new ProposalCodec(), Runnable::run);
        log =
                new FragileLog(
                        quorum.join(
                                NAME,
                                new ClusterReplica(
                                        state,
                                        blobs,
                                        Spool.open(directory.resolve("spool")),
                                        feed)));
        proposals = new Proposals(log, state, () -> now);
        var jobsByNode = new JobsByNode();
        agents =
                new Agents(
                        state,
                        proposals,
                        log::leadership,
                        CREDENTIALS,
                        jobsByNode,
                        () -> now,
                        Runnable::run,
                        HEARTBEAT_TIMEOUT);
        feed.subscribe(jobsByNode);
        log.whileLeading(
                new Dispatcher(
                        state,
                        feed,
                        agents,
                        new Launches(blobs, CREDENTIALS, () -> now),
                        jobsByNode,
                        proposals,
                        log::leadership,
                        () -> now));
        quorum.elect(NAME);
        configure(ClusterRules.DEFAULTS);
    }

    // ---- what happens to the controller ----

    public void configure(ClusterRules rules) {
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node[1-2]", NodeFixture.node().shape())),
                        rules);
        apply(at -> new Command.ApplyConfig(at, "", Heart.ADMIN, config));
    }

    public void advance(Duration by) {
        now = now.plus(by);
    }

    /// Its log takes nothing, or takes everything again.
    public void busy(boolean yes) {
        log.busy = yes;
    }

    /// This happens when the next entry is about to be written, and before it.
    public void beforeTheNextEntry(Runnable what) {
        log.first = what;
    }

    /// Another term begins; agents have to come again.
    public void leadAnew() {
        agents.disconnectAll("this controller leads no longer");
        quorum.elect(NAME);
    }

    /// Another controller leads, and this one does not act on it yet.
    public void loseLeadership() {
        quorum.resign();
    }

    // ---- what people do ----

    public Result apply(Function<Instant, Command> command) {
        return proposals.decide(command);
    }

    /// Submits and starts.
    public JobId run(JobFixture job) {
        var submitted =
                apply(at -> new Command.SubmitJob(at, "", Heart.ALICE, job.spec(), null, null));
        schedule();
        return ((Result.Submitted) submitted).job();
    }

    public void schedule() {
        StartCommands.of(state.snapshot(), new BackfillPass().plan(state.snapshot(), now), now)
                .forEach(command -> apply(_ -> command));
    }

    public void cancel(String selector) {
        apply(at ->
                new Command.CancelJobs(at, "", Heart.ADMIN, List.of(JobSelector.parse(selector))));
    }

    // ---- agents ----

    Agents agents() {
        return agents;
    }

    public PretendChannel connect(String node) {
        return connect(new PretendChannel(agents, node));
    }

    public PretendChannel connect(PretendChannel agent) {
        agent.open();
        return agent;
    }

    // ---- what can be seen ----

    public Instant now() {
        return now;
    }

    public Job job(JobId id) {
        return state.snapshot().job(id).orElseThrow();
    }

    public Node node(String name) {
        return state.snapshot().node(name).orElseThrow();
    }

    @Override
    public void close() throws IOException {
        log.close();
        blobs.close();
    }
}
