package dev.spur.agent;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/// What a class writes into the log until this is closed, each line as `LEVEL what happened
/// key=value ...`.
public final class WrittenLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private WrittenLog(Logger logger) {
        this.logger = logger;
    }

    public static WrittenLog of(Class<?> writer) {
        var log = new WrittenLog((Logger) LoggerFactory.getLogger(writer));
        log.start();
        log.logger.addAppender(log);
        log.logger.setLevel(Level.INFO);
        return log;
    }

    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    protected void append(ILoggingEvent event) {
        var pairs =
                event.getKeyValuePairs() == null
                        ? List.<KeyValuePair>of()
                        : event.getKeyValuePairs();
        lines.add(
                event.getLevel()
                        + " "
                        + event.getMessage()
                        + pairs.stream()
                                .map(pair -> " " + pair.key + "=" + pair.value)
                                .collect(Collectors.joining()));
    }

    @Override
    public void close() {
        logger.setLevel(null);
        logger.detachAppender(this);
        stop();
    }
}
