package dev.spur.dist;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.SignalJobsRequest;
import dev.spur.api.v1.SignalTarget;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.cli.door.DoorServer;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.host.ServiceAccount;
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
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A whole cluster on this machine: one controller or more, a few agents with pretend GPUs, a door.
///
/// The hosts of a real cluster join with tokens; here the identities are issued straight from the
/// CA in the controller's directory, which belongs to the same user.
public final class LocalCluster implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofMinutes(2);
    private static final Duration REHEARSED_WITHIN = Duration.ofSeconds(5);
    private static final int QUIET = 4;

    /// How long jobs may take to end by themselves when the cluster goes down, and then to die.
    private static final Duration GRACE = Duration.ofSeconds(10);

    private static final Duration DEATH = Duration.ofSeconds(20);
    private static final int KILL = 9;
    private static final String ACCOUNTING = "accounting";
    private static final String REST = "rest";
    private static final String CLOUD = "cloud";

    /// Why nodes are drained while the cluster goes down: what waits must not begin where others
    /// end. The next start takes back the drains that have this reason.
    private static final String GOING_DOWN = "the local cluster goes down";

    private static final List<String> ON_NODES = List.of("RUNNING", "SUSPENDED", "COMPLETING");

    private final ClusterPlan plan;
    private final LocalConfig config;
    private final Map<String, DaemonProcess> daemons = new LinkedHashMap<>();
    private final Channels channels;
    private final ControllerClient client;

    private LocalCluster(ClusterPlan plan) throws IOException {
        this.plan = plan;
        prepareDirectories();
        this.config = LocalConfig.write(plan);
        prepareHomes();
        issueIdentities(config.config().clusterName());
        var admin = HostIdentity.load(layout().identity("door"));
        this.channels =
                new Channels(new TransportSecurity.Tls(admin.keyManager(), admin.trustManager()));
        this.client = new ControllerClient(channels, controllers(), self());
    }

    private ControllerClient client(Duration patience) {
        return ControllerClient.withPatience(channels, controllers(), self(), patience);
    }

    private List<HostAndPort> controllers() {
        return HostAndPort.parseList(controllerAddresses(), HostAndPort.CONTROLLER_PORT);
    }

    private String controllerAddresses() {
        return IntStream.rangeClosed(1, plan.controllers())
                .mapToObj(layout()::controllerAddress)
                .collect(Collectors.joining(","));
    }

    /// How many controllers a cluster in this directory had when it was up last.
    static int controllersIn(Path directory) {
        var layout = new Layout(directory, directory, 1);
        var number = 1;
        while (Files.exists(layout.controllerState(number + 1))) {
            number++;
        }
        return number;
    }

    /// Starts everything and returns when all nodes are in service.
    public static LocalCluster start(ClusterPlan plan) throws IOException, InterruptedException {
        var cluster = new LocalCluster(plan);
        try {
            cluster.startDaemons();
            cluster.addControllers();
            cluster.awaitNodes();
            cluster.takeBackDrains();
            cluster.awaitRehearsals();
            cluster.daemons.values().forEach(DaemonProcess::keepUp);
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
        OwnDirectory.prepare(layout().directory());
        OwnDirectory.prepare(layout().run());
        OwnDirectory.preparePrivate(
                layout().logs()); // the link of the first administrator is there
    }

    /// Each home is made when its user first has a job on a node.
    private void prepareHomes() throws IOException {
        var cloud = config.config().cloud();
        if (cloud.hasUsers() && Users.currentUid() == 0) {
            var homes = Path.of(cloud.homeDir());
            Files.createDirectories(homes);
            Files.setPosixFilePermissions(homes, PosixFilePermissions.fromString("rwx--x--x"));
        }
    }

    private void issueIdentities(String clusterName) throws IOException {
        var ca =
                ClusterCa.openOrCreate(
                        layout().controllerState(1), clusterName, InstantSource.system());
        issue(ca, "door", HostRole.ADMIN);
        issue(ca, ACCOUNTING, HostRole.ACCOUNTING);
        issue(ca, REST, HostRole.ADMIN); // it speaks for everybody, as the door does
        if (plan.has(ClusterPlan.Part.CLOUD)) {
            prepareCloud(ca);
        }
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

    /// The cloud starts when its process is root no more: what it has is given to the service
    /// account before.
    private void prepareCloud(ClusterCa ca) throws IOException {
        var state = cloudState();
        var identity = state.resolve("identity");
        Files.createDirectories(state);
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
        if (!HostIdentity.exists(identity)) {
            ca.createIdentity(identity, CLOUD, HostRole.CLOUD_ADMIN);
        }
        if (Users.currentUid() == 0) {
            ServiceAccount.usual().give(state);
            ServiceAccount.usual().own(identity);
        }
    }

    /// Where the service account reaches it: a checkout may be below a home that only root enters.
    private Path cloudState() {
        var usual = layout().cloudState();
        if (Users.currentUid() != 0 || ServiceAccount.usual().canReach(layout().directory())) {
            return usual;
        }
        return Path.of("/var/lib/spur").resolve("cloud-" + Integer.toHexString(usual.hashCode()));
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
            start("spurctld", alone(controller(1)));
            start("spur-door", alone(door()));
            for (var number = 0; number < agents.size(); number++) {
                start(config.nodes().get(number), alone(agents.get(number)), commands());
            }
        } else {
            if (Users.currentUid() == 0) {
                start("control", together("controller", List.of(controller(1))));
                start("spur-door", alone(door())); // it gives up root's rights, the others cannot
            } else {
                start("control", together("controller", List.of(controller(1), door())));
            }
            start("agents", together("agent", agents), commands());
        }
        startEdge();
    }

    /// What sessions of the cloud find on the nodes.
    private Map<String, String> commands() {
        return Map.of("SPUR_DOOR", layout().door().toString());
    }

    /// What looks outward, apart from all that has root's rights.
    private void startEdge() {
        var edge = new ArrayList<List<String>>();
        if (plan.has(ClusterPlan.Part.REST)) {
            edge.add(rest());
        }
        if (plan.has(ClusterPlan.Part.ACCOUNTING)) {
            edge.add(accounting());
        }
        if (plan.has(ClusterPlan.Part.CLOUD)) {
            edge.add(cloud());
        }
        if (edge.size() > 1 && !plan.processes()) {
            start("edge", together("edge", edge));
        } else {
            edge.forEach(
                    daemon -> start(plan.processes() ? daemon.getFirst() : "edge", alone(daemon)));
        }
    }

    /// As an administrator would: a token from the first, with which the others join. Those that
    /// have joined before are started as they are.
    private void addControllers() throws InterruptedException {
        for (var number = 2; number <= plan.controllers(); number++) {
            var name = layout().controllerName(number);
            var hasJoined = Files.exists(layout().controllerState(number));
            var token = hasJoined ? "" : joinToken(name);
            start(
                    "spurctld" + number,
                    alone(controller(number)),
                    hasJoined ? Map.of() : Map.of("SPUR_JOIN_TOKEN", token));
            awaitMember(name, "spurctld" + number);
        }
    }

    private String joinToken(String name) {
        return client.call(controller ->
                        controller.createJoinToken(
                                CreateJoinTokenRequest.newBuilder()
                                        .setRequestId(UUID.randomUUID().toString())
                                        .setRole(HostRole.CONTROLLER.word())
                                        .setHost(name)
                                        .build()))
                .getToken();
    }

    private void awaitMember(String name, String daemon) throws InterruptedException {
        var deadline = System.nanoTime() + READY_WITHIN.toNanos();
        var impatient = client(Duration.ZERO);
        while (!isMember(impatient, name) && daemon(daemon).isAlive()) {
            if (System.nanoTime() > deadline) {
                return; // what is missing is told when the nodes do not come up
            }
            Thread.sleep(Duration.ofMillis(50));
        }
    }

    private static boolean isMember(ControllerClient client, String name) {
        try {
            return client
                    .call(controller -> controller.ping(PingRequest.getDefaultInstance()))
                    .getControllersList()
                    .stream()
                    .anyMatch(member -> member.getName().equals(name));
        } catch (ControllerException e) {
            return false;
        }
    }

    private List<String> controller(int number) {
        var command =
                new ArrayList<>(
                        List.of(
                                "spurctld",
                                "--config",
                                layout().config().toString(),
                                "--listen",
                                layout().controllerAddress(number),
                                "--state-dir",
                                layout().controllerState(number).toString(),
                                "--name",
                                layout().controllerName(number)));
        if (plan.controllers() > 1) {
            command.addAll(List.of("--raft-listen", layout().raftAddress(number)));
        }
        return command;
    }

    private List<String> door() {
        return List.of(
                "spur-door",
                "--config",
                layout().config().toString(),
                "--socket",
                layout().door().toString(),
                "--controller",
                controllerAddresses(),
                "--identity",
                layout().identity("door").toString());
    }

    private List<String> cloud() {
        var command =
                new ArrayList<>(
                        List.of(
                                "spur-cloud-api",
                                "--controller",
                                controllerAddresses(),
                                "--listen",
                                layout().cloudAddress(),
                                "--public-url",
                                layout().cloudUrl(),
                                "--apps-listen",
                                layout().appsAddress(),
                                "--ssh-listen",
                                layout().sshAddress(),
                                "--state-dir",
                                cloudState().toString(),
                                "--identity",
                                cloudState().resolve("identity").toString()));
        if (plan.has(ClusterPlan.Part.ACCOUNTING)) {
            command.addAll(
                    List.of(
                            "--postgres",
                            layout().accountingState().resolve("postgres").toString()));
        }
        if (plan.has(ClusterPlan.Part.REST)) {
            command.addAll(List.of("--rest", "http://" + layout().restAddress()));
        }
        if (Files.isDirectory(layout().console())) {
            command.addAll(List.of("--console", layout().console().toString()));
        }
        return command;
    }

    private List<String> rest() {
        return List.of(
                "spurrestd",
                "--config",
                layout().config().toString(),
                "--controller",
                controllerAddresses(),
                "--listen",
                layout().restAddress(),
                "--identity",
                layout().identity(REST).toString());
    }

    private List<String> accounting() {
        return List.of(
                "spurdbd",
                "--config",
                layout().config().toString(),
                "--controller",
                controllerAddresses(),
                "--listen",
                layout().accountingAddress(),
                "--state-dir",
                layout().accountingState().toString(),
                "--identity",
                layout().identity(ACCOUNTING).toString(),
                "--database",
                "spur_cloud"); // so that one PostgreSQL is enough
    }

    private List<String> agent(String name, int number) {
        return List.of(
                "spurd",
                "--config",
                layout().config().toString(),
                "-N",
                name,
                "--controller",
                controllerAddresses(),
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
        start(name, command, Map.of());
    }

    private void start(String name, List<String> command, Map<String, String> environment) {
        daemons.put(
                name,
                DaemonProcess.start(
                        name, command, environment, layout().log(name), layout().pid(name)));
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
                                .formatted(READY_WITHIN.toSeconds(), layout().logs()));
            }
            Thread.sleep(Duration.ofMillis(50));
        }
    }

    /// What controller and door try before anybody calls makes whoever calls at once wait for a
    /// processor.
    private void awaitRehearsals() throws InterruptedException {
        var deadline = System.nanoTime() + REHEARSED_WITHIN.toNanos();
        var quiet = 0;
        while (quiet < QUIET && System.nanoTime() < deadline) {
            quiet = isRehearsing() ? 0 : quiet + 1;
            Thread.sleep(Duration.ofMillis(20));
        }
    }

    /// The controller has files for it, and the door has no other children than the commands that
    /// it tries, one after the other.
    private boolean isRehearsing() {
        var door = daemons.getOrDefault("spur-door", daemons.get("control"));
        return Files.exists(layout().controllerState(1).resolve("rehearsal"))
                || (door != null && door.hasChildren());
    }

    private boolean isReady(ControllerClient impatient) {
        try {
            var nodes =
                    impatient
                            .call(c -> c.listNodes(ListNodesRequest.getDefaultInstance()))
                            .getNodesList();
            return DoorServer.isServed(layout().door())
                    && (!plan.has(ClusterPlan.Part.ACCOUNTING) || isAccounted(impatient))
                    && (!plan.has(ClusterPlan.Part.CLOUD)
                            || FreePorts.firstTaken(layout().cloudPort()).isPresent())
                    && (!plan.has(ClusterPlan.Part.REST)
                            || FreePorts.firstTaken(layout().restPort()).isPresent())
                    && nodes.stream()
                                    .filter(node -> config.nodes().contains(node.getName()))
                                    .filter(LocalCluster::isInService)
                                    .count()
                            == config.nodes().size();
        } catch (ControllerException e) {
            return false;
        }
    }

    /// Whether spurdbd has come to the controller: from then on nothing that happens is missed.
    private static boolean isAccounted(ControllerClient client) {
        return !client.call(c -> c.ping(PingRequest.getDefaultInstance()))
                .getAccountingAddress()
                .isEmpty();
    }

    private static boolean isInService(Node node) {
        return !node.getState().equals("UNKNOWN") && !node.getState().equals("DOWN");
    }

    private static String lastLines(Path log) throws IOException {
        var lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    }

    /// The link of the cloud's first administrator; empty if there is one.
    public Optional<String> adminLink() {
        var file = cloudState().resolve("admin-link");
        try {
            return plan.has(ClusterPlan.Part.CLOUD) && Files.isReadable(file)
                    ? Optional.of(Files.readString(file).strip())
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// What points commands to this cluster, with its door or without.
    public Map<String, String> environment() {
        var variables = new LinkedHashMap<String, String>();
        variables.put("SPUR_DOOR", layout().door().toString());
        variables.put("SPUR_CONTROLLER_ADDR", "http://" + controllerAddresses());
        if (plan.has(ClusterPlan.Part.ACCOUNTING)) {
            variables.put("SPUR_ACCOUNTING_ADDR", "http://" + layout().accountingAddress());
        }
        if (plan.has(ClusterPlan.Part.CLOUD)) {
            variables.put("SPUR_CLOUD_URL", layout().cloudUrl());
        }
        if (plan.has(ClusterPlan.Part.REST)) {
            variables.put("SPUR_REST_ADDR", "http://" + layout().restAddress());
        }
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

    /// Ends running jobs and waits until nothing of them is left, since their nodes go away; then
    /// the daemons in reverse order. Pending jobs are still there when a cluster is started in the
    /// same directory.
    @Override
    public void close() {
        stop();
    }

    /// What [#close] does.
    ///
    /// @return the jobs of which something may still run
    public List<String> stop() {
        var left = daemons.isEmpty() ? List.<String>of() : endJobs();
        for (var daemon : new ArrayList<>(daemons.values()).reversed()) {
            daemon.close();
        }
        channels.close();
        delete(layout().door()); // an unprivileged door leaves it behind
        config.nodes().forEach(this::endZygote);
        return left;
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

    private void takeBackDrains() {
        update(client, nodesWhere(client, LocalCluster::isGoingDown), Map.of("State", "UNDRAIN"));
    }

    private static boolean isGoingDown(Node node) {
        return isDrained(node) && node.getReason().equals(GOING_DOWN);
    }

    private static boolean isDrained(Node node) {
        return node.getFlagsList().contains("DRAIN");
    }

    private static List<String> nodesWhere(ControllerClient client, Predicate<Node> condition) {
        return client
                .call(c -> c.listNodes(ListNodesRequest.getDefaultInstance()))
                .getNodesList()
                .stream()
                .filter(condition)
                .map(Node::getName)
                .toList();
    }

    private static void update(
            ControllerClient client, List<String> nodes, Map<String, String> changes) {
        if (nodes.isEmpty()) {
            return;
        }
        client.call(c ->
                c.updateNodes(
                        UpdateNodesRequest.newBuilder()
                                .setRequestId(UUID.randomUUID().toString())
                                .setNames(String.join(",", nodes))
                                .putAllChanges(changes)
                                .build()));
    }

    private List<String> endJobs() {
        var impatient = client(Duration.ofSeconds(2));
        try {
            update(
                    impatient,
                    nodesWhere(impatient, node -> !isDrained(node)),
                    Map.of("State", "DRAIN", "Reason", GOING_DOWN));
            impatient.call(c ->
                    c.cancelJobs(
                            CancelJobsRequest.newBuilder()
                                    .setRequestId(UUID.randomUUID().toString())
                                    .setFilter(onNodes())
                                    .build()));
            if (awaitEnds(impatient, GRACE)) {
                return List.of();
            }
            impatient.call(c ->
                    c.signalJobs(
                            SignalJobsRequest.newBuilder()
                                    .setRequestId(UUID.randomUUID().toString())
                                    .setFilter(onNodes())
                                    .setSignal(KILL)
                                    .setTarget(SignalTarget.SIGNAL_TARGET_FULL)
                                    .build()));
            return awaitEnds(impatient, DEATH) ? List.of() : jobsOnNodes(impatient);
        } catch (ControllerException e) {
            return List.of("those that ran, since the controller does not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of("those that ran");
        }
    }

    private static boolean awaitEnds(ControllerClient client, Duration within)
            throws InterruptedException {
        var deadline = System.nanoTime() + within.toNanos();
        while (!jobsOnNodes(client).isEmpty()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            Thread.sleep(Duration.ofMillis(50));
        }
        return true;
    }

    private static JobFilter.Builder onNodes() {
        return JobFilter.newBuilder().addAllStates(ON_NODES);
    }

    private static List<String> jobsOnNodes(ControllerClient client) {
        var jobs = new ArrayList<String>();
        client.each(
                c -> c.listJobs(ListJobsRequest.newBuilder().addAllStates(ON_NODES).build()),
                page ->
                        page.getJobsList()
                                .forEach(
                                        job -> jobs.add(Integer.toUnsignedString(job.getJobId()))));
        return jobs;
    }
}
