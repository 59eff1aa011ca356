package dev.spur.agent.registration;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.agent.launch.LaunchCheck;
import dev.spur.agent.launch.StepPlanner;
import dev.spur.agent.reach.ReachCheck;
import dev.spur.agent.step.LaunchException;
import dev.spur.agent.step.NodeSteps;
import dev.spur.agent.step.Outbox;
import dev.spur.agent.step.StepPlan;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.AskUsage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.Heartbeat;
import dev.spur.api.v1.LaunchFailed;
import dev.spur.api.v1.LaunchFault;
import dev.spur.api.v1.Reach;
import dev.spur.api.v1.Register;
import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.SignedReach;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.Welcome;
import dev.spur.runtime.identity.NodeKey;
import io.grpc.Status;
import io.grpc.StatusException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the agent says to the controller and does on its word. Knows no network and no thread:
/// whoever has a connection tells what arrives on it, and calls [#tick] every second or so.
public final class AgentSession {
    private static final Logger log = LoggerFactory.getLogger(AgentSession.class);
    private static final Duration FIRST_HEARTBEAT = Duration.ofSeconds(10);

    private final NodeFacts facts;
    private final String version;
    private final Supplier<NodeLoad> load;
    private final NodeSteps steps;
    private final Outbox outbox;
    private final StepPlanner planner;
    private final LaunchCheck check;
    private final ReachCheck reachCheck;
    private final EpochFence fence;
    private final InstantSource clock;
    private final Instant startedAt;
    private volatile @Nullable NodeKey key;
    private @Nullable Consumer<AgentMessage> link;
    private boolean welcome;
    private Duration heartbeatEvery = FIRST_HEARTBEAT;
    private Instant nextHeartbeat = Instant.MIN;
    private String toldFault = "";
    private Instant registeredAt = Instant.MIN;
    private volatile int leaseSeconds;

    public AgentSession(
            NodeFacts facts,
            String version,
            Supplier<NodeLoad> load,
            NodeSteps steps,
            Outbox outbox,
            StepPlanner planner,
            EpochFence fence,
            InstantSource clock) {
        this.facts = facts;
        this.version = version;
        this.load = load;
        this.steps = steps;
        this.outbox = outbox;
        this.planner = planner;
        this.check = new LaunchCheck(facts.name(), clock);
        this.reachCheck = new ReachCheck(facts.name(), clock);
        this.fence = fence;
        this.clock = clock;
        this.startedAt = clock.instant();
    }

    /// A connection is there: introduces the node.
    public synchronized void connected(Consumer<AgentMessage> newLink) {
        link = newLink;
        welcome = false;
        registeredAt = clock.instant();
        steps.connecting();
        newLink.accept(AgentMessage.newBuilder().setRegister(register()).build());
    }

    public synchronized void disconnected() {
        link = null;
        welcome = false;
        outbox.disconnected();
    }

    public String node() {
        return facts.name();
    }

    /// Whether a controller has taken this node in, on the present connection.
    public synchronized boolean isWelcome() {
        return welcome;
    }

    public void received(ControllerMessage message) {
        if (!fence.admits(message.getEpoch())) {
            log.atWarn()
                    .addKeyValue("epoch", message.getEpoch())
                    .addKeyValue("highest", fence.highest())
                    .log("refused an order of a controller that does not lead any more");
            return;
        }
        switch (message.getMessageCase()) {
            case WELCOME -> welcomed(message.getWelcome());
            case LAUNCH -> launch(message.getLaunch());
            case TERMINATE -> steps.terminate(message.getTerminate());
            case SIGNAL -> steps.signal(message.getSignal());
            case REPORT_SEEN -> steps.acknowledged(message.getReportSeen().getSequence());
            case TERMS -> steps.goOn(message.getTerms());
            case HEARTBEAT_SEEN -> {
                var seen = message.getHeartbeatSeen();
                lease(Instant.ofEpochMilli(seen.getSentMillis()), seen.getLeaseSeconds());
            }
            case ASK_USAGE -> answer(message.getAskUsage());
            case MESSAGE_NOT_SET -> {}
        }
    }

    /// The controller counts on its connection being the same as when it asked; a question of an
    /// earlier one is nobody's.
    private void answer(AskUsage question) {
        Consumer<AgentMessage> asker;
        synchronized (this) {
            asker = link;
        }
        if (asker == null) {
            return;
        }
        var _ =
                steps.usage(question)
                        .thenAccept(answer -> {
                            synchronized (this) {
                                if (link == asker) {
                                    asker.accept(
                                            AgentMessage.newBuilder().setUsage(answer).build());
                                }
                            }
                        });
    }

