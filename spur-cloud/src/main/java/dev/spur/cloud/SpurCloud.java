package dev.spur.cloud;

import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.config.SpurSection;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.LoggingConfig;
import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.SecretFiles;
import dev.spur.runtime.log.Logging;
import dev.spur.runtime.postgres.DatabaseAddress;
import dev.spur.runtime.postgres.EmbeddedPostgres;
import dev.spur.runtime.postgres.PostgresHome;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.Running;
import dev.spur.runtime.process.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// spur-cloud-api, the cloud daemon as a process.
public final class SpurCloud implements Daemon.Start {
    private static final Logger LOG = LoggerFactory.getLogger(SpurCloud.class);
    static final String VERSION = "0.1.0";
    private static final Path DEFAULT_STATE = Path.of("/var/spool/spur-cloud");
    private static final int PORT = 8080;
    private static final Duration DATABASE_COMES_WITHIN = Duration.ofSeconds(60);

    private static final Flag CONFIG =
            Flag.value(
                    'c',
                    "config",
                    "PATH",
                    "configuration file (default: spur-cloud.toml here, else /etc/spur/spur-cloud.toml)");
    private static final Flag CONTROLLER =
            Flag.value(
                    "controller",
                    "ADDRESS",
                    "the controller, or several with commas (SPUR_CONTROLLER_ADDR; default: spur.controller_addr)");
    private static final Flag REST =
            Flag.value("rest", "ADDRESS", "spurrestd (default: spur.rest_addr)");
    private static final Flag ACCOUNTING =
            Flag.value(
                    "accounting",
                    "ADDRESS",
                    "spurdbd (default: spur.accounting_addr, else where the controller says)");
    private static final Flag PUBLIC_URL =
            Flag.value("public-url", "URL", "where people reach it (default: public_url)");
    private static final Flag IDENTITY =
            Flag.value(
                    "identity",
                    "DIRECTORY",
                    "this host's certificate of the role cloud; without it the cluster is not used");
    private static final Flag POSTGRES =
            Flag.value(
                    "postgres",
                    "DIRECTORY",
                    "the directory of a PostgreSQL that spurdbd keeps running, for one server on a host");
    private static final Flag CONSOLE =
            Flag.value("console", "DIRECTORY", "the console's files (default: server.console_dir)");
    private static final Flag SSH_LISTEN =
            Flag.value(
                    "ssh-listen",
                    "ADDRESS",
                    "where SSH into sessions listens (default: ssh.listen)");
    private static final Flag APPS_LISTEN =
            Flag.value(
                    "apps-listen",
                    "ADDRESS",
                    "where ports of sessions are served (default: apps.listen)");
    static final List<Flag> FLAGS =
            List.of(
                    CONFIG,
                    CONTROLLER,
                    REST,
                    ACCOUNTING,
                    Flag.LISTEN,
                    PUBLIC_URL,
                    IDENTITY,
                    POSTGRES,
                    CONSOLE,
                    SSH_LISTEN,
                    APPS_LISTEN,
                    Flag.STATE_DIR,
                    Flag.LOG_LEVEL);

    private SpurCloud() {}

    static void main(String[] arguments) {
        var alone = new Daemon("spur-cloud-api", VERSION, FLAGS, new SpurCloud());
        System.exit(alone.run(System.out, System.err, arguments));
    }

    /// Beside other daemons in one process, none of which needs root's rights once it has started.
    public static Daemon daemon() {
        return new Daemon("spur-cloud-api", VERSION, FLAGS, new SpurCloud());
    }

    @Override
    public Running start(Flags flags) throws Exception {
        var file = CloudConfig.load(configFile(flags), System.getenv());
        Logging.start(logging(flags));
        file.warnings().forEach(warning -> LOG.atWarn().log(warning));
        var config = config(flags, file.config());
        var state = prepareState(stateDirectory(flags));
        var options =
                new CloudOptions(
                        config,
                        Console.load(config.server().consoleDir()),
                        HostAndPort.parse(
                                flags.value(Flag.LISTEN).orElse(config.server().listenAddr()),
                                PORT),
                        controllers(flags, config),
                        flags.value(IDENTITY).map(Path::of).map(SpurCloud::identity).orElse(null),
                        state,
                        InstantSource.system());
        return start(flags, config, state, options);
    }

