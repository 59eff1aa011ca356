package dev.spur.cli.efficiency;

import dev.spur.api.v1.RecordQuery;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.format.RuledColumn;
import dev.spur.cli.format.RuledTable;
import dev.spur.cli.format.View;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.Text;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/// `spur efficiency [JOB...]`: what was asked for, what was used, what to ask for next time; of the
/// jobs that are named, or in a table of the caller's last ones.
public final class Efficiency implements Tool {
    private static final Duration PAST = Duration.ofDays(30);
    private static final int USUAL_COUNT = 10;

    private static final Option<Integer> LAST =
            Option.of("last", "COUNT", Efficiency::count)
                    .letter('n')
                    .help("so many of your last jobs (10)");
    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] [JOBID...]").options(LAST).helpLetter();

    private static final List<RuledColumn<JobEfficiency>> COLUMNS =
            List.of(
                    text("JobID", -12, JobEfficiency::id),
                    text("Name", -16, of -> of.job().getName()),
                    text("State", -13, of -> of.job().getState()),
                    text("Elapsed", 10, of -> clock(of.seconds())),
                    text("CPUs", 6, of -> Long.toString(of.cores())),
                    text("CPUUsed", 8, of -> of.measured() ? percent(of.cpuPercent()) : "no data"),
                    text("Memory", 10, of -> Sizes.kibibytes(of.memoryHadKib())),
                    text(
                            "MemUsed",
                            8,
                            of -> of.measured() ? percent(of.memoryPercent()) : "no data"),
                    text("TimeUsed", 8, Efficiency::time));

    private final Connector connector;

    public Efficiency(Connector connector) {
        this.connector = connector;
    }

    private static int count(String text) {
        var count = Integer.parseInt(text);
        if (count < 1 || count > 1000) {
            throw new IllegalArgumentException("a number from 1 to 1000");
        }
        return count;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) {
        var jobs = new Jobs(in, connector.connect(in));
        return arguments.operands().isEmpty()
                ? last(in, jobs, arguments.get(LAST, USUAL_COUNT))
                : named(in, jobs, arguments.operands());
    }

    private static int named(Invocation in, Jobs jobs, List<String> ids) {
        var query = RecordQuery.newBuilder();
        ids.forEach(id -> query.addIds(Jobs.id(id)));
        var found = jobs.find(query.build());
        if (found.isEmpty()) {
            throw new Failure(
                    "no job %s is known, or it is not yours to see"
                            .formatted(String.join(", ", ids)));
        }
        for (var i = 0; i < found.size(); i++) {
            in.out().print((i == 0 ? "" : "\n") + text(found.get(i)));
        }
        return 0;
    }

    private static int last(Invocation in, Jobs jobs, int count) {
        var now = in.clock().instant();
        var found =
                jobs
                        .find(
                                RecordQuery.newBuilder()
                                        .addUsers(Long.toString(in.caller().uid()))
                                        .setFromMicros(now.minus(PAST).toEpochMilli() * 1_000)
                                        .build())
                        .stream()
                        .filter(JobEfficiency::hasStarted)
                        .toList();
        if (found.isEmpty()) {
            in.out().println("None of your jobs ran in the last %d days.".formatted(PAST.toDays()));
            return 0;
        }
        new RuledTable<>(COLUMNS, RuledTable.Style.PADDED)
                .print(
                        in.out(),
                        View.of(in, 0),
                        found.subList(Math.max(0, found.size() - count), found.size()));
        in.out().println("What to ask for next time: spur efficiency JOBID");
        return 0;
    }

    private static String text(JobEfficiency of) {
        var job = of.job();
        var text = new StringBuilder();
        text.append("Job %s (%s) of %s: ".formatted(of.id(), job.getName(), job.getUserName()));
        if (!of.hasStarted()) {
            return text.append(job.getState()).append(", it has not run yet.\n").toString();
        }
        text.append(
                "%s, %s, %s %s.\n"
                        .formatted(
                                job.getState(),
                                of.nodes() == 1 ? "1 node" : of.nodes() + " nodes",
                                of.runs() ? "running for" : "ran for",
                                clock(of.seconds())));
        text.append("          asked for        used\n");
        row(
                text,
                "CPUs",
                Long.toString(of.cores()),
                of.measured() ? Text.of("%.1f", of.busyCores()) : "no data",
                of.measured() ? of.cpuPercent() : 0);
        row(
                text,
                "Memory",
                of.memoryHadKib() == 0 ? "-" : Sizes.kibibytes(of.memoryHadKib()),
                of.measured() ? Sizes.kibibytes(of.memoryKib()) : "no data",
                of.memoryPercent());
        row(
                text,
                "Time",
                of.limitSeconds() == 0 ? "no limit" : clock(of.limitSeconds()),
                clock(of.seconds()),
                of.timePercent());
        if (of.gpus() > 0) {
            var busy = of.gpuPercent();
            row(
                    text,
                    "GPUs",
                    Long.toString(of.gpus()),
                    busy == null ? "no data" : "busy",
                    busy == null ? 0 : busy);
        }
        text.append("Next time ask for:\n");
        Advice.of(of).forEach(line -> text.append("  ").append(line).append('\n'));
        return text.toString();
    }

    private static void row(
            StringBuilder text, String what, String asked, String used, double percent) {
        text.append(
                Text.of(
                                "  %-7s %-16s %-12s %s",
                                what, asked, used, percent > 0 ? percent(percent) : "")
                        .stripTrailing());
        text.append('\n');
    }

    private static String time(JobEfficiency of) {
        return of.limitSeconds() == 0 ? "" : percent(of.timePercent());
    }

    private static String percent(double percent) {
        return Text.of("%.0f %%", percent);
    }

    private static String clock(long seconds) {
        return Durations.padded(Duration.ofSeconds(seconds));
    }

    private static RuledColumn<JobEfficiency> text(
            String name, int width, Function<JobEfficiency, String> cell) {
        return RuledColumn.text(name, width, (row, _) -> cell.apply(row));
    }
}
