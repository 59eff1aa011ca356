package dev.spur.accounting;

import dev.spur.accounting.archive.Retention;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.AccountingConfig;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.KeptFor;
import dev.spur.runtime.config.LoggingConfig;
import dev.spur.runtime.config.Secret;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.Joined;
import dev.spur.runtime.identity.SecretFiles;
import dev.spur.runtime.log.Logging;
import dev.spur.runtime.postgres.PostgresHome;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.Running;
import dev.spur.runtime.process.UsageException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// spurdbd, the accounting daemon as a process.
public final class Spurdbd implements Daemon.Start {
    private static final Logger LOG = LoggerFactory.getLogger(Spurdbd.class);
    static final String VERSION = "0.1.0";
    private static final Path DEFAULT_STATE = Path.of("/var/spool/spurdbd");
    private static final Path DEFAULT_IDENTITY = Path.of("/etc/spur/identity");
    private static final int PORT = 6819;

    static final Flag DATABASE_URL =
            Flag.value(
                    "database-url",
                    "URL",
                    "the database, as in postgresql://user:password@host/spur (DATABASE_URL; default: accounting.database_url, else a PostgreSQL of its own)");
    private static final Flag DATABASE =
            Flag.value(
                    "database",
                    "NAME",
                    "a further database of the PostgreSQL of its own, for another daemon of this host (may be repeated)");
    private static final Flag MIGRATE =
            Flag.toggle("migrate", "bring the tables up to date, which every start does anyway");
    private static final Flag CONTROLLER =
            Flag.value(
                    "controller",
                    "ADDRESS",
                    "the controller, or several with commas (SPUR_CONTROLLER_ADDR; default: controller.hosts of spur.conf)");
    private static final Flag ADDRESS =
            Flag.value(
                    "address",
                    "HOST",
                    "address that clients reach this host by (default: that of --listen, or the host name)");
    private static final Flag TOKEN =
            Flag.value(
                    "token",
                    "TOKEN",
                    "join token for the first start (SPUR_JOIN_TOKEN; spur token join --role accounting)");
    private static final Flag IDENTITY =
            Flag.value(
                    "identity",
                    "DIRECTORY",
                    "this host's certificate (default /etc/spur/identity)");
    static final List<Flag> FLAGS =
            List.of(
                    Flag.CONFIG,
                    DATABASE_URL,
                    DATABASE,
                    MIGRATE,
                    CONTROLLER,
                    Flag.LISTEN,
                    ADDRESS,
                    TOKEN,
                    IDENTITY,
                    Flag.STATE_DIR,
                    Flag.LOG_LEVEL);

    private final Runnable lower;

    /// @param lower gives up root's rights, if the process has them and nobody else in it needs
    ///   them
    private Spurdbd(Runnable lower) {
        this.lower = lower;
    }

    static void main(String[] arguments) {
        if (DatabaseVerbs.isOne(arguments)) {
            System.exit(new DatabaseVerbs(System.out, System.err).run(arguments));
        }
        var alone = new Daemon("spurdbd", VERSION, FLAGS, new Spurdbd(Spurdbd::becomeUnprivileged));
        System.exit(alone.run(System.out, System.err, arguments));
    }

    /// Beside other daemons in one process, none of which needs root's rights once it has started:
    /// this one is the last to start, and gives them up for all.
    public static Daemon daemon() {
        return new Daemon("spurdbd", VERSION, FLAGS, new Spurdbd(Spurdbd::becomeUnprivileged));
    }

    @Override
    public Running start(Flags flags) throws Exception {
        var config = ConfigFile.load(configFile(flags)).config();
        Logging.start(logging(config.logging(), flags));
        var options = options(flags, config);
        var state = prepareState(stateDirectory(flags));
        var url = databaseUrl(flags, config);
        if (!url.isEmpty()) {
            lower.run();
            return Accounting.start(url, options);
        }
        var home = PostgresHome.prepare(state.resolve("postgres"));
        lower.run();
        return Accounting.start(home, flags.values(DATABASE), options);
    }

