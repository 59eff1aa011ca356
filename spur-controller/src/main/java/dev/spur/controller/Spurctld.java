package dev.spur.controller;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.LoggingConfig;
import dev.spur.runtime.config.SpurConfig;
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
import org.slf4j.LoggerFactory;

/// `spurctld [-D] [-f FILE] [--listen ADDRESS] [--state-dir DIRECTORY] [--log-level LEVEL]`.
public final class Spurctld {
    private Spurctld() {}

    public static void main(String... arguments) {
        System.exit(daemon().run(System.out, System.err, arguments));
    }

    public static Daemon daemon() {
        var flags = List.of(Flag.CONFIG, Flag.LISTEN, Flag.STATE_DIR, Flag.LOG_LEVEL);
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
            file.notYetUsed()
                    .forEach(key ->
                            log.atWarn().addKeyValue("key", key).log("known, but not used yet"));
            log.atDebug()
                    .addKeyValue("configuration", file.config().effective())
                    .log("effective configuration");
            var options =
                    new ControllerOptions(
                            file.config(),
                            () -> ConfigFile.load(path),
                            listen(file.config(), flags),
                            stateDirectory(file.config(), flags),
                            InstantSource.system());
            return Controller.start(options);
        }

        @Override
        public Path logFile(Flags flags) {
            var config = ConfigFile.load(configPath(flags)).config();
            var file = config.logging().file();
            return file != null ? file : stateDirectory(config, flags).resolve("spurctld.log");
        }
    }

    private static Path configPath(Flags flags) {
        return flags.value(Flag.CONFIG).map(Path::of).orElse(ConfigFile.DEFAULT_PATH);
    }

    private static HostAndPort listen(SpurConfig config, Flags flags) {
        return flags.value(Flag.LISTEN)
                .map(text -> HostAndPort.parse(text, HostAndPort.CONTROLLER_PORT))
                .orElse(config.controller().listenAddr());
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
