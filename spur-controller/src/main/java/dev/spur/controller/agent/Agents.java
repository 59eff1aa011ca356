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
import dev.spur.api.v1.ReportSeen;
import dev.spur.api.v1.RunningJob;
import dev.spur.api.v1.StepOfJob;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.UsageAnswer;
import dev.spur.api.v1.Welcome;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.accounting.UsageMapper;
import dev.spur.controller.node.NodeLoads;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.state.JobsByNode;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.step.LaunchFault;
import dev.spur.engine.step.StepEnd;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.SpurException;
import dev.spur.model.StepId;
import dev.spur.runtime.identity.LaunchCredentials;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
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

    /// Longer between two looks at the agents, and the controller itself was not there.
    private static final Duration LONGEST_GAP = SilenceWatch.EVERY.multipliedBy(4);

    private final ReplicatedState state;
    private final Proposals proposals;
    private final Supplier<Leadership> leadership;
    private final LaunchCredentials credentials;
    private final JobsByNode jobsByNode;
    private final InstantSource clock;
    private final Executor executor;
    private final Duration heartbeatTimeout;
    private final ConcurrentMap<String, AgentSession> sessions = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, LastHeartbeat> heard = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, AgentLife> refused = new ConcurrentHashMap<>();
    private final LargeMessages large = new LargeMessages();
    private final Leases leases;
    private final OwnPulse pulse;
    private final UsageQuestions questions = new UsageQuestions();
    private volatile Registered registered = (_, _) -> {};

    private record LastHeartbeat(Instant at, Load load) {}

    /// Told when a node is connected and recorded: what it missed can be sent now.
    public interface Registered {
        /// @param present what the node has
        void registered(String node, List<RunningJob> present);
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
        this.leases = new Leases(state, proposals, heartbeatTimeout);
        this.pulse = new OwnPulse(clock, LONGEST_GAP);
    }

    public void onRegistered(Registered listener) {
        registered = listener;
    }

    /// False if the agent is not connected: it will be told when it comes.
    public boolean send(String node, PendingMessage message) {
        var session = sessions.get(node);
        if (session == null) {
            return false;
        }
        session.send(message);
        return true;
    }

    /// Asks a node what its steps use now.
    ///
    /// @return empty if it is not connected, or does not answer in time
    public CompletableFuture<Optional<UsageAnswer>> askUsage(
            String node, List<StepOfJob> steps, boolean pids) {
        var session = sessions.get(node);
        return session == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : questions.ask(session, steps, pids);
    }

    /// A connection whose first message has arrived. Blocks until the node is recorded.
    public AgentSession open(AgentChannel channel, Register register) {
        var role = leadership.get();
        if (!(role instanceof Leadership.Leading(var epoch))) {
            throw role.refusal();
        }
        if (!pulse.isSteady()) {
            throw new SpurException(
                    ErrorCode.BUSY, "this controller was paused and finds its feet; try again");
        }
        var node = register.getNode();
        var life = AgentLife.of(register);
        refuseSecond(node, life);
        record(register);
        var session = new AgentSession(node, life, channel, epoch, large, executor);
        heard.put(node, new LastHeartbeat(clock.instant(), new Load(0, 0)));
        session.send(
                () -> Optional.of(ControllerMessage.newBuilder().setWelcome(welcome(register))));
        var before = sessions.put(node, session);
        if (before != null) {
            before.close("the agent has connected again");
        }
        refuseIfLate(session);
        registered.registered(node, register.getJobsList());
        LOG.atInfo()
                .addKeyValue("node", node)
                .addKeyValue("address", register.getAddress())
                .log("agent connected");
        return session;
    }

    /// Recording takes a while. If the term has ended meanwhile, [#disconnectAll] may have passed
    /// before this session could be seen, and orders of the next term must not go out in the name
    /// of the last one.
    private void refuseIfLate(AgentSession session) {
        var role = leadership.get();
        if (!leadsIn(session.epoch(), role)) {
            sessions.remove(session.node(), session);
            session.close("this controller leads no longer");
            throw role.refusal();
        }
    }

    private static boolean leadsIn(long epoch, Leadership role) {
        return role instanceof Leadership.Leading(var current) && current == epoch;
    }

    /// Two agents that take each other's connection away would both be useless. The first stays as
    /// long as it answers.
    private void refuseSecond(String node, AgentLife second) {
        var first = sessions.get(node);
        if (first == null || first.life().equals(second) || !isAlive(node)) {
            return;
        }
        if (!second.equals(refused.put(node, second))) {
            LOG.atWarn()
                    .addKeyValue("node", node)
                    .addKeyValue("first", first.life())
                    .addKeyValue("second", second)
                    .log("two agents say that they are this node; the second is refused");
        }
        throw new SpurException(
                ErrorCode.INVALID_NODE,
                "another agent is node %s already: %s, which is connected and answers. "
                                .formatted(node, first.life())
                        + "Stop one of the two, or join this host under a name of its own");
    }

    private boolean isAlive(String node) {
        var last = heard.get(node);
        return last != null
                && clock.instant().isBefore(last.at().plus(heartbeat().multipliedBy(2)));
    }

    private Duration heartbeat() {
        return Duration.ofSeconds(Math.clamp(heartbeatTimeout.toSeconds() / 3, 1, 30));
    }

    /// Proposes only what is news: after a restart of the controller, thousands of agents come back
    /// unchanged.
    private void record(Register register) {
        var report = NodeReportMapper.toModel(register);
        var snapshot = state.snapshot();
        var known = snapshot.node(register.getNode());
        var unchanged =
                known.filter(node -> report.equals(node.report()) && node.responds()).isPresent()
                        && hasAllThat(register, expected(register.getNode(), snapshot))
                        && !isCompleting(known.get());
        if (unchanged) {
            return;
        }
        var jobs = register.getJobsList().stream().map(Agents::onNode).toList();
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
                        .setHeartbeatSeconds((int) heartbeat().toSeconds())
                        .setNodeKey(
                                ByteString.copyFrom(
                                        credentials.keyFor(register.getNode()).reveal()))
                        .setCluster(snapshot.config().clusterName())
                        .setKillWaitSeconds((int) snapshot.config().killWait().toSeconds())
                        .setLeaseSeconds(leases.toTell(register.getNode()));
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

    private static boolean hasAllThat(Register register, List<Job> expected) {
        var present = new HashSet<Command.JobOnNode>();
        register.getJobsList().forEach(job -> present.add(onNode(job)));
        return expected.stream()
                .allMatch(job -> present.contains(new Command.JobOnNode(job.id(), job.attempt())));
    }

    private List<Job> expected(String node, Snapshot snapshot) {
        return snapshot.node(node).filter(known -> known.usage().isIdle()).isPresent()
                ? List.of()
                : jobsByNode.on(node).stream().flatMap(id -> snapshot.job(id).stream()).toList();
    }

    private static Command.JobOnNode onNode(RunningJob job) {
        return new Command.JobOnNode(idOf(job), job.getAttempt());
    }

    public void received(AgentSession session, AgentMessage message) {
        switch (message.getMessageCase()) {
            case HEARTBEAT -> heartbeat(session, message.getHeartbeat());
            case REPORT -> report(session, message.getReport());
            case JOB_GONE -> gone(session, message.getJobGone());
            case LAUNCH_FAILED -> launchFailed(session, message.getLaunchFailed());
            case USAGE -> questions.answered(session, message.getUsage());
            case REGISTER, MESSAGE_NOT_SET ->
                    session.close("a stream registers once, as its first message");
        }
    }

    public void closed(AgentSession session) {
        session.close("closed");
        questions.gone(session);
        if (sessions.remove(session.node(), session)) {
            refused.remove(session.node());
            LOG.atInfo().addKeyValue("node", session.node()).log("agent disconnected");
        }
    }

    private void heartbeat(AgentSession session, Heartbeat heartbeat) {
        if (!leadsIn(session.epoch(), leadership.get())) {
            session.close("this controller leads no longer");
            return;
        }
        var node = session.node();
        var load = new Load(heartbeat.getLoadHundredths(), heartbeat.getFreeMemMb());
        heard.put(node, new LastHeartbeat(clock.instant(), load));
        if (!pulse.isSteady()) {
            return; // another may lead by now: a lease is not this controller's to give
        }
        var snapshot = state.snapshot();
        var silent = snapshot.node(node).map(Node::silentSince).isPresent();
        if (silent) {
            proposals.note(at -> new Command.NodeResponded(at, node));
        }
        noteFault(snapshot, node, heartbeat.getFault());
        leases.acknowledged(node, heartbeat.getLeaseSeconds());
        var lease = leases.toTell(node);
        if (lease != Leases.NONE || heartbeat.getLeaseSeconds() != Leases.NONE) {
            var seen =
                    HeartbeatSeen.newBuilder()
                            .setSentMillis(heartbeat.getSentMillis())
                            .setLeaseSeconds(lease)
                            .build();
            session.send(() -> Optional.of(ControllerMessage.newBuilder().setHeartbeatSeen(seen)));
        }
    }

    /// The node's own word counts until it says otherwise; it is compared with what is recorded.
    private void noteFault(Snapshot snapshot, String name, String fault) {
        var known =
                snapshot.node(name)
                        .filter(Node::isDrainedByItself)
                        .map(node -> node.note().text())
                        .orElse("");
        var drained = snapshot.node(name).map(Node::draining).orElse(false);
        var ownDrain = !known.isEmpty();
        if (!fault.equals(known) && (ownDrain || !drained)) {
            LOG.atWarn()
                    .addKeyValue("node", name)
                    .addKeyValue("fault", fault)
                    .log(fault.isEmpty() ? "the node is well again" : "the node is not well");
            proposals.note(at -> new Command.NodeFault(at, name, fault));
        }
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
                                            end(report, at),
                                            report.getNothingLeft()));
                    case UNRECOGNIZED ->
                            CompletableFuture.<Result>completedFuture(
                                    new Result.Ignored("unknown report"));
                };
        var _ =
                recorded.whenComplete((_, failure) -> {
                    if (failure == null) {
                        acknowledge(session, report.getSequence());
                    } else {
                        broken(session, "the report could not be recorded; send it again");
                    }
                });
    }

    /// Nothing more is said on this connection from now on: what comes after something that was
    /// lost must not look as if that had been heard. Hanging up may take a moment.
    private void broken(AgentSession session, String why) {
        session.fallSilent();
        executor.execute(() -> session.close(why));
    }

    private static void acknowledge(AgentSession session, long sequence) {
        session.send(() ->
                Optional.of(
                        ControllerMessage.newBuilder()
                                .setReportSeen(ReportSeen.newBuilder().setSequence(sequence))));
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
                report.getMessage(),
                report.hasUsage() ? UsageMapper.toModel(report.getUsage()) : null);
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
                                fault(failed.getFault()))));
    }

    private static LaunchFault fault(dev.spur.api.v1.LaunchFault said) {
        return switch (said) {
            case FAULT_NODE -> LaunchFault.NODE;
            case FAULT_LAUNCH -> LaunchFault.LAUNCH;
            case FAULT_PASSING, UNRECOGNIZED -> LaunchFault.PASSING;
        };
    }

    /// What is not acknowledged is asked again when the agent is back.
    private void closeIfLost(AgentSession session, CompletableFuture<Result> recorded) {
        var _ =
                recorded.whenComplete((_, failure) -> {
                    if (failure != null) {
                        broken(session, "what the agent said could not be recorded");
                    }
                });
    }

    /// Nodes that should answer and have not for too long.
    ///
    /// @param since nothing is known of the time before
    List<String> silent(Instant since) {
        return state.snapshot().nodes().stream()
                .filter(Node::responds)
                .map(Node::name)
                .filter(node -> isOverdue(lastHeard(node, since)))
                .toList();
    }

    private boolean isOverdue(Instant heardAt) {
        return heardAt.isBefore(clock.instant().minus(heartbeatTimeout));
    }

    private Instant lastHeard(String node, Instant since) {
        var last = heard.get(node);
        return last == null || last.at().isBefore(since) ? since : last.at();
    }

    /// The leadership begins: from now on [#beat] is called every [SilenceWatch#EVERY].
    void begin() {
        pulse.begin();
    }

    /// False if this controller was paused. It answers for leases again when an entry of its is in
    /// the log: then it still leads.
    boolean beat() {
        var steady = pulse.beat();
        if (!pulse.isSteady()) {
            var _ = proposals.propose(Command.AdvanceTime::new).thenRun(pulse::confirmed);
        }
        return steady;
    }

    /// Ends every connection: another controller leads.
    void disconnectAll(String why) {
        pulse.stop();
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

    /// A heartbeat may have come since it was found silent, and its answer lets the node's lease
    /// begin anew. So the connection is ended first, after which nothing is answered, and then
    /// counts what was heard last.
    void lost(String node, Instant since) {
        disconnect(node, "no heartbeat for " + heartbeatTimeout.toSeconds() + " s");
        var heardAt = lastHeard(node, since);
        if (!isOverdue(heardAt)) {
            return; // it has spoken, and will come again
        }
        // By the cluster's time, which may be ahead of this clock: one that was set back, or one
        // that is behind that of the leader before.
        var silence = Duration.between(heardAt, clock.instant());
        proposals.note(at -> new Command.NodeLost(at, node, at.minus(silence)));
        LOG.atWarn().addKeyValue("node", node).log("node does not answer");
    }

    @Override
    public Optional<Load> of(String node) {
        return sessions.containsKey(node)
                ? Optional.ofNullable(heard.get(node)).map(LastHeartbeat::load)
                : Optional.empty();
    }

    private static JobId idOf(RunningJob job) {
        return JobId.of(Integer.toUnsignedLong(job.getJobId()));
    }
}