    static Secret databaseUrl(Flags flags, SpurConfig config) {
        return flags.value(DATABASE_URL)
                .or(() -> Optional.ofNullable(System.getenv("DATABASE_URL")))
                .map(Secret::parse)
                .orElse(config.accounting().databaseUrl());
    }

    private static AccountingOptions options(Flags flags, SpurConfig config) {
        var listen = listen(flags, config);
        return new AccountingOptions(
                flags.value(CONTROLLER)
                        .or(() -> Optional.ofNullable(System.getenv("SPUR_CONTROLLER_ADDR")))
                        .map(said -> HostAndPort.parseList(said, HostAndPort.CONTROLLER_PORT))
                        .orElseGet(() -> config.controller().addresses()),
                config.clusterName(),
                listen,
                flags.value(ADDRESS).orElseGet(() -> address(listen)),
                ThisHost.shortName(),
                config.auth().tls() ? identity(flags) : null,
                retention(config.accounting()),
                InstantSource.system());
    }

    /// Only this host, unless somebody says more.
    private static HostAndPort listen(Flags flags, SpurConfig config) {
        var configured = config.accounting().listenAddr();
        return HostAndPort.parse(
                flags.value(Flag.LISTEN).orElse(configured.isEmpty() ? "127.0.0.1" : configured),
                PORT);
    }

    private static String address(HostAndPort listen) {
        return listen.host().equals("::") || listen.host().equals("0.0.0.0")
                ? ThisHost.fullName()
                : listen.host();
    }

    private static HostIdentity identity(Flags flags) {
        var directory = flags.value(IDENTITY).map(Path::of).orElse(DEFAULT_IDENTITY);
        var token =
                flags.value(TOKEN).or(() -> Optional.ofNullable(System.getenv("SPUR_JOIN_TOKEN")));
        var identity =
                Joined.identity(
                        directory,
                        token.map(JoinToken::parse),
                        known -> Joining.join(known, ThisHost.shortName(), directory),
                        Instant.now(),
                        said -> LOG.atWarn().log(said));
        if (Users.currentUid() == 0) {
            ServiceAccount.usual().own(directory); // renewed by whom this process becomes
        }
        return identity;
    }

    private static Retention retention(AccountingConfig config) {
        var days = (int) config.transactionRetention().toDays();
        var transactions =
                config.purgeTxnAfter().isForEver() && days > 0
                        ? new KeptFor(days, KeptFor.Unit.DAYS)
                        : config.purgeTxnAfter();
        return new Retention(
                Map.of(
                        Retention.Kind.JOB, config.purgeJobAfter(),
                        Retention.Kind.STEP, config.purgeStepAfter(),
                        Retention.Kind.EVENT, config.purgeEventAfter(),
                        Retention.Kind.RESV, config.purgeResvAfter(),
                        Retention.Kind.TXN, transactions,
                        Retention.Kind.USAGE, config.purgeUsageAfter()));
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

    @Override
    public Path logFile(Flags flags) {
        return stateDirectory(flags).resolve("spurdbd.log");
    }

    static Path configFile(Flags flags) {
        return flags.value(Flag.CONFIG)
                .map(Path::of)
                .orElse(ConfigFile.DEFAULT_PATH)
                .toAbsolutePath();
    }

    static Path stateDirectory(Flags flags) {
        return flags.value(Flag.STATE_DIR).map(Path::of).orElse(DEFAULT_STATE).toAbsolutePath();
    }

    /// What is in it is the service account's, since that is whom root becomes.
    static Path prepareState(Path directory) {
        SecretFiles.directory(directory);
        if (Users.currentUid() == 0) {
            ServiceAccount.usual().own(directory);
        }
        return directory;
    }

    private static void becomeUnprivileged() {
        if (Users.currentUid() != 0) {
            return;
        }
        var account = ServiceAccount.usual();
        if (account.canRunJava()) {
            account.become();
            LOG.atInfo().addKeyValue("uid", account.uid()).log("spurdbd became unprivileged");
        } else {
            LOG.atWarn()
                    .addKeyValue("uid", account.uid())
                    .log("spurdbd stays root: nobody else may read the JDK");
        }
    }
}
