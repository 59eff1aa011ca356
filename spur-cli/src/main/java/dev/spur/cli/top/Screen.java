package dev.spur.cli.top;

import dev.spur.api.v1.Node;
import dev.spur.cli.top.Picture.Shown;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.Text;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// Lines for a terminal of some size: what is on them follows from the picture and the settings.
final class Screen {
    /// `gpu:mi300x:8`, `gpu:8`, with `(IDX:0-7)` behind what is in use.
    private static final Pattern GPUS = Pattern.compile("gpu(?::[^:,()]+)?:(\\d+)");

    static final List<String> HELP =
            List.of(
                    "  up, down, j, k     choose a job          page up, page down, g, G",
                    "  s                  sort by something else: queue, id, user, time, nodes, start",
                    "  r                  the other way round",
                    "  t                  show all, running or waiting jobs",
                    "  u                  only your own, or everybody's",
                    "  /                  only rows that have a text; escape: all again",
                    "  n                  nodes, or jobs again",
                    "  w                  why the chosen job waits",
                    "  c                  cancel the chosen job (asks)",
                    "  q                  quit");

    private final Picture picture;
    private final String user;
    private final ZoneId zone;

    /// @param user whose own jobs are, and before whom they stand out
    Screen(Picture picture, String user, ZoneId zone) {
        this.picture = picture;
        this.user = user;
        this.zone = zone;
    }

    /// The jobs that the settings let through, in their order.
    List<Shown> jobs(Settings settings, long now) {
        var rows =
                new ArrayList<>(
                        picture.jobs(now).stream().filter(row -> isShown(row, settings)).toList());
        var order = order(settings.sort());
        rows.sort(settings.isReversed() ? order.reversed() : order);
        return rows;
    }

    private boolean isShown(Shown row, Settings settings) {
        var isWaiting = row.job().getState().equals("PENDING");
        return switch (settings.show()) {
                    case ALL -> true;
                    case RUNNING -> !isWaiting;
                    case WAITING -> isWaiting;
                }
                && (!settings.isOwn() || row.job().getUserName().equals(user))
                && (settings.filter().isEmpty()
                        || job(row).toLowerCase(Locale.ROOT)
                                .contains(settings.filter().toLowerCase(Locale.ROOT)));
    }

    private static Comparator<Shown> order(Settings.Sort sort) {
        var byId =
                Comparator.comparingLong(
                        (Shown row) -> Integer.toUnsignedLong(row.job().getJobId()));
        return switch (sort) {
            case ID -> byId;
            case USER ->
                    Comparator.comparing((Shown row) -> row.job().getUserName())
                            .thenComparing(byId);
            case TIME -> Comparator.comparingLong(Shown::runSeconds).reversed().thenComparing(byId);
            case NODES ->
                    Comparator.comparingInt((Shown row) -> row.job().getNumNodes())
                            .reversed()
                            .thenComparing(byId);
            case START -> Comparator.comparingLong(Screen::start).thenComparing(byId);
            case QUEUE ->
                    Comparator.comparing((Shown row) -> row.job().getState().equals("PENDING"))
                            .thenComparing(
                                    Comparator.comparingLong((Shown row) ->
                                                    Integer.toUnsignedLong(row.job().getPriority()))
                                            .reversed())
                            .thenComparing(byId);
        };
    }

    private static long start(Shown row) {
        var start = row.plan() == null ? row.job().getStartMicros() : row.plan().getStartMicros();
        return start == 0 ? Long.MAX_VALUE : start;
    }

    static String id(Shown row) {
        var job = row.job();
        if (job.getArrayJobId() == 0) {
            return Integer.toUnsignedString(job.getJobId());
        }
        var array = Integer.toUnsignedString(job.getArrayJobId());
        return job.hasArrayTaskId()
                ? array + "_" + Integer.toUnsignedString(job.getArrayTaskId())
                : array + "_[" + job.getArrayPending() + "]";
    }

    /// All of it, no line longer and no more lines than the terminal has.
    ///
    /// @param message at the bottom, unless a question is there
    List<String> lines(Settings settings, String message, int columns, int rows, long now) {
        var lines = new ArrayList<String>();
        lines.addAll(head(settings, now));
        var room = Math.max(1, rows - lines.size() - 2);
        switch (settings.view()) {
            case JOBS -> jobLines(lines, settings, room, now);
            case NODES -> nodeLines(lines, settings, room);
            case HELP -> lines.addAll(HELP);
        }
        var all = new ArrayList<String>();
        for (var i = 0; i < Math.min(lines.size(), rows - 1); i++) {
            all.add(cut(lines.get(i), columns));
        }
        all.add(cut(bottom(settings, message), columns));
        return all;
    }

    private static String bottom(Settings settings, String message) {
        if (!settings.question().isEmpty()) {
            return settings.question();
        }
        if (settings.isTyping()) {
            return "/" + settings.filter();
        }
        return message.isEmpty() ? "? help   q quit" : message;
    }

