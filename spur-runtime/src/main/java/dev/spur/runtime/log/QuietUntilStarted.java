package dev.spur.runtime.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import dev.spur.runtime.config.LoggingConfig;

/// What logback finds in place of a configuration file: warnings to standard error, until {@link
/// Logging#start} says more. Saves the search for files, and the debug output when none is found.
public final class QuietUntilStarted extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Logging.configure(context, Level.WARN, LoggingConfig.Format.TEXT, null);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
