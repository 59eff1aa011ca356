package dev.spur.cli.sdiag;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CallStatistics;
import dev.spur.api.v1.GetStatisticsReply;
import dev.spur.api.v1.GetStatisticsRequest;
import dev.spur.api.v1.HistoryStatsRequest;
import dev.spur.api.v1.PassStatistics;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.StatisticsGrpc;
import dev.spur.api.view.StatisticsTable;
import dev.spur.api.view.Surroundings;
import dev.spur.cli.Connector;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.OwnCluster;
import dev.spur.cli.format.TimeText;
import dev.spur.cli.history.AccountingService;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// `sdiag`: what the controller that leads counted since it began, or since the last `--reset`.
/// Only what is counted has a line.
public final class Sdiag implements Tool {
    private static final long MICROS = 1_000_000;

    private static final Option<Boolean> ALL =
            Option.flag("all").letter('a').help("show it all, as always");
    private static final Option<Boolean> RESET =
            Option.flag("reset").letter('r').help("count anew from now on; for operators");
    private static final Option<Boolean> BY_ID =
            Option.flag("sort-by-id").letter('i').help("calls in the order of their names");
    private static final Option<Boolean> BY_TIME =
            Option.flag("sort-by-time").letter('t').help("calls that took longest first");
    private static final Option<Boolean> BY_AVERAGE =
            Option.flag("sort-by-time2")
                    .letter('T')
                    .help("calls that took longest on average first");

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...]")
                    .options(
                            ALL,
                            ListingOptions.CLUSTERS,
                            ListingOptions.JSON,
                            RESET,
                            BY_ID,
                            BY_TIME,
                            BY_AVERAGE,
                            ListingOptions.YAML)
                    .helpLetter();

    private final Connector connector;

    public Sdiag(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) {
        if (Document.listsVersions(in, arguments)) {
            return 0;
        }
        var client = connector.connect(in);
        arguments
                .get(ListingOptions.CLUSTERS)
                .ifPresent(wanted ->
                        OwnCluster.require(
                                wanted,
                                client.call(each -> each.ping(PingRequest.getDefaultInstance()))
                                        .getCluster()));
        var request = GetStatisticsRequest.newBuilder().setReset(arguments.has(RESET)).build();
        var reply =
                client.call(stub ->
                        StatisticsGrpc.newBlockingStub(stub.getChannel()).getStatistics(request));
        if (arguments.has(RESET)) {
            in.out().println("Reset scheduling statistics");
            return 0;
        }
        var document = Document.of(in, arguments);
        if (document.isPresent()) {
            var cluster =
                    client.call(each -> each.ping(PingRequest.getDefaultInstance())).getCluster();
            document.get()
                    .one(
                            "statistics",
                            StatisticsTable.STATISTICS,
                            reply,
                            Surroundings.of(cluster, reply.getNowMicros()))
                    .end(cluster);
            return 0;
        }
        Optional<Long> waiting;
        try {
            waiting =
                    Optional.of(
                            AccountingService.of(in, client)
                                    .call(history ->
                                            history.stats(HistoryStatsRequest.getDefaultInstance()))
                                    .getLagRecords());
        } catch (ControllerException | AccountingService.NotThereException _) {
            waiting = Optional.empty(); // nobody to be behind
        }
        print(in, reply, waiting, order(arguments));
        return 0;
    }

    private static Comparator<CallStatistics> order(Arguments arguments) {
        Comparator<CallStatistics> order =
                arguments.has(BY_ID)
                        ? Comparator.comparing(CallStatistics::getName)
                        : arguments.has(BY_TIME)
                                ? Comparator.comparingLong(CallStatistics::getTotalMicros)
                                        .reversed()
                                : arguments.has(BY_AVERAGE)
                                        ? Comparator.comparingLong(Sdiag::average).reversed()
                                        : Comparator.comparingLong(CallStatistics::getCount)
                                                .reversed();
        return order.thenComparing(CallStatistics::getName);
    }

    private static long average(CallStatistics one) {
        return one.getTotalMicros() / Math.max(1, one.getCount());
    }

    private static void print(
            Invocation in,
            GetStatisticsReply reply,
            Optional<Long> waiting,
            Comparator<CallStatistics> order) {
        var times = TimeText.of(in);
        var text = new StringBuilder();
        var rule = "*".repeat(55) + "\n";
        text.append(rule)
                .append("sdiag output at " + at(times, reply.getNowMicros()) + "\n")
                .append("Data since      " + at(times, reply.getSinceMicros()) + "\n")
                .append(rule);
        line(text, "Server thread count:  %d", reply.getOpenCalls());
        // Nodes are told what the state says: there is nothing that queues for them.
        line(text, "Agent queue size:     %d", 0);
        waiting.ifPresent(records -> line(text, "DBD Agent queue size: %d", records));
        text.append('\n');
        line(text, "Jobs submitted: %d", reply.getSubmitted());
        line(text, "Jobs started:   %d", reply.getStarted());
        line(text, "Jobs completed: %d", reply.getCompleted());
        line(text, "Jobs canceled:  %d", reply.getCancelled());
        line(text, "Jobs failed:    %d", reply.getFailed());
        text.append('\n');
        text.append("Job states ts:  " + at(times, reply.getNowMicros()) + "\n");
        line(text, "Jobs pending:   %d", reply.getPending());
        line(text, "Jobs running:   %d", reply.getRunning());
        text.append('\n');
        main(text, reply);
        backfill(text, reply.getPlan(), times);
        text.append('\n');
        calls(
                text,
                "Remote Procedure Call statistics by message type",
                "\t%-40s(%5d) count:%-6d ave_time:%-6d total_time:%d\n",
                reply.getCallsList(),
                order);
        calls(
                text,
                "\nRemote Procedure Call statistics by user",
                "\t%-16s(%8d) count:%-6d ave_time:%-6d total_time:%d\n",
                reply.getCallersList(),
                order);
        in.out().print(text.toString());
    }

    private static void main(StringBuilder text, GetStatisticsReply reply) {
        var quick = reply.getQuick();
        var minutes = Math.max(1, (reply.getNowMicros() - reply.getSinceMicros()) / (60 * MICROS));
        text.append("Main schedule statistics (microseconds):\n");
        line(text, "\tLast cycle:   %d", quick.getLastTookMicros());
        line(text, "\tMax cycle:    %d", quick.getMaxMicros());
        line(text, "\tTotal cycles: %d", quick.getCycles());
        line(text, "\tMean cycle:   %d", mean(quick.getTotalMicros(), quick));
        line(text, "\tMean depth cycle:  %d", mean(quick.getTotalLookedAt(), quick));
        line(text, "\tCycles per minute: %d", quick.getCycles() / minutes);
        line(text, "\tLast queue length: %d", reply.getPending());
        text.append('\n');
    }

    private static void backfill(StringBuilder text, PassStatistics plan, TimeText times) {
        text.append("Backfilling stats\n");
        line(text, "\tTotal backfilled jobs (since last slurm start): %d", plan.getStarted());
        line(text, "\tTotal backfilled jobs (since last stats cycle start): %d", plan.getStarted());
        line(text, "\tTotal cycles: %d", plan.getCycles());
        text.append(
                "\tLast cycle when: "
                        + (plan.getLastAtMicros() == 0 ? "N/A" : at(times, plan.getLastAtMicros()))
                        + "\n");
        line(text, "\tLast cycle: %d", plan.getLastTookMicros());
        line(text, "\tMax cycle:  %d", plan.getMaxMicros());
        line(text, "\tMean cycle: %d", mean(plan.getTotalMicros(), plan));
        line(text, "\tLast depth cycle: %d", plan.getLastLookedAt());
        line(text, "\tDepth Mean: %d", mean(plan.getTotalLookedAt(), plan));
        line(text, "\tLast queue length: %d", plan.getLastLookedAt());
        line(text, "\tQueue length mean: %d", mean(plan.getTotalLookedAt(), plan));
    }

    private static long mean(long total, PassStatistics passes) {
        return total / Math.max(1, passes.getCycles());
    }

    private static void calls(
            StringBuilder text,
            String heading,
            String format,
            List<CallStatistics> calls,
            Comparator<CallStatistics> order) {
        text.append(heading).append('\n');
        calls.stream()
                .sorted(order)
                .forEach(one ->
                        text.append(
                                format.formatted(
                                        one.getName(),
                                        one.getUid(),
                                        one.getCount(),
                                        average(one),
                                        one.getTotalMicros())));
    }

    private static void line(StringBuilder text, String format, long value) {
        text.append(format.formatted(value)).append('\n');
    }

    private static String at(TimeText times, long micros) {
        return times.line(micros) + " (" + micros / MICROS + ")";
    }
}
