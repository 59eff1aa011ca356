package dev.spur.runtime.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import dev.spur.runtime.config.LoggingConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// Sets up the log of a process, once, before anything is logged.
public final class Logging {
    /// Libraries that tell more than an operator wants to know.
    private static final List<String> TALKATIVE =
            List.of("io.netty", "io.grpc", "org.eclipse", "com.nimbusds", "org.bouncycastle");

    /// Warns of each try to reach a controller that is away, several times in a second. The
    /// controllers tell themselves who is away.
    private static final String REPLICATION = "org.apache.ratis";

    /// Tells of every call that a caller breaks off, with a stack: anybody could fill the disk.
    private static final String OF_CALLERS =
            "io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler";

    private Logging() {}

    public static void start(LoggingConfig config) {
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        configure(context, Level.toLevel(config.level().name()), config.format(), config.file());
        JdkLogBridge.install();
    }

    /// Writes what is still underway and closes the log file.
    public static void stop() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }

    static void configure(
            LoggerContext context, Level level, LoggingConfig.Format format, @Nullable Path file) {
        var appender = file == null ? standardError() : fileAppender(file);
        var encoder = new LayoutWrappingEncoder<ILoggingEvent>();
        encoder.setContext(context);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(
                switch (format) {
                    case TEXT -> new TextLayout();
                    case JSON -> new JsonLayout();
                });
        encoder.start();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.start();
        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(level);
        root.addAppender(appender);
        for (var name : TALKATIVE) {
            context.getLogger(name)
                    .setLevel(level.isGreaterOrEqual(Level.WARN) ? level : Level.WARN);
        }
        context.getLogger(REPLICATION)
                .setLevel(level.isGreaterOrEqual(Level.INFO) ? Level.ERROR : Level.WARN);
        context.getLogger(OF_CALLERS).setLevel(Level.ERROR);
    }

    private static OutputStreamAppender<ILoggingEvent> standardError() {
        var appender = new ConsoleAppender<ILoggingEvent>();
        appender.setTarget("System.err");
        return appender;
    }

    private static OutputStreamAppender<ILoggingEvent> fileAppender(Path file) {
        var appender = new FileAppender<ILoggingEvent>();
        appender.setFile(file.toString());
        appender.setAppend(true);
        return appender;
    }
}
