package dev.spur.agent;

import dev.spur.agent.cgroup.Cgroups;
import dev.spur.agent.io.StepStreams;
import dev.spur.agent.launch.NodeProfile;
import dev.spur.agent.launch.StepPlanner;
import dev.spur.agent.output.OutputStreams;
import dev.spur.agent.registration.AgentSession;
import dev.spur.agent.registration.ControllerLink;
import dev.spur.agent.registration.EpochFence;
import dev.spur.agent.registration.NodeFacts;
import dev.spur.agent.registration.NodeWatch;
import dev.spur.agent.step.EndedJobs;
import dev.spur.agent.step.NodeSteps;
import dev.spur.agent.step.Outbox;
import dev.spur.agent.step.SupervisorLauncher;
import dev.spur.api.client.Channels;
import dev.spur.api.client.JoiningClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.CertificateRenewal;
import dev.spur.runtime.identity.SecretFiles;
import dev.spur.runtime.process.MemoryGuard;
import dev.spur.runtime.process.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// spurd, as one of perhaps several in this JVM. Read [#start] to learn what it is made of.
///
/// Stopping it leaves its steps running: the next one adopts them.
public final class Agent implements Running {
    private static final Logger log = LoggerFactory.getLogger(Agent.class);
    private static final String MEMORY_ADVICE =
            "no further srun is served until some have ended. Give spurd more with"
                    + " SPUR_AGENT_HEAP";

    private final String node;
    private final SupervisorLauncher launcher;
    private final NodeSteps steps;
    private final AgentPort port;
    private final ControllerLink link;
    private final @Nullable CertificateRenewal renewal;
    private final Channels channels;
    private final ExecutorService executor;
    private final CountDownLatch stopped = new CountDownLatch(1);

    private Agent(
            String node,
            SupervisorLauncher launcher,
            NodeSteps steps,
            AgentPort port,
            ControllerLink link,
            @Nullable CertificateRenewal renewal,
            Channels channels,
            ExecutorService executor) {
        this.node = node;
        this.launcher = launcher;
        this.steps = steps;
        this.port = port;
        this.link = link;
        this.renewal = renewal;
        this.channels = channels;
        this.executor = executor;
    }

    public static Agent start(AgentConfig config) throws IOException {
        var clock = InstantSource.system();
        prepare(config);
        var executor =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("agent-" + config.node() + "-", 0).factory());
        var launcher =
                new SupervisorLauncher(
                        config.supervisor(),
                        config.spool(),
                        config.limits() ? Cgroups.detect(groupName(config)) : Cgroups.none(),
                        ThisHost.bootId(),
                        Thread.ofVirtual().name("step-", 0).factory());
        // Numbers of reports grow from one life of the agent to the next.
        var outbox = new Outbox(clock.millis() * 1_000);
        var ended = EndedJobs.open(config.spool().resolve("ended-jobs"), clock);
        var steps = new NodeSteps(launcher, outbox, ended, clock, executor);
        steps.adoptAll();
        executor.execute(launcher::warmUp);

        var planner = new StepPlanner(profile(config), Users::byUid);
        var late = new LateServices();
        var port = AgentPort.open(config.listen(), config.identity(), late, executor);
        var address = config.address() + ":" + port.number();
        var facts =
                NodeFacts.of(
                        config.node(),
                        address,
                        config.hardware(),
                        config.devices().gres(),
                        config.labels());
        var session =
                new AgentSession(
                        facts,
                        Spurd.VERSION,
                        NodeWatch.ofThisMachine(config.spool()),
                        steps,
                        outbox,
                        planner,
                        EpochFence.open(config.spool().resolve("epoch")),
                        clock);
        var memory = MemoryGuard.ofThisProcess(clock, MEMORY_ADVICE);
        late.open(
                new StepStreams(session, steps, planner, memory),
                new OutputStreams(session, steps, memory, launcher::read));
        var channels = new Channels(security(config));
        var link = ControllerLink.start(channels, config.controllers(), session);
        var identity = config.identity();
        var renewal =
                identity == null
                        ? null // without TLS there is nothing to renew
                        : CertificateRenewal.start(
                                identity,
                                JoiningClient.renewals(channels, config.controllers()),
                                channels::reconnect,
                                clock);
        log.atInfo()
                .addKeyValue("node", config.node())
                .addKeyValue("address", address)
                .log("agent started");
        if (isLoopback(config.listen()) && !isLoopback(config.controllers().getFirst())) {
            log.atWarn()
                    .addKeyValue("node", config.node())
                    .log(
                            "srun on other hosts cannot reach this node: it listens on loopback only; start spurd with --address or --listen");
        }
        return new Agent(config.node(), launcher, steps, port, link, renewal, channels, executor);
    }

    private static boolean isLoopback(HostAndPort address) {
        var host = address.host();
        return host.equals("localhost") || host.equals("::1") || host.startsWith("127.");
    }

    /// Two clusters on one machine may both have a node1: the spool tells them apart.
    private static String groupName(AgentConfig config) {
        return "%s-%08x".formatted(config.node(), config.spool().toString().hashCode());
    }

    /// Users walk through to their job's script, but read nothing on the way.
    private static void prepare(AgentConfig config) throws IOException {
        Files.createDirectories(config.spool());
        SecretFiles.requireOwner(config.spool());
        Files.setPosixFilePermissions(config.spool(), PosixFilePermissions.fromString("rwx--x--x"));
        if (!Files.isExecutable(config.supervisor())) {
            throw new IOException(
                    "the step supervisor %s is missing: build it with make -C native, or install spur as a whole"
                            .formatted(config.supervisor()));
        }
    }

    private static NodeProfile profile(AgentConfig config) {
        return new NodeProfile(
                config.node(),
                config.configFile().toString(),
                config.controllers().getFirst().toString(),
                !config.pretend(),
                config.memlock(),
                config.maxProcessesPerCpu(),
                config.devices().gpuFiles(),
                Users.currentUid() == 0,
                config.commands());
    }

    private static TransportSecurity security(AgentConfig config) {
        var identity = config.identity();
        return identity == null
                ? new TransportSecurity.Plain()
                : new TransportSecurity.Tls(identity.keyManager(), identity.trustManager());
    }

    public String node() {
        return node;
    }

    /// The port of the step service.
    public int port() {
        return port.number();
    }

    /// Waits until the controller has taken the node in.
    public boolean awaitRegistration(Duration timeout) throws InterruptedException {
        return link.awaitRegistration(timeout);
    }

    /// Ends the process that starts supervisors, for a node that is taken down for good.
    public void stopLauncher() {
        launcher.stopZygote();
    }

    @Override
    public void awaitTermination() throws InterruptedException {
        stopped.await();
    }

    @Override
    public void close() {
        link.close();
        if (renewal != null) {
            renewal.close();
        }
        port.close();
        steps.release();
        channels.close();
        executor.shutdown();
        launcher.close();
        stopped.countDown();
    }
}
