package dev.spur.agent;

import dev.spur.agent.device.Devices;
import dev.spur.agent.launch.Commands;
import dev.spur.agent.registration.AgentJoining;
import dev.spur.agent.registration.NodeFacts;
import dev.spur.model.notation.HostAndPort;
import dev.spur.model.notation.MemorySize;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.LoggingConfig;
import dev.spur.runtime.config.NodeConfig;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.Joined;
import dev.spur.runtime.log.Logging;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.Running;
import dev.spur.runtime.process.UsageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// spurd, the node agent as a process.
public final class Spurd implements Daemon.Start {
    static final String VERSION = "0.1.0";

    private static final Path DEFAULT_STATE = Path.of("/var/spool/spurd");
    private static final Path DEFAULT_IDENTITY = Path.of("/etc/spur/identity");
    private static final String LOOPBACK_ONLY = "127.0.0.1";
    private static final String EVERY_INTERFACE = "[::]";

    private static final Flag CONTROLLER =
            Flag.value(
                    "controller",
                    "ADDRESS",
                    "the controller, or several with commas (SPUR_CONTROLLER_ADDR; default: controller.hosts of spur.conf)");
    private static final Flag NODE =
            Flag.value('N', "hostname", "NAME", "name of this node (default: host name)");
    private static final Flag ADDRESS =
            Flag.value(
                    "address",
                    "HOST",
                    "address that others reach this node by; without it, and without --listen,"
                            + " only this host does (SPUR_NODE_ADDRESS)");
    private static final Flag LABEL =
            Flag.value("label", "KEY=VALUE", "a label of this node, repeatable");
    private static final Flag TOKEN =
            Flag.value("token", "TOKEN", "join token for the first start (SPUR_JOIN_TOKEN)");
    private static final Flag GRES =
            Flag.value("gres", "GRES", "pretend devices, as in gpu:mi300x:8");
    private static final Flag IDENTITY =
            Flag.value(
                    "identity",
                    "DIRECTORY",
                    "this host's certificate (default /etc/spur/identity)");
    private static final Flag PRETEND =
            Flag.toggle(
                    "pretend", "have what spur.conf says of this node, whatever the machine has");
    static final List<Flag> FLAGS =
            List.of(
                    Flag.CONFIG,
                    CONTROLLER,
                    Flag.LISTEN,
                    NODE,
                    ADDRESS,
                    LABEL,
                    TOKEN,
                    GRES,
                    IDENTITY,
                    Flag.STATE_DIR,
                    PRETEND,
                    Flag.LOG_LEVEL);

    private final Map<String, String> environment;

