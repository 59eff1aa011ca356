package dev.spur.dist;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.Node;
import dev.spur.cli.door.DoorServer;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// A whole cluster on this machine: one controller, a few agents with pretend GPUs, a door.
///
/// The hosts of a real cluster join with tokens; here the identities are issued straight from the
/// CA in the controller's directory, which belongs to the same user.
public final class LocalCluster implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofMinutes(2);

    private final ClusterPlan plan;
    private final LocalConfig config;
    private final Map<String, DaemonProcess> daemons = new LinkedHashMap<>();
    private final Channels channels;
    private final ControllerClient client;

    private LocalCluster(ClusterPlan plan) throws IOException {
        this.plan = plan;
        prepareDirectories();
        this.config = LocalConfig.write(plan);
        issueIdentities(config.config().clusterName());
        var admin = HostIdentity.load(layout().identity("door"));
        this.channels =
                new Channels(new TransportSecurity.Tls(admin.keyManager(), admin.trustManager()));
        this.client =
                new ControllerClient(
                        channels,
                        List.of(HostAndPort.parse(layout().controllerAddress(), 6817)),
                        self());
    }

    private ControllerClient client(Duration patience) {
        var address = HostAndPort.parse(layout().controllerAddress(), HostAndPort.CONTROLLER_PORT);
        return ControllerClient.withPatience(channels, List.of(address), self(), patience);
    }

    /// Starts everything and returns when all nodes are in service.
    public static LocalCluster start(ClusterPlan plan) throws IOException, InterruptedException {
        var cluster = new LocalCluster(plan);
        try {
            cluster.startDaemons();
            cluster.awaitNodes();
            cluster.writeEnvironment();
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    public Layout layout() {
        return plan.layout();
    }

    /// The cluster as its own user sees it.
    public ControllerClient client() {
        return client;
    }

    /// The nodes that have an agent.
    public List<String> nodes() {
        return config.nodes();
    }

    /// A process by name: `spurctld`, `spur-door`, or an agent by its node; co-hosted, `control` or
    /// `agents` (and `spur-door` for root).
    public DaemonProcess daemon(String name) {
        var daemon = daemons.get(name);
        if (daemon == null) {
            throw new IllegalArgumentException("no daemon " + name + ", only " + daemons.keySet());
        }
        return daemon;
    }

    private void prepareDirectories() throws IOException {
        var open = PosixFilePermissions.fromString("rwxr-xr-x");
        for (var directory :
                List.of(
                        layout().directory(),
                        layout().run(),
                        layout().directory().resolve("log"))) {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, open);
        }
    }

    private void issueIdentities(String clusterName) throws IOException {
        var ca =
                ClusterCa.openOrCreate(
                        layout().controllerState(), clusterName, InstantSource.system());
        issue(ca, "door", HostRole.ADMIN);
        for (var name : config.nodes()) {
            Files.createDirectories(layout().node(name));
            issue(ca, name, HostRole.COMPUTE);
        }
        Files.copy(
                layout().identity("door").resolve("ca.pem"),
                layout().authority(),
                StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(
                layout().authority(), PosixFilePermissions.fromString("rw-r--r--"));
    }

    private void issue(ClusterCa ca, String host, HostRole role) {
        if (!HostIdentity.exists(layout().identity(host))) {
            ca.createIdentity(layout().identity(host), host, role);
        }
    }

    private void startDaemons() {
        var agents = new ArrayList<List<String>>();
        for (var name : config.nodes()) {
            agents.add(agent(name, agents.size() + 1));
        }
        if (plan.processes()) {
            start("spurctld", alone(controller()));
            start("spur-door", alone(door()));
            for (var number = 0; number < agents.size(); number++) {
                start(config.nodes().get(number), alone(agents.get(number)));
            }
        } else {
            if (Users.currentUid() == 0) {
                start("control", together("controller", List.of(controller())));
                start("spur-door", alone(door())); // it gives up root's rights, the others cannot
            } else {
                start("control", together("controller", List.of(controller(), door())));
            }
            start("agents", together("agent", agents));
        }
    }

    private List<String> controller() {
        return List.of(
                "spurctld",
                "--config",
                layout().config().toString(),
                "--listen",
                layout().controllerAddress(),
                "--state-dir",
                layout().controllerState().toString());
    }

    private List<String> door() {
        return List.of(
                "spur-door",
                "--config",
                layout().config().toString(),
                "--socket",
                layout().door().toString(),
                "--controller",
                layout().controllerAddress(),
                "--identity",
                layout().identity("door").toString());
    }

    private List<String> agent(String name, int number) {
        return List.of(
                "spurd",
                "--config",
                layout().config().toString(),
                "-N",
                name,
                "--controller",
                layout().controllerAddress(),
                "--listen",
                layout().agentAddress(number),
                "--state-dir",
                layout().node(name).toString(),
                "--identity",
                layout().identity(name).toString(),
                "--pretend");
    }

    private List<String> alone(List<String> daemon) {
        var command = new ArrayList<>(daemon);
        command.set(0, layout().home().resolve("bin").resolve(daemon.getFirst()).toString());
        command.add("-D");
        return command;
    }

    private List<String> together(String profile, List<List<String>> daemons) {
        var command = new ArrayList<String>();
        command.add(layout().home().resolve("libexec/launch").toString());
        command.add(profile);
        command.add(CoHost.class.getName());
        for (var daemon : daemons) {
            if (command.size() > 3) {
                command.add("--");
            }
            command.addAll(daemon);
        }
        return command;
    }

    private void start(String name, List<String> command) {
        daemons.put(
                name, DaemonProcess.start(name, command, layout().log(name), layout().pid(name)));
    }

    private void awaitNodes() throws IOException, InterruptedException {
        var deadline = System.nanoTime() + READY_WITHIN.toNanos();
        var impatient = client(Duration.ZERO);
        while (!isReady(impatient)) {
            for (var daemon : daemons.values()) {
                if (!daemon.isAlive()) {
                    throw new IOException(
                            "%s ended:%n%s".formatted(daemon.name(), lastLines(daemon.log())));
                }
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        "the nodes did not come up within %d s; the logs are in %s"
                                .formatted(
                                        READY_WITHIN.toSeconds(),
                                        layout().directory().resolve("log")));
            }
            Thread.sleep(Duration.ofMillis(50));
        }
    }

    private boolean isReady(ControllerClient impatient) {
        try {
            var nodes =
                    impatient
                            .call(c -> c.listNodes(ListNodesRequest.getDefaultInstance()))
                            .getNodesList();
            return DoorServer.isServed(layout().door())
                    && nodes.stream()
                                    .filter(node -> config.nodes().contains(node.getName()))
                                    .filter(LocalCluster::isInService)
                                    .count()
                            == config.nodes().size();
        } catch (ControllerException e) {
            return false;
        }
    }

    private static boolean isInService(Node node) {
        return !node.getState().equals("UNKNOWN") && !node.getState().equals("DOWN");
    }

    private static String lastLines(Path log) throws IOException {
        var lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    }

    /// What points commands to this cluster, with its door or without.
    public Map<String, String> environment() {
        var variables = new LinkedHashMap<String, String>();
        variables.put("SPUR_DOOR", layout().door().toString());
        variables.put("SPUR_CONTROLLER_ADDR", "http://" + layout().controllerAddress());
        variables.put("SPUR_CONF", layout().config().toString());
        variables.put("SPUR_IDENTITY", layout().identity("door").toString());
        variables.put("SPUR_CA_FILE", layout().authority().toString());
        return variables;
    }

    private void writeEnvironment() throws IOException {
        var lines = new ArrayList<String>();
        lines.add("export PATH=\"%s:$PATH\"".formatted(layout().home().resolve("bin")));
        // The empty entry at the end stands for where man looks anyway.
        lines.add(
                "export MANPATH=\"%s:${MANPATH:-}\""
                        .formatted(layout().home().resolve("share/man")));
        environment()
                .forEach((name, value) -> lines.add("export %s=\"%s\"".formatted(name, value)));
        Files.write(layout().environment(), lines);
    }

    private static CallerIdentity self() {
        var uid = Users.currentUid();
        return Users.byUid(uid)
                .map(user ->
                        new CallerIdentity.Vouched(
                                (int) uid, (int) user.gid(), user.name(), List.of()))
                .orElseGet(() ->
                        new CallerIdentity.Vouched(
                                (int) uid, (int) uid, Long.toString(uid), List.of()));
    }

    /// Ends running jobs, since their nodes go away, then the daemons in reverse order. Pending
    /// jobs are still there when a cluster is started in the same directory.
    @Override
    public void close() {
        if (!daemons.isEmpty()) {
            cancelRunning();
        }
        for (var daemon : new ArrayList<>(daemons.values()).reversed()) {
            daemon.close();
        }
        channels.close();
        delete(layout().door()); // an unprivileged door leaves it behind
        config.nodes().forEach(this::endZygote);
    }

    /// A zygote outlives its agent, for the next one; it ends when its socket is gone.
    private void endZygote(String node) {
        delete(layout().node(node).resolve("run/zygote"));
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void cancelRunning() {
        try {
            client.call(c ->
                    c.cancelJobs(
                            CancelJobsRequest.newBuilder()
                                    .setRequestId(UUID.randomUUID().toString())
                                    .setFilter(JobFilter.newBuilder().addStates("RUNNING"))
                                    .setHurry(true)
                                    .build()));
        } catch (ControllerException e) {
            // A controller that cannot be asked has nothing running that we could end through it.
        }
    }
}
