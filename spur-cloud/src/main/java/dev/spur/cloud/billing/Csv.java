package dev.spur.cloud.billing;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Rows for spreadsheets (RFC 4180).
final class Csv {
    private static final List<String> COLUMNS =
            List.of(
                    "start_time",
                    "end_time",
                    "user",
                    "project",
                    "session_id",
                    "session_name",
                    "job",
                    "attempt",
                    "gpu_type",
                    "gpu_count",
                    "cpus",
                    "seconds",
                    "gpu_seconds",
                    "cpu_seconds",
                    "suspended_seconds",
                    "gpu_per_hour",
                    "cpu_per_hour",
                    "cost",
                    "currency",
                    "free_because",
                    "final");

    private Csv() {}

    static byte[] of(List<Report.Row> rows) {
        var text = new StringBuilder(String.join(",", COLUMNS)).append("\r\n");
        rows.forEach(row ->
                text.append(
                        line(
                                row.startTime(),
                                row.endTime(),
                                row.user(),
                                row.project(),
                                row.sessionId(),
                                row.sessionName(),
                                row.job(),
                                row.attempt(),
                                row.gpuType(),
                                row.gpuCount(),
                                row.cpus(),
                                row.seconds(),
                                row.gpuSeconds(),
                                row.cpuSeconds(),
                                row.suspendedSeconds(),
                                row.gpuPerHour(),
                                row.cpuPerHour(),
                                row.cost(),
                                row.currency(),
                                row.freeBecause(),
                                row.isFinal())));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String line(@Nullable Object... values) {
        return Arrays.stream(values).map(Csv::cell).collect(Collectors.joining(",")) + "\r\n";
    }

    /// Names are people's own: what a spreadsheet would run as a formula begins with an apostrophe.
    private static String cell(@Nullable Object value) {
        return switch (value) {
            case null -> "";
            case BigDecimal number -> number.toPlainString();
            case String text -> quoted(text);
            default -> value.toString();
        };
    }

    private static String quoted(String text) {
        var safe = !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
        return safe.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
                ? '"' + safe.replace("\"", "\"\"") + '"'
                : safe;
    }
}
