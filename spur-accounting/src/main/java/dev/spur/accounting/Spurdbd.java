package dev.spur.accounting;

import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.SecretFiles;
import dev.spur.runtime.log.Logging;
import dev.spur.runtime.postgres.PostgresHome;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.Running;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// spurdbd, the accounting daemon as a process.
public final class Spurdbd implements Daemon.Start {
    private static final Logger LOG = LoggerFactory.getLogger(Spurdbd.class);
    static final String VERSION = "0.1.0";
    private static final Path DEFAULT_STATE = Path.of("/var/spool/spurdbd");
    static final List<Flag> FLAGS = List.of(Flag.CONFIG, Flag.STATE_DIR);

    private final Runnable lower;

    /// @param lower gives up root's rights, if the process has them and nobody else in it needs
    ///   them
    private Spurdbd(Runnable lower) {
        this.lower = lower;
    }

    static void main(String[] arguments) {
        var alone = new Daemon("spurdbd", VERSION, FLAGS, new Spurdbd(Spurdbd::becomeUnprivileged));
        System.exit(alone.run(System.out, System.err, arguments));
    }

    /// Beside other daemons in one process, whose user is its own, too.
    public static Daemon daemon() {
        return new Daemon("spurdbd", VERSION, FLAGS, new Spurdbd(() -> {}));
    }

    @Override
    public Running start(Flags flags) throws Exception {
        var config = ConfigFile.load(configFile(flags)).config();
        Logging.start(config.logging());
        var state = prepareState(stateDirectory(flags));
        var url = config.accounting().databaseUrl();
        if (!url.isEmpty()) {
            lower.run();
            return Accounting.start(url);
        }
        var home = PostgresHome.prepare(state.resolve("postgres"));
        lower.run();
        return Accounting.start(home);
    }

    @Override
    public Path logFile(Flags flags) {
        return stateDirectory(flags).resolve("spurdbd.log");
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

    /// What is in it is the service account's, since that is whom root becomes.
    private static Path prepareState(Path directory) {
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