    private static Running start(
            Flags flags, CloudConfig config, Path state, CloudOptions options) {
        if (!config.database().url().isEmpty()) {
            lowered();
            return Cloud.start(null, DatabaseAddress.parse(config.database().url()), options);
        }
        var shared = flags.value(POSTGRES).map(Path::of);
        if (shared.isPresent()) {
            lowered();
            return Cloud.start(
                    null,
                    EmbeddedPostgres.awaitDatabase(
                            shared.get(), Cloud.DATABASE, DATABASE_COMES_WITHIN),
                    options);
        }
        var home = PostgresHome.prepare(state.resolve("postgres"));
        lowered();
        var postgres = EmbeddedPostgres.open(home, List.of(Cloud.DATABASE));
        try {
            return Cloud.start(postgres, postgres.database(Cloud.DATABASE), options);
        } catch (RuntimeException e) {
            postgres.close();
            throw e;
        }
    }

    /// Whatever faces browsers is nobody of importance.
    private static void lowered() {
        if (Users.currentUid() == 0) {
            ServiceAccount.usual().become();
        }
    }

    private static CloudConfig config(Flags flags, CloudConfig file) {
        var server = file.server();
        return new CloudConfig(
                flags.value(PUBLIC_URL).orElse(file.publicUrl()),
                file.database(),
                new SpurSection(
                        file.spur().controllerAddr(),
                        flags.value(REST).orElse(file.spur().restAddr()),
                        flags.value(ACCOUNTING).orElse(file.spur().accountingAddr())),
                file.auth(),
                new dev.spur.cloud.config.ServerSection(
                        server.listenAddr(),
                        server.sessionNamespace(),
                        server.backend(),
                        flags.value(CONSOLE).orElse(server.consoleDir())),
                file.bareMetal(),
                file.sessions(),
                file.billing(),
                file.update(),
                file.ssh().listeningAt(flags.value(SSH_LISTEN).orElse(file.ssh().listen())),
                file.apps().listeningAt(flags.value(APPS_LISTEN).orElse(file.apps().listen())));
    }

    private static List<HostAndPort> controllers(Flags flags, CloudConfig config) {
        var said =
                flags.value(CONTROLLER)
                        .or(() -> Optional.ofNullable(System.getenv("SPUR_CONTROLLER_ADDR")))
                        .orElse(config.spur().controllerAddr());
        return said.isEmpty()
                ? List.of()
                : HostAndPort.parseList(said, HostAndPort.CONTROLLER_PORT);
    }

    private static HostIdentity identity(Path directory) {
        var identity = HostIdentity.load(directory);
        if (Users.currentUid() == 0) {
            ServiceAccount.usual().own(directory); // renewed by whom this process becomes
        }
        return identity;
    }

    private static LoggingConfig logging(Flags flags) {
        var usual = LoggingConfig.DEFAULTS;
        return flags.value(Flag.LOG_LEVEL)
                .map(word -> new LoggingConfig(level(word), usual.format(), usual.file()))
                .orElse(usual);
    }

    private static LoggingConfig.Level level(String word) {
        try {
            return LoggingConfig.Level.valueOf(word.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "--log-level is error, warn, info, debug or trace, not \"%s\"".formatted(word));
        }
    }

    @Override
    public Path logFile(Flags flags) {
        return stateDirectory(flags).resolve("spur-cloud-api.log");
    }

    private static Path configFile(Flags flags) {
        var here = Path.of("spur-cloud.toml");
        return flags.value(CONFIG)
                .map(Path::of)
                .orElse(
                        java.nio.file.Files.exists(here)
                                ? here
                                : Path.of("/etc/spur/spur-cloud.toml"))
                .toAbsolutePath();
    }

    private static Path stateDirectory(Flags flags) {
        return flags.value(Flag.STATE_DIR).map(Path::of).orElse(DEFAULT_STATE).toAbsolutePath();
    }

    /// What is in it is the service account's, since that is whom root becomes.
    private static Path prepareState(Path directory) {
        SecretFiles.directory(directory);
        if (Users.currentUid() == 0) {
            ServiceAccount.usual().own(directory);
        }
        return directory;
    }
}
