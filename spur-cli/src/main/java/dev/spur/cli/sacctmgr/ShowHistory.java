package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.CallStats;
import dev.spur.api.v1.ClusterEvent;
import dev.spur.api.v1.FixRunawaysRequest;
import dev.spur.api.v1.HistoryStatsRequest;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.ListEventsRequest;
import dev.spur.api.v1.ListRunawaysRequest;
import dev.spur.api.v1.ListTransactionsRequest;
import dev.spur.api.v1.Transaction;
import dev.spur.cli.format.RuledColumn;
import dev.spur.cli.history.Amounts;
import dev.spur.cli.options.Refusal;
import dev.spur.model.notation.BeginTime;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.NotationException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;

/// `sacctmgr show`, of what spurdbd keeps.
final class ShowHistory {
    private static final long MICROS = 1_000_000;

    private final Session session;
    private final Conditions where;

    ShowHistory(Session session, Conditions where) {
        this.session = session;
        this.where = where;
    }

    int show(Entity entity) throws IOException, InterruptedException {
        return switch (entity) {
            case EVENT -> events();
            case TRANSACTION -> transactions();
            case RUNAWAY_JOBS -> runaways();
            case STATS -> stats();
            case ACCOUNT,
                    ASSOCIATION,
                    CLUSTER,
                    CONFIGURATION,
                    COORDINATOR,
                    FEDERATION,
                    INSTANCE,
                    JOB,
                    PROBLEM,
                    QOS,
                    RESERVATION,
                    RESOURCE,
                    TRES,
                    USER,
                    WCKEY ->
                    throw new IllegalStateException(entity.name());
        };
    }

    private long time(String key, long otherwise) {
        var text = where.text(key);
        if (text.isEmpty()) {
            return otherwise;
        }
        var in = session.in();
        try {
            return BeginTime.parse(text, in.clock().instant(), in.zone()).getEpochSecond() * MICROS;
        } catch (NotationException e) {
            throw new Refusal(1, " Invalid time specification: " + text);
        }
    }

    private long now() {
        return session.in().clock().instant().getEpochSecond() * MICROS;
    }

    private int transactions() {
        var request =
                ListTransactionsRequest.newBuilder()
                        .addAllActors(where.all("actor"))
                        .addAllActions(where.all("action"))
                        .addAllAccounts(where.all("account"))
                        .addAllUsers(where.all("user"))
                        .addAllClusters(where.all("cluster"))
                        .setFromMicros(time("start", 0))
                        .setUntilMicros(time("end", 0))
                        .build();
        var rows = new ArrayList<Transaction>();
        session.history()
                .each(
                        history -> history.listTransactions(request),
                        page -> rows.addAll(page.getTransactionsList()));
        List<RuledColumn<Transaction>> columns =
                List.of(
                        RuledColumn.<Transaction>time(
                                        "TimeStamp",
                                        19,
                                        (one, view) ->
                                                view.times().text(one.getAtMicros(), "Unknown"))
                                .headed("Time"),
                        RuledColumn.text("Action", 20, (one, _) -> one.getAction()),
                        RuledColumn.text("Actor", 10, (one, _) -> one.getActor()),
                        RuledColumn.text("Cluster", 10, (one, _) -> one.getCluster()),
                        RuledColumn.number("ID", 6, (one, _) -> Long.toUnsignedString(one.getId())),
                        RuledColumn.text("Info", 20, (one, _) -> one.getInfo()),
                        RuledColumn.text("Where", 20, (one, _) -> one.getWhere()));
        Show.print(session, where, columns, "TimeStamp,Action,Actor,Where,Info", rows);
        return 0;
    }

