package dev.spur.controller;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.ControllerConfig;
import dev.spur.runtime.config.LoggingConfig;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.identity.SecretFiles;
import dev.spur.runtime.log.Logging;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.Running;
import dev.spur.runtime.process.UsageException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// `spurctld [-D] [-f FILE] [--listen ADDRESS] [--state-dir DIRECTORY] [--log-level LEVEL] [--token
/// TOKEN]`.
public final class Spurctld {
    private static final Flag NAME =
            Flag.value(
                    'N',
                    "name",
                    "NAME",
                    "name of this controller among several (default: the host's)");
    private static final Flag REPLICATION =
            Flag.value(
                    "raft-listen",
                    "ADDRESS",
                    "address for other controllers, as in [::]:6821; without one, none can join");
    private static final Flag TOKEN =
            Flag.value(
                    "token",
                    "TOKEN",
                    "join controllers that run, at the first start (spur token join --role controller)");

    private static final Flag ALONE =
            Flag.toggle(
                    "alone", "go on without the other controllers, which are lost for good; once");

    private Spurctld() {}

    public static void main(String... arguments) {
        System.exit(daemon().run(System.out, System.err, arguments));
    }

    public static Daemon daemon() {
        var flags =
                List.of(
                        Flag.CONFIG,
                        Flag.LISTEN,
                        REPLICATION,
                        Flag.STATE_DIR,
                        NAME,
                        TOKEN,
                        ALONE,
                        Flag.LOG_LEVEL);
        return new Daemon("spurctld", Controller.VERSION, flags, new Start());
    }

    private static final class Start implements Daemon.Start {
        @Override
        public Running start(Flags flags) throws Exception {
            var path = configPath(flags);
            var file = ConfigFile.load(path);
            Logging.start(logging(file.config().logging(), flags));
            var log = LoggerFactory.getLogger(Spurctld.class);
            file.warnings().forEach(warning -> log.atWarn().log(warning));
            file.notYetUsed().forEach(key -> log.atWarn().log(key));
            unreachable(file.config(), listen(file.config(), flags))
                    .ifPresent(warning -> log.atWarn().log(warning));
            log.atDebug()
                    .addKeyValue("configuration", file.config().effective())
                    .log("effective configuration");
            var options =
                    new ControllerOptions(
                            file.config(),
                            path.toAbsolutePath(),
                            () -> ConfigFile.load(path),
                            listen(file.config(), flags),
                            replication(file.config(), flags),
                            stateDirectory(file.config(), flags),
                            InstantSource.system(),
                            flags.value(NAME).orElseGet(ThisHost::shortName),
                            flags.value(TOKEN)
                                    .or(() -> Optional.ofNullable(System.getenv("SPUR_JOIN_TOKEN")))
                                    .orElse(null),
                            flags.has(ALONE));
            return Controller.start(options);
        }

        @Override
        public Path logFile(Flags flags) {
            var config = ConfigFile.load(configPath(flags)).config();
            var file = config.logging().file();
            if (file != null) {
                return file;
            }
            var state = stateDirectory(config, flags);
            SecretFiles.ownDirectory(state); // before anybody makes it for the log, open to all
            return state.resolve("spurctld.log");
        }
    }

    private static Path configPath(Flags flags) {
        return flags.value(Flag.CONFIG).map(Path::of).orElse(ConfigFile.DEFAULT_PATH);
    }

    /// What is wrong with where it listens, if anything is.
    static Optional<String> unreachable(SpurConfig config, HostAndPort listen) {
        return config.nodes().isEmpty() || !listen.isLoopback()
                ? Optional.empty()
                : Optional.of(
                        "nodes are configured, but the controller listens on %s, which other hosts cannot reach. To let them in, set listen_addr = \"[::]:%d\" under [controller], or --listen"
                                .formatted(listen, listen.port()));
    }

    private static HostAndPort listen(SpurConfig config, Flags flags) {
        return flags.value(Flag.LISTEN)
                .map(text -> HostAndPort.parse(text, HostAndPort.CONTROLLER_PORT))
                .orElse(config.controller().listenAddr());
    }

    private static @Nullable HostAndPort replication(SpurConfig config, Flags flags) {
        return flags.value(REPLICATION)
                .map(text -> HostAndPort.parse(text, ControllerConfig.RAFT_PORT))
                .orElse(config.controller().raftListenAddr());
    }

    private static Path stateDirectory(SpurConfig config, Flags flags) {
        return flags.value(Flag.STATE_DIR).map(Path::of).orElse(config.controller().stateDir());
    }

    private static LoggingConfig logging(LoggingConfig config, Flags flags) {
        return flags.value(Flag.LOG_LEVEL)
                .map(word -> new LoggingConfig(level(word), config.format(), config.file()))
                .orElse(config);
    }

    private static LoggingConfig.Level level(String word) {
        try {
            return LoggingConfig.Level.valueOf(word.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "--log-level must be error, warn, info, debug or trace, was \"%s\""
                            .formatted(word));
        }
    }
}
