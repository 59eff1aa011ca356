package dev.spur.runtime.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.util.LinkedHashMap;
import tools.jackson.databind.json.JsonMapper;

/// One JSON object a line, for programs that collect logs.
final class JsonLayout extends LayoutBase<ILoggingEvent> {
    private static final JsonMapper JSON = new JsonMapper();

    @Override
    public String doLayout(ILoggingEvent event) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("time", event.getInstant().toString());
        fields.put("level", event.getLevel().toString());
        fields.put("logger", event.getLoggerName());
        fields.put("message", event.getFormattedMessage());
        if (event.getKeyValuePairs() != null) {
            for (var pair : event.getKeyValuePairs()) {
                fields.putIfAbsent(pair.key, String.valueOf(pair.value));
            }
        }
        if (event.getThrowableProxy() != null) {
            fields.put("stack", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return JSON.writeValueAsString(fields) + "\n";
    }
}
