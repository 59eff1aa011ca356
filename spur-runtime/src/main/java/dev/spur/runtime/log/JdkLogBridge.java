package dev.spur.runtime.log;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/// Brings what libraries log by `java.util.logging` (gRPC does) into our own log, warnings and
/// worse.
final class JdkLogBridge extends Handler {
    private final SimpleFormatter formatter = new SimpleFormatter();

    static void install() {
        LogManager.getLogManager().reset();
        var root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        root.addHandler(new JdkLogBridge());
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() < Level.WARNING.intValue()) {
            return;
        }
        var name = record.getLoggerName() == null ? "jdk" : record.getLoggerName();
        LoggerFactory.getLogger(name)
                .atWarn()
                .setCause(record.getThrown())
                .log(formatter.formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
