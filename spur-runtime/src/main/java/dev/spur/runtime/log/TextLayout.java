package dev.spur.runtime.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// `2026-03-01T10:00:00.123Z INFO job started job=4711 nodes=n[1-4]`.
///
/// What users chose (job names, paths) can end up in a message, so line breaks and other control
/// characters are escaped: one event is one line, and nobody can forge another.
final class TextLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    @Override
    public String doLayout(ILoggingEvent event) {
        var line = new StringBuilder(160);
        TIME.formatTo(event.getInstant(), line);
        line.append(' ')
                .append(event.getLevel())
                .append(" ".repeat(6 - event.getLevel().toString().length()));
        escape(line, event.getFormattedMessage());
        if (event.getKeyValuePairs() != null) {
            for (var pair : event.getKeyValuePairs()) {
                line.append(' ').append(pair.key).append('=');
                value(line, String.valueOf(pair.value));
            }
        }
        line.append('\n');
        if (event.getThrowableProxy() != null) {
            // Indented as a whole, so that no line of an exception's message passes for an event.
            line.append(
                    ThrowableProxyUtil.asString(event.getThrowableProxy())
                            .stripTrailing()
                            .indent(4));
        }
        return line.toString();
    }

    private static void value(StringBuilder line, String value) {
        boolean plain =
                !value.isEmpty() && value.chars().noneMatch(c -> c <= ' ' || c == '"' || c == '=');
        if (plain) {
            escape(line, value);
        } else {
            line.append('"');
            escape(line, value.replace("\"", "\\\""));
            line.append('"');
        }
    }

    private static void escape(StringBuilder line, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> {
                    if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                        line.append("\\u").append("%04x".formatted((int) c));
                    } else {
                        line.append(c);
                    }
                }
            }
        }
    }
}