    private List<String> head(Settings settings, long now) {
        var jobs = picture.jobs(now);
        var waiting = jobs.stream().filter(row -> row.job().getState().equals("PENDING")).count();
        var running = jobs.stream().filter(row -> row.job().getState().equals("RUNNING")).count();
        var cpus = 0L;
        var usedCpus = 0L;
        var gpus = 0L;
        var usedGpus = 0L;
        var nodes = picture.nodes();
        var idle = 0;
        var down = 0;
        for (var node : nodes) {
            cpus += node.getCpus();
            usedCpus += node.getAllocCpus();
            gpus += gpus(node.getGres());
            usedGpus += gpus(node.getGresUsed());
            idle += node.getState().equals("IDLE") && node.getFlagsCount() == 0 ? 1 : 0;
            down += isOut(node) ? 1 : 0;
        }
        var head = new ArrayList<String>();
        head.add(
                Text.of(
                        "spur top %s   jobs: %d running, %d waiting   nodes: %d, %d idle%s",
                        clock(now),
                        running,
                        waiting,
                        nodes.size(),
                        idle,
                        down == 0 ? "" : ", " + down + " out of service"));
        head.add(
                "CPUs "
                        + bar(usedCpus, cpus)
                        + (gpus == 0 ? "" : "   GPUs " + bar(usedGpus, gpus)));
        head.add(
                Text.of(
                        "showing %s%s, by %s%s%s",
                        settings.isOwn() ? "your " : "",
                        settings.show().word(),
                        settings.sort().word(),
                        settings.isReversed() ? " (reversed)" : "",
                        settings.filter().isEmpty() ? "" : ", with \"" + settings.filter() + "\""));
        return head;
    }

    private static boolean isOut(Node node) {
        return node.getState().equals("DOWN")
                || node.getState().equals("UNKNOWN")
                || node.getFlagsList().contains("DRAIN")
                || node.getFlagsList().contains("NOT_RESPONDING");
    }

    static long gpus(String gres) {
        var sum = 0L;
        var found = GPUS.matcher(gres);
        while (found.find()) {
            sum += Long.parseLong(found.group(1));
        }
        return sum;
    }

    private static String bar(long used, long all) {
        var width = 20;
        var full = all == 0 ? 0 : (int) (used * width / all);
        return "[" + "#".repeat(full) + "-".repeat(width - full) + "] " + used + "/" + all;
    }

    private void jobLines(List<String> lines, Settings settings, int room, long now) {
        lines.add(
                Text.of(
                        "  %-12s %-9s %-8s %-9s %-10s %10s %10s %5s %4s  %s",
                        "JOBID",
                        "PARTITION",
                        "NAME",
                        "USER",
                        "STATE",
                        "TIME",
                        "LIMIT",
                        "NODES",
                        "CPUS",
                        "NODELIST(REASON)"));
        var jobs = jobs(settings, now);
        var first = Math.max(0, Math.min(settings.selected() - room / 2, jobs.size() - room));
        for (var i = first; i < Math.min(jobs.size(), first + room); i++) {
            lines.add((i == settings.selected() ? "> " : "  ") + job(jobs.get(i)));
        }
    }

    private String job(Shown row) {
        var job = row.job();
        return Text.of(
                "%-12s %-9s %-8s %-9s %-10s %10s %10s %5d %4d  %s",
                cut(id(row), 12),
                cut(job.getPartition(), 9),
                cut(job.getName(), 8),
                cut(job.getUserName(), 9),
                job.getState(),
                Durations.brief(Duration.ofSeconds(row.runSeconds())),
                job.getTimeLimit().getUnlimited()
                        ? "UNLIMITED"
                        : Durations.brief(Duration.ofMinutes(job.getTimeLimit().getMinutes())),
                job.getNumNodes(),
                job.getNumCpus(),
                where(row));
    }

    private String where(Shown row) {
        var job = row.job();
        if (!job.getState().equals("PENDING")) {
            return job.getNodeList();
        }
        var plan = row.plan();
        var reason = plan == null ? job.getReason() : plan.getReason();
        var start = plan == null ? job.getStartMicros() : plan.getStartMicros();
        return "(" + reason + ")" + (start == 0 ? "" : " starts " + clock(start));
    }

    private void nodeLines(List<String> lines, Settings settings, int room) {
        lines.add(
                Text.of(
                        "  %-20s %-22s %11s %15s %9s %6s  %s",
                        "NODE", "STATE", "CPUS", "MEMORY(MB)", "GPUS", "LOAD", "REASON"));
        var nodes =
                picture.nodes().stream()
                        .filter(node ->
                                node(node)
                                        .toLowerCase(Locale.ROOT)
                                        .contains(settings.filter().toLowerCase(Locale.ROOT)))
                        .toList();
        var first = Math.max(0, Math.min(settings.selected() - room / 2, nodes.size() - room));
        for (var i = first; i < Math.min(nodes.size(), first + room); i++) {
            lines.add((i == settings.selected() ? "> " : "  ") + node(nodes.get(i)));
        }
    }

    private static String node(Node node) {
        var state =
                node.getState()
                        + (node.getFlagsCount() == 0
                                ? ""
                                : "+" + String.join("+", node.getFlagsList()));
        return Text.of(
                "%-20s %-22s %11s %15s %9s %6.2f  %s",
                cut(node.getName(), 20),
                cut(state, 22),
                node.getAllocCpus() + "/" + node.getCpus(),
                node.getAllocMemMb() + "/" + node.getMemoryMb(),
                gpus(node.getGresUsed()) + "/" + gpus(node.getGres()),
                node.getLoadHundredths() / 100.0,
                node.getReason());
    }

    /// How many rows there are to choose from.
    int count(Settings settings, long now) {
        return switch (settings.view()) {
            case JOBS -> jobs(settings, now).size();
            case NODES -> picture.nodes().size();
            case HELP -> 1;
        };
    }

    private String clock(long micros) {
        var time = Instant.EPOCH.plus(micros, ChronoUnit.MICROS).atZone(zone);
        return Text.of("%02d:%02d:%02d", time.getHour(), time.getMinute(), time.getSecond());
    }

    /// What others have written (names, reasons) does not steer the terminal.
    private static String cut(String text, int most) {
        var plain =
                text.codePoints().noneMatch(Character::isISOControl)
                        ? text
                        : text.replaceAll("\\p{Cntrl}", "?");
        return plain.length() <= most ? plain : plain.substring(0, Math.max(0, most));
    }
}