    /// Without a window: what is wrong now.
    private int events() {
        var hasWindow = where.has("start") || where.has("end");
        var request =
                ListEventsRequest.newBuilder()
                        .addAllNodes(where.all("nodes"))
                        .addAllNodes(where.all("names"))
                        .addAllClusters(where.all("cluster"))
                        .addAllStates(upper(where.all("state")))
                        .addAllReasons(where.all("reason"))
                        .addAllUsers(where.all("user"))
                        .setKind(where.text("event").toLowerCase(Locale.ROOT))
                        .setFromMicros(time("start", midnight()))
                        .setUntilMicros(time("end", now()))
                        .setAllClusters(where.is("withclusters"))
                        .setOnlyOpen(!hasWindow)
                        .build();
        var rows = new ArrayList<ClusterEvent>();
        session.history()
                .each(
                        history -> history.listEvents(request),
                        page -> rows.addAll(page.getEventsList()));
        List<RuledColumn<ClusterEvent>> columns =
                List.of(
                        RuledColumn.text("Cluster", 10, (one, _) -> one.getCluster()),
                        RuledColumn.<ClusterEvent>text(
                                        "ClusterNodes", 20, (one, _) -> one.getNodes())
                                .headed("Cluster Nodes"),
                        RuledColumn.text("Duration", 13, (one, _) -> duration(one)),
                        RuledColumn.text(
                                "Event",
                                7,
                                (one, _) -> one.getNode().isEmpty() ? "Cluster" : "Node"),
                        RuledColumn.text("NodeName", -15, (one, _) -> one.getNode()),
                        RuledColumn.text("Reason", 30, (one, _) -> one.getReason()),
                        RuledColumn.<ClusterEvent>time(
                                        "Start",
                                        19,
                                        (one, view) ->
                                                view.times().text(one.getStartMicros(), "Unknown"))
                                .headed("TimeStart"),
                        RuledColumn.time(
                                "TimeStart",
                                19,
                                (one, view) -> view.times().text(one.getStartMicros(), "Unknown")),
                        RuledColumn.<ClusterEvent>time(
                                        "End",
                                        19,
                                        (one, view) ->
                                                view.times().text(one.getEndMicros(), "Unknown"))
                                .headed("TimeEnd"),
                        RuledColumn.time(
                                "TimeEnd",
                                19,
                                (one, view) -> view.times().text(one.getEndMicros(), "Unknown")),
                        RuledColumn.text("State", 6, (one, _) -> one.getState()),
                        RuledColumn.text("TRES", 20, (one, _) -> tres(one)),
                        RuledColumn.text("User", 10, (one, _) -> one.getUser()));
        Show.print(
                session,
                where,
                columns,
                "Cluster,NodeName,TimeStart,TimeEnd,State,Reason,User",
                rows);
        return 0;
    }

    private long midnight() {
        var in = session.in();
        return in.clock()
                        .instant()
                        .atZone(in.zone())
                        .toLocalDate()
                        .atStartOfDay(in.zone())
                        .toEpochSecond()
                * MICROS;
    }

    private static List<String> upper(List<String> words) {
        return words.stream().map(word -> word.toUpperCase(Locale.ROOT)).toList();
    }

    private String duration(ClusterEvent one) {
        var end = one.getEndMicros() == 0 ? now() : one.getEndMicros();
        return Durations.padded(Duration.ofSeconds((end - one.getStartMicros()) / MICROS));
    }

    private static String tres(ClusterEvent one) {
        var names = new HashMap<Integer, String>();
        one.getRegistryList()
                .forEach(each ->
                        names.put(each.getId(), Amounts.name(each.getType(), each.getName())));
        return Amounts.text(one.getTresMap(), names, true);
    }