    Spurd(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    static void main(String[] arguments) {
        System.exit(daemon().run(System.out, System.err, arguments));
    }

    public static Daemon daemon() {
        return new Daemon("spurd", VERSION, FLAGS, new Spurd(System.getenv()));
    }

    @Override
    public Running start(Flags flags) throws Exception {
        var file = ConfigFile.load(configFile(flags));
        Logging.start(logging(file.config().logging(), flags));
        return Agent.start(config(flags, file.config()));
    }

    @Override
    public Path logFile(Flags flags) {
        return stateDirectory(flags).resolve("spurd.log");
    }

    private static LoggingConfig logging(LoggingConfig configured, Flags flags) {
        return flags.value(Flag.LOG_LEVEL)
                .map(level ->
                        new LoggingConfig(level(level), configured.format(), configured.file()))
                .orElse(configured);
    }

    private static LoggingConfig.Level level(String word) {
        try {
            return LoggingConfig.Level.valueOf(word.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw new UsageException(
                    "--log-level is error, warn, info, debug or trace, not \"%s\"".formatted(word));
        }
    }

    private AgentConfig config(Flags flags, SpurConfig config) throws IOException {
        var node = flags.value(NODE).orElseGet(ThisHost::shortName);
        var listen = listen(flags, config.network().agentPort());
        var pretend = flags.has(PRETEND);
        var entry = pretend ? entry(config, node) : null;
        return new AgentConfig(
                node,
                controllers(flags, config),
                listen,
                address(flags, listen),
                stateDirectory(flags),
                supervisor(),
                config.auth().tls() ? identity(flags, node) : null,
                hardware(entry),
                devices(flags, config, entry),
                labels(flags),
                pretend,
                true,
                configFile(flags),
                config.rlimits().memlock(),
                config.isolation().maxProcessesPerCpu(),
                commands());
    }

    List<HostAndPort> controllers(Flags flags, SpurConfig config) {
        return flags.value(CONTROLLER)
                .or(() -> Optional.ofNullable(environment.get("SPUR_CONTROLLER_ADDR")))
                .map(said -> HostAndPort.parseList(said, HostAndPort.CONTROLLER_PORT))
                .orElseGet(() -> config.controller().addresses());
    }

    private static Path configFile(Flags flags) {
        return flags.value(Flag.CONFIG)
                .map(Path::of)
                .orElse(ConfigFile.DEFAULT_PATH)
                .toAbsolutePath();
    }

    private static Path stateDirectory(Flags flags) {
        return flags.value(Flag.STATE_DIR).map(Path::of).orElse(DEFAULT_STATE).toAbsolutePath();
    }

    private HostIdentity identity(Flags flags, String node) {
        var directory = flags.value(IDENTITY).map(Path::of).orElse(DEFAULT_IDENTITY);
        var token =
                flags.value(TOKEN)
                        .or(() -> Optional.ofNullable(environment.get("SPUR_JOIN_TOKEN")));
        return Joined.identity(
                directory,
                token.map(JoinToken::parse),
                known -> AgentJoining.join(known, node, directory),
                Instant.now(),
                said -> LoggerFactory.getLogger(Spurd.class).atWarn().log(said));
    }

    /// Beside the Java programs, where the distribution puts it. An installation that is not the
    /// system's is on nobody's PATH.
    private Commands commands() {
        var home = Path.of(System.getProperty("spur.home", "/usr"));
        return new Commands(
                home.equals(Path.of("/usr")) ? "" : home.resolve("bin").toString(),
                environment.getOrDefault("SPUR_DOOR", ""));
    }

    private static Path supervisor() {
        return Path.of(System.getProperty("spur.home", "/usr"))
                .resolve("libexec")
                .resolve("spur-zygote");
    }

    /// Loopback, unless somebody said by which address others reach this node, or what to listen
    /// on.
    HostAndPort listen(Flags flags, int port) {
        var otherwise = saidAddress(flags).isPresent() ? EVERY_INTERFACE : LOOPBACK_ONLY;
        return HostAndPort.parse(flags.value(Flag.LISTEN).orElse(otherwise), port);
    }

    private String address(Flags flags, HostAndPort listen) {
        return saidAddress(flags)
                .orElseGet(() -> isWildcard(listen.host()) ? reachableName() : listen.host());
    }

    private Optional<String> saidAddress(Flags flags) {
        return flags.value(ADDRESS)
                .or(() -> Optional.ofNullable(environment.get("SPUR_NODE_ADDRESS")));
    }

    /// The host name if it can be resolved; a machine without one serves itself only.
    private static String reachableName() {
        var name = ThisHost.fullName();
        try {
            InetAddress.getByName(name);
            return name;
        } catch (UnknownHostException _) {
            return "127.0.0.1";
        }
    }

    private static boolean isWildcard(String host) {
        return host.equals("::") || host.equals("0.0.0.0");
    }

    private static NodeConfig entry(SpurConfig config, String node) {
        return config.nodes().stream()
                .filter(entry -> entry.names().hosts().contains(node))
                .findFirst()
                .orElseThrow(() ->
                        new UsageException(
                                "--pretend needs a [[nodes]] entry for %s in spur.conf"
                                        .formatted(node)));
    }

    private static NodeFacts.Hardware hardware(@Nullable NodeConfig entry) throws IOException {
        var real = NodeFacts.Hardware.ofThisMachine();
        if (entry == null) {
            return real;
        }
        var cpus = entry.cpus() == null ? real.cpus() : entry.cpus();
        var sockets = entry.sockets() == null ? 1 : entry.sockets();
        var threads = entry.threadsPerCore() == null ? 1 : entry.threadsPerCore();
        return new NodeFacts.Hardware(
                cpus,
                sockets,
                entry.coresPerSocket() == null
                        ? Math.max(1, cpus / sockets / threads)
                        : entry.coresPerSocket(),
                threads,
                megabytes(entry.memory(), real.memoryMb()),
                megabytes(entry.tmp(), real.tmpMb()));
    }

    private static long megabytes(@Nullable MemorySize configured, long real) {
        return configured == null ? real : configured.mebibytes();
    }

    private static Devices devices(Flags flags, SpurConfig config, @Nullable NodeConfig entry)
            throws IOException {
        var said = flags.values(GRES);
        if (!said.isEmpty()) {
            return Devices.pretend(said);
        }
        return entry == null ? Devices.of(config.devices()) : Devices.pretend(entry.gres());
    }

    private Map<String, String> labels(Flags flags) {
        var labels = new HashMap<String, String>();
        for (var part : environment.getOrDefault("SPUR_NODE_LABELS", "").split(",", -1)) {
            addLabel(labels, part);
        }
        flags.values(LABEL).forEach(part -> addLabel(labels, part));
        return labels;
    }

    private static void addLabel(Map<String, String> labels, String part) {
        var equals = part.indexOf('=');
        if (equals > 0) {
            labels.put(part.substring(0, equals), part.substring(equals + 1));
        } else if (!part.isEmpty()) {
            throw new UsageException("a label is KEY=VALUE, not \"%s\"".formatted(part));
        }
    }
}
