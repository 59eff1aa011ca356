package dev.spur.cli.sreport;

import dev.spur.api.v1.ReportRequest;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.options.Refusal;
import dev.spur.model.notation.BeginTime;
import dev.spur.model.notation.NotationException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The words behind a report's name: `start=today account=bio tree format=login,used`.
final class ReportWords {
    static final int TOP = 10;

    private static final long MICROS = 1_000_000;
    private static final List<Long> SIZES = List.of(50L, 250L, 500L, 1000L);
    private static final List<String> KEYS =
            List.of(
                    "accounts",
                    "clusters",
                    "end",
                    "format",
                    "gid",
                    "grouping",
                    "names",
                    "partitions",
                    "start",
                    "topcount",
                    "users",
                    "wckeys");
    private static final List<String> FLAGS =
            List.of("all_clusters", "flatview", "group", "tree", "where");

    private final ReportRequest.Builder request = ReportRequest.newBuilder();
    private final Invocation in;
    private String format = "";
    private String start = "";
    private String end = "";

    ReportWords(Invocation in, List<String> words) {
        this.in = in;
        words.forEach(this::read);
    }

    private void read(String word) {
        var equals = word.indexOf('=');
        var text = equals < 0 ? word : word.substring(0, equals);
        var lower = text.toLowerCase(Locale.ROOT);
        if (equals < 0) {
            FLAGS.stream()
                    .filter(flag -> flag.startsWith(lower))
                    .findFirst()
                    .ifPresentOrElse(this::flag, () -> request.addAllClusters(names(lower)));
            return;
        }
        var key =
                KEYS.stream()
                        .filter(known -> known.startsWith(lower) && !lower.isEmpty())
                        .findFirst()
                        .orElseThrow(() -> unknown(text));
        value(key, word.substring(equals + 1));
    }

    private void flag(String flag) {
        switch (flag) {
            case "flatview" -> request.setFlatView(true);
            case "group" -> request.setGroup(true);
            case "tree" -> request.setTree(true);
            default -> {} // all clusters are shown anyway
        }
    }

    private void value(String key, String value) {
        switch (key) {
            case "accounts" -> request.addAllAccounts(names(value));
            case "clusters" -> request.addAllClusters(names(value));
            case "end" -> end = value;
            case "format" -> format = value;
            case "gid" -> request.addAllGids(names(value));
            case "grouping" -> request.addAllGrouping(names(value));
            case "names" -> request.addAllReservations(ListingOptions.split(value));
            case "partitions" -> request.addAllPartitions(names(value));
            case "start" -> start = value;
            case "topcount" -> request.setTopCount((int) number(value));
            case "users" -> request.addAllUsers(names(value));
            case "wckeys" -> request.addAllWckeys(names(value));
            default -> throw unknown(key);
        }
    }

    private static Refusal unknown(String key) {
        return new Refusal(1, " Unknown condition: %s".formatted(key));
    }

    private static List<String> names(String value) {
        return ListingOptions.split(value.toLowerCase(Locale.ROOT));
    }

    private static long number(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw new Refusal(1, " \"%s\" is not a number".formatted(text));
        }
        return Long.parseLong(text);
    }

    String format() {
        return format;
    }

    int top() {
        return request.getTopCount() == 0 ? TOP : request.getTopCount();
    }

    List<Long> sizes() {
        if (request.getGroupingCount() == 0) {
            return SIZES;
        }
        var bounds = new ArrayList<Long>();
        request.getGroupingList().forEach(text -> bounds.add(number(text)));
        bounds.sort(null);
        return bounds;
    }

    /// Without times: yesterday. Half an hour and more is a whole one.
    ReportRequest request(Report report, List<String> tres) {
        var now = in.clock().instant();
        var today = now.atZone(in.zone()).truncatedTo(ChronoUnit.DAYS);
        var from = start.isEmpty() ? today.minusDays(1) : wholeHour(time(start, now));
        var until = end.isEmpty() ? today : wholeHour(time(end, now));
        if (until.isBefore(from.plusHours(1))) {
            until = from.plusHours(1);
        }
        return request.setKind(report.kind())
                .addAllTres(tres)
                .setZone(in.zone().getId())
                .setFromMicros(from.toEpochSecond() * MICROS)
                .setUntilMicros(until.toEpochSecond() * MICROS)
                .build();
    }

    private Instant time(String text, Instant now) {
        try {
            return BeginTime.parse(text, now, in.zone());
        } catch (NotationException _) {
            throw new Failure("Invalid time specification (pos=0): " + text);
        }
    }

    private ZonedDateTime wholeHour(Instant at) {
        var time = at.atZone(in.zone());
        if (time.getSecond() >= 30) {
            time = time.plusMinutes(1);
        }
        if (time.getMinute() >= 30) {
            time = time.plusHours(1);
        }
        return time.truncatedTo(ChronoUnit.HOURS);
    }
}