    private int runaways() throws IOException, InterruptedException {
        var rows =
                session.history()
                        .call(history ->
                                history.listRunaways(ListRunawaysRequest.getDefaultInstance()))
                        .getJobsList();
        if (rows.isEmpty()) {
            session.out()
                    .println(
                            "Runaway Jobs: No runaway jobs found on cluster "
                                    + session.book().cluster());
            return 0;
        }
        List<RuledColumn<JobHistory>> columns =
                List.of(
                        RuledColumn.text(
                                "ID",
                                -12,
                                (one, _) -> Integer.toUnsignedString(one.getJob().getJobId())),
                        RuledColumn.text("Name", -10, (one, _) -> one.getJob().getName()),
                        RuledColumn.text("Partition", -10, (one, _) -> one.getJob().getPartition()),
                        RuledColumn.text("Cluster", -10, (one, _) -> one.getCluster()),
                        RuledColumn.text("State", -10, (one, _) -> one.getJob().getState()),
                        RuledColumn.time(
                                "TimeSubmit",
                                -19,
                                (one, view) ->
                                        view.times()
                                                .text(one.getJob().getSubmitMicros(), "Unknown")),
                        RuledColumn.time(
                                "TimeStart",
                                -19,
                                (one, view) ->
                                        view.times()
                                                .text(one.getJob().getStartMicros(), "Unknown")),
                        RuledColumn.time(
                                "TimeEnd",
                                -19,
                                (one, view) ->
                                        view.times().text(one.getJob().getEndMicros(), "Unknown")));
        session.out()
                .println(
                        "NOTE: Runaway jobs are jobs that don't exist in the controller but have a start time and no end time in the database");
        Show.print(
                session,
                where,
                columns,
                "ID,Name,Partition,Cluster,State,TimeSubmit,TimeStart,TimeEnd",
                rows);
        if (session.isReadOnly()
                || !session.agrees(
                        "\nWould you like to fix these runaway jobs?\n"
                                + "(This will set the end time for each job to the latest out of the start, eligible, or submit times, and set the state to completed.\n"
                                + "Once corrected, this will trigger the rollup to reaggregate usage from before the earliest submit time of all the runaway jobs.)\n")) {
            return 0;
        }
        var fix =
                FixRunawaysRequest.newBuilder()
                        .setRequestId(session.in().newRequestId())
                        .addAllDbIndices(rows.stream().map(JobHistory::getDbIndex).toList())
                        .build();
        session.history().call(history -> history.fixRunaways(fix));
        return 0;
    }

    private int stats() {
        var stats =
                session.history()
                        .call(history -> history.stats(HistoryStatsRequest.getDefaultInstance()));
        var rule = "*".repeat(67);
        session.out()
                .println(rule)
                .println("sacctmgr show stats output at " + line(stats.getNowMicros()))
                .println("Data since                    " + line(stats.getSinceMicros()))
                .println("All statistics are in microseconds")
                .println(rule)
                .println();
        var cycles = stats.getRollupCycles();
        session.out()
                .println(
                        "Internal DBD rollup last ran "
                                + (stats.getRollupLastMicros() == 0
                                        ? "never"
                                        : line(stats.getRollupLastMicros())))
                .println("\tLast cycle:   " + stats.getRollupLastTookMicros())
                .println("\tMax cycle:    " + stats.getRollupMaxMicros())
                .println("\tTotal time:   " + stats.getRollupTotalMicros())
                .println("\tTotal cycles: " + cycles)
                .println(
                        "\tMean cycle:   "
                                + (cycles == 0 ? 0 : stats.getRollupTotalMicros() / cycles))
                .println();
        calls(
                "Remote Procedure Call statistics by message type",
                stats.getCallsList().stream().filter(one -> one.getUser().isEmpty()).toList());
        calls(
                "Remote Procedure Call statistics by user",
                stats.getCallsList().stream().filter(one -> !one.getUser().isEmpty()).toList());
        session.out()
                .println()
                .println("Database " + stats.getDatabaseVersion())
                .println("\tRecords:      " + stats.getRecords())
                .println("\tJobs:         " + stats.getJobs())
                .println("\tSteps:        " + stats.getSteps())
                .println("\tBytes:        " + stats.getDatabaseBytes())
                .println("\tStored until: " + line(stats.getStoredUntilMicros()))
                .println("\tTo come:      " + stats.getLagRecords());
        return 0;
    }

    private void calls(String heading, List<CallStats> calls) {
        if (calls.isEmpty()) {
            return;
        }
        session.out().println(heading);
        calls.stream()
                .sorted(Comparator.comparingLong(CallStats::getCount).reversed())
                .forEach(one ->
                        session.out()
                                .println(
                                        "\t%-25s count:%-6d ave_time:%-6d total_time:%d"
                                                .formatted(
                                                        one.getUser().isEmpty()
                                                                ? one.getName()
                                                                : one.getUser(),
                                                        one.getCount(),
                                                        one.getTotalMicros()
                                                                / Math.max(1, one.getCount()),
                                                        one.getTotalMicros())));
    }

    private String line(long micros) {
        return "%s (%d)".formatted(session.view().times().line(micros), micros / MICROS);
    }
}