    private void welcomed(Welcome word) {
        Consumer<AgentMessage> current;
        Instant since;
        synchronized (this) {
            since = registeredAt;
            key = NodeKey.of(word.getNodeKey().toByteArray());
            heartbeatEvery = Duration.ofSeconds(Math.max(1, word.getHeartbeatSeconds()));
            nextHeartbeat = clock.instant();
            welcome = true;
            current = link;
        }
        log.atInfo()
                .addKeyValue("node", facts.name())
                .addKeyValue("cluster", word.getCluster())
                .log("registered");
        lease(since, word.getLeaseSeconds());
        steps.forget(word.getForgetList());
        if (current != null) {
            outbox.connected(current);
        }
    }

    /// Counted from when the agent spoke, not from when it heard the answer: the controller counts
    /// from some moment in between. A clock that was set back meanwhile makes no lease longer.
    private void lease(Instant since, int seconds) {
        leaseSeconds = seconds;
        if (seconds == 0) {
            steps.lease(null);
            return;
        }
        var now = clock.instant();
        steps.lease((since.isAfter(now) ? now : since).plusSeconds(seconds));
    }

    private void launch(SignedLaunch signed) {
        try {
            steps.launchBatch(plan(verify(signed)));
        } catch (LaunchException e) {
            log.atWarn().addKeyValue("cause", e.getMessage()).log("refused a launch");
            refuse(signed, e);
        }
    }

    /// A launch that cannot be planned must cost its own job only, not this node.
    private StepPlan plan(StepLaunch launch) throws LaunchException {
        try {
            return planner.batch(launch);
        } catch (RuntimeException e) {
            throw new LaunchException(
                    "the launch makes no sense here: " + e.getMessage(), LaunchFault.FAULT_LAUNCH);
        }
    }

    private void refuse(SignedLaunch signed, LaunchException e) {
        StepLaunch claimed;
        try {
            claimed = StepLaunch.parseFrom(signed.getLaunch());
        } catch (InvalidProtocolBufferException _) {
            return; // nobody can be told about a launch without a name
        }
        outbox.send(
                AgentMessage.newBuilder()
                        .setLaunchFailed(
                                LaunchFailed.newBuilder()
                                        .setJobId(claimed.getJobId())
                                        .setAttempt(claimed.getAttempt())
                                        .setStepId(claimed.getStepId())
                                        .setReason(String.valueOf(e.getMessage()))
                                        .setFault(e.fault()))
                        .build());
    }

    /// Checks a launch, whichever way it came.
    public StepLaunch verify(SignedLaunch signed) throws LaunchException {
        return check.verify(signed, nodeKey());
    }

    /// Checks whether somebody may reach a job here.
    ///
    /// @param from the host that asks; null where TLS is off
    public Reach verify(SignedReach signed, @Nullable String from) throws StatusException {
        try {
            return reachCheck.verify(signed, from, nodeKey());
        } catch (LaunchException e) {
            throw Status.UNAVAILABLE.withDescription(e.getMessage()).asException();
        }
    }

    /// Whether the controller knows this process; before, nothing can be verified.
    public boolean isRegistered() {
        return key != null;
    }

    /// The key that the controller gave to this node.
    public NodeKey nodeKey() throws LaunchException {
        var known = key;
        if (known == null) {
            throw new LaunchException(
                    "node %s has not registered with the controller yet; try again in a moment"
                            .formatted(facts.name()),
                    LaunchFault.FAULT_PASSING);
        }
        return known;
    }

    /// Heartbeats, and what else has its time.
    public void tick() {
        steps.tick();
        var now = load.get();
        synchronized (this) {
            var news = !now.fault().equals(toldFault);
            if (!welcome || link == null || (clock.instant().isBefore(nextHeartbeat) && !news)) {
                return;
            }
            nextHeartbeat = clock.instant().plus(heartbeatEvery);
            toldFault = now.fault();
            link.accept(
                    AgentMessage.newBuilder()
                            .setHeartbeat(
                                    Heartbeat.newBuilder()
                                            .setLoadHundredths(now.hundredths())
                                            .setFreeMemMb(now.freeMemoryMb())
                                            .setSentMillis(clock.millis())
                                            .setLeaseSeconds(leaseSeconds)
                                            .setFault(now.fault()))
                            .build());
        }
    }

    private Register register() {
        var hardware = facts.hardware();
        return Register.newBuilder()
                .setNode(facts.name())
                .setAddress(facts.address())
                .setHostname(facts.hostname())
                .setCpus(hardware.cpus())
                .setBoards(1)
                .setSockets(hardware.sockets())
                .setCoresPerSocket(hardware.coresPerSocket())
                .setThreadsPerCore(hardware.threadsPerCore())
                .setMemoryMb(hardware.memoryMb())
                .setTmpMb(hardware.tmpMb())
                .addAllGres(facts.gres())
                .setBootId(facts.bootId())
                .setBootMicros(facts.bootMicros())
                .setStartedMicros(startedAt.toEpochMilli() * 1_000)
                .setArch(facts.arch())
                .setOs(facts.os())
                .setVersion(version)
                .putAllLabels(facts.labels())
                .addAllJobs(steps.jobs())
                .setHighestEpoch(fence.highest())
                .build();
    }
}
