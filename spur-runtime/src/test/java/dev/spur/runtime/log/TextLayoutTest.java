package dev.spur.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class TextLayoutTest {
    private final LoggerContext context = new LoggerContext();

    @Test
    void eventIsOneLineWithTimeInUtcLevelMessageAndKeyValues() {
        var event = event("job started");
        event.setKeyValuePairs(
                List.of(new KeyValuePair("job", 4711), new KeyValuePair("name", "my job")));

        assertThat(new TextLayout().doLayout(event))
                .isEqualTo("2026-03-01T10:00:00.123Z INFO  job started job=4711 name=\"my job\"\n");
    }

    @Test
    void nobodyCanForgeAnotherLine() {
        var event = event("hello\n2026-03-01T10:00:00.123Z ERROR all is lost\u001b[31m");
        event.setKeyValuePairs(List.of(new KeyValuePair("name", "a\" b\r\nc")));

        assertThat(new TextLayout().doLayout(event))
                .isEqualTo(
                        "2026-03-01T10:00:00.123Z INFO  hello\\n2026-03-01T10:00:00.123Z ERROR all is lost"
                                + "\\u001b[31m name=\"a\\\" b\\r\\nc\"\n");
    }

    private LoggingEvent event(String message) {
        var event =
                new LoggingEvent(
                        "here",
                        context.getLogger("dev.spur.test"),
                        Level.INFO,
                        message,
                        null,
                        null);
        event.setInstant(Instant.parse("2026-03-01T10:00:00.123Z"));
        return event;
    }
}
