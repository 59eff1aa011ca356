package dev.spur.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import dev.spur.runtime.config.LoggingConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoggingTest {
    @TempDir Path directory;

    @Test
    void callsThatACallerBreaksOffFillNoLog() throws IOException {
        var file = directory.resolve("log");
        var context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        Logging.configure(context, Level.INFO, LoggingConfig.Format.TEXT, file);

        context.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler")
                .warn("Stream Error", new IllegalStateException("closed"));
        context.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServer").warn("trouble");
        context.stop();

        assertThat(Files.readString(file)).contains("trouble").doesNotContain("Stream Error");
    }
}
