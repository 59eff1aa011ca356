package dev.spur.controller.agent;

import com.google.protobuf.ByteString;
import dev.spur.api.map.InstantMapper;
import dev.spur.api.map.NodeReportMapper;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.Heartbeat;
import dev.spur.api.v1.HeartbeatSeen;
import dev.spur.api.v1.JobGone;
import dev.spur.api.v1.LaunchFailed;
import dev.spur.api.v1.Register;
import dev.spur.api.v1.ReportsSeen;
import dev.spur.api.v1.RunningJob;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.Welcome;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.node.NodeLoads;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.NotLeaderException;
import dev.spur.controller.state.JobsByNode;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Node;
import dev.spur.engine.state.Result;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.state.StepEnd;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.StepId;
import dev.spur.runtime.identity.LaunchCredentials;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All agents that are connected, and when each was last heard of.
public final class Agents implements NodeLoads {
    private static final Logger LOG = LoggerFactory.getLogger(Agents.class);

    /// For clocks that do not run alike, and processes that take a moment to die.
    private static final Duration LEASE_MARGIN = Duration.ofSeconds(10);

    private final ReplicatedState state;
    private final Proposals proposals;
    private final Supplier<Leadership> leadership;
    private final LaunchCredentials credentials;
    private final JobsByNode jobsByNode;
    private final InstantSource clock;
    private final Executor executor;
    private final Duration heartbeatTimeout;
    private final ConcurrentMap<String, AgentSession> sessions = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Heard> heard = new ConcurrentHashMap<>();
    private volatile Registered registered = (_, _) -> {};

    private record Heard(Instant at, Load load) {}

    /// Told when a node is connected and recorded: what it missed can be sent now.
    public interface Registered {
        void registered(String node, Set<JobId> present);
    }

    public Agents(
            ReplicatedState state,
            Proposals proposals,
            Supplier<Leadership> leadership,
            LaunchCredentials credentials,
            JobsByNode jobsByNode,
            InstantSource clock,
            Executor executor,
            Duration heartbeatTimeout) {
        this.state = state;
        this.proposals = proposals;
        this.leadership = leadership;
        this.credentials = credentials;
        this.jobsByNode = jobsByNode;
        this.clock = clock;
        this.executor = executor;
        this.heartbeatTimeout = heartbeatTimeout;
    }

    public void onRegistered(Registered listener) {
        registered = listener;
    }

    /// False if the agent is not connected: it will be told when it comes.
    public boolean send(String node, Order order) {
        var session = sessions.get(node);
        if (session == null) {
            return false;
        }
        session.send(order);
        return true;
    }

    /// A connection whose first message has arrived. Blocks until the node is recorded.
    public AgentSession open(AgentChannel channel, Register register) {
        if (!(leadership.get() instanceof Leadership.Leading(var epoch))) {
            throw new NotLeaderException(null);
        }
        var node = register.getNode();
        record(register);
        var session = new AgentSession(node, channel, epoch, executor);
        heard.put(node, new Heard(clock.instant(), new Load(0, 0)));
        session.send(
                () -> Optional.of(ControllerMessage.newBuilder().setWelcome(welcome(register))));
        var before = sessions.put(node, session);
        if (before != null) {
            before.close("the agent has connected again");
        }
        registered.registered(node, present(register));
        LOG.atInfo()
                .addKeyValue("node", node)
                .addKeyValue("address", register.getAddress())
                .log("agent connected");
        return session;
    }

    /// Proposes only what is news: after a restart of the controller, thousands of agents come back
    /// unchanged.
    private void record(Register register) {
        var report = NodeReportMapper.toModel(register);
        var snapshot = state.snapshot();
        var known = snapshot.node(register.getNode());
        var unchanged =
                known.filter(node -> report.equals(node.report()) && node.responds()).isPresent()
                        && present(register).containsAll(expected(register.getNode(), snapshot))
                        && !isCompleting(known.get());
        if (unchanged) {
            return;
        }
        var jobs =
                register.getJobsList().stream()
                        .map(job -> new Command.JobOnNode(idOf(job), job.getAttempt()))
                        .toList();
        var result =
                proposals.decide(
                        at -> new Command.RegisterNode(at, register.getNode(), report, jobs));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
    }

