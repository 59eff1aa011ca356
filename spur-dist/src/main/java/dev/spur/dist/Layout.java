package dev.spur.dist;

import java.nio.file.Path;
import java.util.stream.IntStream;

/// Files and ports of a local cluster: everything is below one directory, all ports count from one
/// base.
///
/// @param home the distribution: `bin`, `lib`, `libexec`
/// @param directory what the cluster keeps
/// @param portBase the controller's port
public record Layout(Path home, Path directory, int portBase) {
    private static final int ACCOUNTING = 2;
    private static final int REST = 3;
    private static final int CLOUD = 20;
    private static final int APPS = 21;
    private static final int SSH = 22;

    /// With the default base the cloud is where everybody looks for it.
    private static final int DEFAULT_BASE = 6817;

    private static final int USUAL_CLOUD = 8080;
    private static final int USUAL_APPS = 8081;
    private static final int USUAL_SSH = 2222;
    private static final int RAFT = 4;
    private static final int MORE_CONTROLLERS = 30;
    private static final int FIRST_AGENT = 100;

    /// Longest path of a Unix socket on Linux, less the longest name we put below the directory.
    private static final int LONGEST_DIRECTORY =
            107 - "/nodes/node9999/steps/4294967295.4294967295.99.sock".length();

    public Layout {
        if (directory.toString().length() > LONGEST_DIRECTORY) {
            throw new IllegalArgumentException(
                    "the path %s is too long for the sockets below it (more than %d characters). Choose another with --dir."
                            .formatted(directory, LONGEST_DIRECTORY));
        }
        if (portBase < 1 || portBase > 60_000) {
            throw new IllegalArgumentException(
                    "--port-base must be between 1 and 60000, was %d".formatted(portBase));
        }
    }

    public Path config() {
        return directory.resolve("spur.conf");
    }

    /// Controllers are numbered from 1.
    public Path controllerState(int number) {
        return directory.resolve(number == 1 ? "controller" : "controller" + number);
    }

    public Path node(String name) {
        return directory.resolve("nodes").resolve(name);
    }

    public Path accountingState() {
        return directory.resolve("accounting");
    }

    public Path identity(String host) {
        return directory.resolve("identity").resolve(host);
    }

    /// The cluster's CA certificate, for everybody to read.
    public Path authority() {
        return directory.resolve("ca.pem");
    }

    public Path logs() {
        return directory.resolve("log");
    }

    public Path log(String daemon) {
        return logs().resolve(daemon + ".log");
    }

    public Path run() {
        return directory.resolve("run");
    }

    public Path door() {
        return run().resolve("door.sock");
    }

    public Path pid(String daemon) {
        return run().resolve(daemon + ".pid");
    }

    /// Present while the cluster is up; holds the text that greets the user.
    public Path ready() {
        return directory.resolve("ready");
    }

    public Path environment() {
        return directory.resolve("env");
    }

    /// Every port of a cluster with so many controllers and agents.
    int[] ports(int controllers, int agents) {
        return IntStream.concat(
                        IntStream.concat(
                                IntStream.of(
                                        accountingPort(),
                                        restPort(),
                                        cloudPort(),
                                        appsPort(),
                                        sshPort()),
                                IntStream.rangeClosed(1, controllers)
                                        .flatMap(number ->
                                                IntStream.of(
                                                        controllerPort(number), raftPort(number)))),
                        IntStream.rangeClosed(1, agents).map(this::agentPort))
                .toArray();
    }

    public String controllerName(int number) {
        return "ctl" + number;
    }

    public String controllerAddress(int number) {
        return "127.0.0.1:" + controllerPort(number);
    }

    public String accountingAddress() {
        return "127.0.0.1:" + accountingPort();
    }

    public String cloudAddress() {
        return "127.0.0.1:" + cloudPort();
    }

    /// Where browsers find the cloud.
    public String cloudUrl() {
        return "http://localhost:" + cloudPort();
    }

    int cloudPort() {
        return portBase == DEFAULT_BASE ? USUAL_CLOUD : portBase + CLOUD;
    }

    /// Where the ports of sessions are served.
    public String appsAddress() {
        return "127.0.0.1:" + appsPort();
    }

    private int appsPort() {
        return portBase == DEFAULT_BASE ? USUAL_APPS : portBase + APPS;
    }

    /// Where SSH into sessions listens.
    public String sshAddress() {
        return "127.0.0.1:" + sshPort();
    }

    private int sshPort() {
        return portBase == DEFAULT_BASE ? USUAL_SSH : portBase + SSH;
    }

    /// The console's files; not there if it could not be built here.
    Path console() {
        return home.resolve("share/console");
    }

    /// What the cloud keeps beside its database.
    public Path cloudState() {
        return directory.resolve("cloud");
    }

    public String restAddress() {
        return "127.0.0.1:" + restPort();
    }

    int restPort() {
        return portBase + REST;
    }

    private int accountingPort() {
        return portBase + ACCOUNTING;
    }

    /// Where the controllers talk to each other.
    public String raftAddress(int number) {
        return "127.0.0.1:" + raftPort(number);
    }

    private int controllerPort(int number) {
        return number == 1 ? portBase : portBase + MORE_CONTROLLERS + 2 * (number - 2);
    }

    private int raftPort(int number) {
        return number == 1 ? portBase + RAFT : controllerPort(number) + 1;
    }

    /// Agents are numbered from 1.
    public String agentAddress(int number) {
        return "127.0.0.1:" + agentPort(number);
    }

    private int agentPort(int number) {
        return portBase + FIRST_AGENT + number;
    }
}
