package dev.spur.cloud.billing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Usage between two times, line by line and summed up. Of a line that reaches beyond them only
/// what falls between them counts, so the months of a year add up to the year.
final class Report {
    private static final BigDecimal HOUR = BigDecimal.valueOf(3600);

    private final List<UsageRecords.Billed> lines;
    private final Instant from;
    private final Instant until;
    private final Instant now;
    private final String currency;
    private final int digits;

    Report(
            List<UsageRecords.Billed> lines,
            Instant from,
            Instant until,
            Instant now,
            String currency,
            int digits) {
        this.lines = List.copyOf(lines);
        this.from = from;
        this.until = until;
        this.now = now;
        this.currency = currency;
        this.digits = digits;
    }

    /// A line of the bill.
    ///
    /// @param endTime null: it goes on
    /// @param seconds that count between the two times
    /// @param freeBecause null: it is not free
    /// @param isFinal whether nothing about it can change any more
    public record Row(
            UUID id,
            UUID userId,
            UUID sessionId,
            String gpuType,
            int gpuCount,
            Instant startTime,
            @Nullable Instant endTime,
            long gpuSeconds,
            String user,
            @Nullable String sessionName,
            @Nullable String project,
            long job,
            int attempt,
            int cpus,
            long seconds,
            long cpuSeconds,
            long suspendedSeconds,
            BigDecimal gpuPerHour,
            BigDecimal cpuPerHour,
            BigDecimal cost,
            String currency,
            @Nullable String freeBecause,
            boolean isFinal) {}

    /// All of it.
    public record Summary(
            long totalGpuSeconds,
            double totalGpuHours,
            List<OfType> byGpuType,
            BigDecimal totalCost,
            String currency,
            long totalCpuSeconds,
            List<OfDay> byDay,
            List<OfProject> byProject,
            Instant since,
            Instant until) {}

    /// @param sessionCount different sessions
    public record OfType(
            String gpuType, long gpuSeconds, double gpuHours, int sessionCount, BigDecimal cost) {}

    public record OfDay(LocalDate day, long gpuSeconds, double gpuHours, BigDecimal cost) {}

    /// @param project null: of none
    public record OfProject(
            @Nullable String project, long gpuSeconds, double gpuHours, BigDecimal cost) {}

    List<Row> rows() {
        return lines.stream().map(this::row).toList();
    }

    private Row row(UsageRecords.Billed billed) {
        var line = billed.line();
        var part = part(billed, from, until);
        return new Row(
                billed.id(),
                billed.person(),
                billed.session(),
                line.gpuType(),
                line.gpus(),
                line.startedAt(),
                line.endedAt(),
                part.gpuSeconds(),
                billed.email(),
                billed.sessionName(),
                billed.projectName(),
                line.job(),
                line.attempt(),
                line.cpus(),
                part.seconds(),
                part.seconds() * line.cpus(),
                line.suspendedSeconds(),
                line.rate().gpu(),
                line.rate().cpu(),
                part.amount(),
                currency,
                line.freeBecause(),
                billed.isFinal());
    }

    private Line.Part part(UsageRecords.Billed billed, Instant after, Instant before) {
        var known = billed.until(now);
        return billed.line().between(after, known.isBefore(before) ? known : before, known, digits);
    }

    /// @param zone where days begin
    Summary summary(ZoneId zone) {
        var all = new Sum();
        var byType = new TreeMap<String, Sum>();
        var byDay = new TreeMap<LocalDate, Sum>();
        Map<String, Sum> byProject = new LinkedHashMap<>();
        for (var billed : lines) {
            var part = part(billed, from, until);
            all.add(billed, part);
            byType.computeIfAbsent(billed.line().gpuType(), _ -> new Sum()).add(billed, part);
            byProject
                    .computeIfAbsent(
                            billed.projectName() == null ? "" : billed.projectName(),
                            _ -> new Sum())
                    .add(billed, part);
            addDays(billed, zone, byDay);
        }
        return new Summary(
                all.gpuSeconds,
                all.hours(),
                byType.entrySet().stream()
                        .map(each ->
                                new OfType(
                                        each.getKey(),
                                        each.getValue().gpuSeconds,
                                        each.getValue().hours(),
                                        each.getValue().sessions.size(),
                                        each.getValue().cost))
                        .toList(),
                all.cost,
                currency,
                all.cpuSeconds,
                byDay.entrySet().stream()
                        .map(each ->
                                new OfDay(
                                        each.getKey(),
                                        each.getValue().gpuSeconds,
                                        each.getValue().hours(),
                                        each.getValue().cost))
                        .toList(),
                byProject.entrySet().stream()
                        .sorted(
                                Comparator.comparing(
                                        (Map.Entry<String, Sum> each) -> each.getKey()))
                        .map(each ->
                                new OfProject(
                                        each.getKey().isEmpty() ? null : each.getKey(),
                                        each.getValue().gpuSeconds,
                                        each.getValue().hours(),
                                        each.getValue().cost))
                        .toList(),
                from,
                until);
    }

    private void addDays(UsageRecords.Billed billed, ZoneId zone, Map<LocalDate, Sum> byDay) {
        var line = billed.line();
        var end = line.endedAt() == null ? billed.until(now) : line.endedAt();
        var last = end.isBefore(until) ? end : until;
        var begin = line.startedAt().isBefore(from) ? from : line.startedAt();
        while (begin.isBefore(last)) {
            var day = begin.atZone(zone).toLocalDate();
            var next = day.plusDays(1).atStartOfDay(zone).toInstant();
            var stop = next.isBefore(last) ? next : last;
            byDay.computeIfAbsent(day, _ -> new Sum()).add(billed, part(billed, begin, stop));
            begin = stop;
        }
    }

    static ZoneId zone(String name) {
        return name.isEmpty() ? ZoneOffset.UTC : ZoneId.of(name);
    }

    private final class Sum {
        private long gpuSeconds;
        private long cpuSeconds;
        private BigDecimal cost = BigDecimal.ZERO.setScale(digits);
        private final Set<UUID> sessions = new LinkedHashSet<>();

        void add(UsageRecords.Billed billed, Line.Part part) {
            gpuSeconds += part.gpuSeconds();
            cpuSeconds += part.seconds() * billed.line().cpus();
            cost = cost.add(part.amount());
            sessions.add(billed.session());
        }

        double hours() {
            return BigDecimal.valueOf(gpuSeconds)
                    .divide(HOUR, 6, RoundingMode.HALF_UP)
                    .doubleValue();
        }
    }
}