    /// The node is about to hear what it must end, and has its time for that from now on.
    private static boolean isCompleting(Node node) {
        return node.usage().completing() > 0;
    }

    private Welcome welcome(Register register) {
        var snapshot = state.snapshot();
        var welcome =
                Welcome.newBuilder()
                        .setHeartbeatSeconds(
                                (int) Math.clamp(heartbeatTimeout.toSeconds() / 3, 1, 30))
                        .setNodeKey(
                                ByteString.copyFrom(
                                        credentials.keyFor(register.getNode()).reveal()))
                        .setCluster(snapshot.config().clusterName())
                        .setKillWaitSeconds((int) snapshot.config().killWait().toSeconds())
                        .setLeaseSeconds(leaseSeconds(snapshot));
        register.getJobsList().stream()
                .filter(job -> !belongs(job, register.getNode(), snapshot))
                .forEach(welcome::addForget);
        return welcome.build();
    }

    private static boolean belongs(RunningJob running, String node, Snapshot snapshot) {
        return snapshot.job(idOf(running))
                .filter(job -> job.attempt() == running.getAttempt() && job.hasNodes())
                .map(job -> job.phase().placementOrNull())
                .filter(placement -> placement.uses(node))
                .isPresent();
    }

    private static Set<JobId> present(Register register) {
        var present = new HashSet<JobId>();
        register.getJobsList().forEach(job -> present.add(idOf(job)));
        return present;
    }

    private Set<JobId> expected(String node, Snapshot snapshot) {
        return snapshot.node(node).filter(known -> known.usage().isIdle()).isPresent()
                ? Set.of()
                : Set.copyOf(jobsByNode.on(node));
    }

    public void received(AgentSession session, AgentMessage message) {
        switch (message.getMessageCase()) {
            case HEARTBEAT -> heartbeat(session, message.getHeartbeat());
            case REPORT -> report(session, message.getReport());
            case JOB_GONE -> gone(session, message.getJobGone());
            case LAUNCH_FAILED -> launchFailed(session, message.getLaunchFailed());
            case REGISTER, MESSAGE_NOT_SET ->
                    session.close("a stream registers once, as its first message");
        }
    }

    public void closed(AgentSession session) {
        session.close("closed");
        if (sessions.remove(session.node(), session)) {
            LOG.atInfo().addKeyValue("node", session.node()).log("agent disconnected");
        }
    }

    private void heartbeat(AgentSession session, Heartbeat heartbeat) {
        var node = session.node();
        var load = new Load(heartbeat.getLoadHundredths(), heartbeat.getFreeMemMb());
        heard.put(node, new Heard(clock.instant(), load));
        var snapshot = state.snapshot();
        var silent = snapshot.node(node).map(Node::silentSince).isPresent();
        if (silent) {
            proposals.note(at -> new Command.NodeResponded(at, node));
        }
        var lease = leaseSeconds(snapshot);
        if (lease > 0 || heartbeat.getLeased()) {
            var seen =
                    HeartbeatSeen.newBuilder()
                            .setSentMillis(heartbeat.getSentMillis())
                            .setLeaseSeconds(lease)
                            .build();
            session.send(() -> Optional.of(ControllerMessage.newBuilder().setHeartbeatSeen(seen)));
        }
    }

    /// From a word of the agent until it must begin to end its jobs; 0 if it need not. The node is
    /// declared silent no sooner than a heartbeat's timeout after that word, and its jobs begin
    /// again elsewhere a lease later: by then they are gone even if they had to be killed.
    private int leaseSeconds(Snapshot snapshot) {
        var rules = snapshot.config().rules();
        return switch (rules.lostNode()) {
            case WAIT -> 0;
            case LEASE_KILL ->
                    (int)
                            heartbeatTimeout
                                    .plus(rules.lease())
                                    .minus(rules.killWait())
                                    .minus(LEASE_MARGIN)
                                    .toSeconds();
        };
    }

    private void report(AgentSession session, StepReport report) {
        var job = JobId.of(Integer.toUnsignedLong(report.getJobId()));
        var step = new StepId(report.getStepId());
        var node = session.node();
        var recorded =
                switch (report.getKind()) {
                    case STEP_STARTED ->
                            proposals.propose(at ->
                                    new Command.StepStarted(
                                            at, job, report.getAttempt(), step, node));
                    case STEP_ENDED ->
                            proposals.propose(at ->
                                    new Command.StepEnded(
                                            at,
                                            job,
                                            report.getAttempt(),
                                            step,
                                            node,
                                            end(report, at)));
                    case UNRECOGNIZED ->
                            CompletableFuture.<Result>completedFuture(
                                    new Result.Ignored("unknown report"));
                };
        var _ =
                recorded.whenComplete((_, failure) -> {
                    if (failure == null) {
                        acknowledge(session, report.getSequence());
                    } else {
                        executor.execute(() ->
                                session.close("the report could not be recorded; send it again"));
                    }
                });
    }

    private static void acknowledge(AgentSession session, long sequence) {
        session.send(() ->
                Optional.of(
                        ControllerMessage.newBuilder()
                                .setReportsSeen(ReportsSeen.newBuilder().setUpTo(sequence))));
    }

    private static StepEnd end(StepReport report, Instant now) {
        var started = InstantMapper.ofMicros(report.getStartedMicros());
        var ended = InstantMapper.ofMicros(report.getEndedMicros());
        return new StepEnd(
                new ExitStatus(report.getExitCode(), report.getExitSignal()),
                report.getOutOfMemory(),
                report.getTimedOut(),
                report.getLost(),
                report.getUserMicros(),
                report.getSystemMicros(),
                report.getMaxRssKb(),
                started == null ? now : started,
                ended == null ? now : ended,
                report.getMessage());
    }

    private void gone(AgentSession session, JobGone gone) {
        var job = JobId.of(Integer.toUnsignedLong(gone.getJobId()));
        closeIfLost(
                session,
                proposals.propose(
                        at -> new Command.JobGone(at, job, gone.getAttempt(), session.node())));
    }

    private void launchFailed(AgentSession session, LaunchFailed failed) {
        var job = JobId.of(Integer.toUnsignedLong(failed.getJobId()));
        closeIfLost(
                session,
                proposals.propose(at ->
                        new Command.LaunchFailed(
                                at,
                                job,
                                failed.getAttempt(),
                                new StepId(failed.getStepId()),
                                session.node(),
                                failed.getReason(),
                                failed.getNodeIsBad())));
    }

    /// What is not acknowledged is asked again when the agent is back.
    private void closeIfLost(AgentSession session, CompletableFuture<Result> recorded) {
        var _ =
                recorded.whenComplete((_, failure) -> {
                    if (failure != null) {
                        executor.execute(
                                () -> session.close("what the agent said could not be recorded"));
                    }
                });
    }

    /// Nodes that should answer and have not for too long.
    List<String> silent(Instant leadingSince) {
        var deadline = clock.instant().minus(heartbeatTimeout);
        return state.snapshot().nodes().stream()
                .filter(Node::responds)
                .map(Node::name)
                .filter(node -> lastHeard(node, leadingSince).isBefore(deadline))
                .toList();
    }

    private Instant lastHeard(String node, Instant leadingSince) {
        var last = heard.get(node);
        return last == null || last.at().isBefore(leadingSince) ? leadingSince : last.at();
    }

    /// Ends every connection: another controller leads.
    void disconnectAll(String why) {
        sessions.values().forEach(session -> session.close(why));
        sessions.clear();
    }

    /// Ends the connection of one agent, if it has one.
    public void disconnect(String node, String why) {
        var session = sessions.remove(node);
        if (session != null) {
            session.close(why);
        }
    }

    void lost(String node) {
        disconnect(node, "no heartbeat for " + heartbeatTimeout.toSeconds() + " s");
        proposals.note(at -> new Command.NodeLost(at, node));
        LOG.atWarn().addKeyValue("node", node).log("node does not answer");
    }

    @Override
    public Optional<Load> of(String node) {
        return sessions.containsKey(node)
                ? Optional.ofNullable(heard.get(node)).map(Heard::load)
                : Optional.empty();
    }

    private static JobId idOf(RunningJob job) {
        return JobId.of(Integer.toUnsignedLong(job.getJobId()));
    }
}
