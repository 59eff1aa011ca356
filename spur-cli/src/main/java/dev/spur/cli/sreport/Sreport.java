package dev.spur.cli.sreport;

import dev.spur.api.client.HistoryClient;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.ReportReply;
import dev.spur.api.v1.ReportRequest;
import dev.spur.api.v1.ReportRow;
import dev.spur.api.view.Surroundings;
import dev.spur.api.view.UsageTable;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Terminal;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.RuledTable;
import dev.spur.cli.format.View;
import dev.spur.cli.history.AccountingService;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.options.Refusal;
import dev.spur.model.notation.ShellWords;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// `sreport [OPTIONS...] cluster|job|reservation|user REPORT [WORDS...]`. Without a report it reads
/// them, line by line.
public final class Sreport implements Tool {
    private static final String CPU = "cpu";
    private static final String ENERGY = "energy";
    private static final long MICROS = 1_000_000;

    private static final Option<Boolean> ALL_CLUSTERS =
            Option.flag("all_clusters").letter('a').help("all clusters, as always");
    private static final Option<List<String>> CLUSTERS =
            Option.of("cluster", "NAMES", ListingOptions::split)
                    .letter('M')
                    .alias("clusters")
                    .help("only these clusters");
    private static final Option<Boolean> FEDERATION =
            Option.flag("federation").help("clusters together: here there is one");
    private static final Option<Boolean> LOCAL =
            Option.flag("local").help("only this cluster, as always");
    private static final Option<Boolean> NO_HEADER =
            Option.flag("noheader").letter('n').help("no heading");
    private static final Option<Boolean> PARSABLE =
            Option.flag("parsable")
                    .letter('p')
                    .replaces("parsable2")
                    .help("values with a | behind each");
    private static final Option<Boolean> PARSABLE2 =
            Option.flag("parsable2")
                    .letter('P')
                    .alias("parseable2")
                    .replaces("parsable")
                    .help("values with a | between them");
    private static final Option<Boolean> QUIET =
            Option.flag("quiet").letter('Q').help("no messages");
    private static final Option<TimeForm> TIMES =
            Option.of("t", "FORM", TimeForm::of)
                    .letter('t')
                    .help("Seconds, Minutes, Hours, Percent, SecPer, MinPer, HourPer");
    private static final Option<List<String>> TRES =
            Option.of("tres", "NAMES", ListingOptions::split)
                    .letter('T')
                    .help("of these resources (cpu), or ALL");
    private static final Option<Boolean> VERBOSE =
            Option.flag("verbose").letter('v').help("say more");

    private static final OptionTable TABLE =
            OptionTable.of(
                            """
                            [OPTIONS...] [REPORT [WORDS...]]

                            Reports:
                              cluster Utilization
                              cluster AccountUtilizationByUser|UserUtilizationByAccount
                              cluster UserUtilizationByWckey|WCKeyUtilizationByUser
                              job SizesByAccount|SizesByWcKey|SizesByAccountAndWcKey
                              reservation Utilization
                              user TopUsage
                            Words: start=TIME end=TIME account=NAMES user=NAMES wckey=NAMES format=FIELDS tree
                                   grouping=SIZES topcount=NUMBER group flatview names=RESERVATIONS\
                            """)
                    .options(
                            ALL_CLUSTERS,
                            CLUSTERS,
                            FEDERATION,
                            ListingOptions.JSON,
                            LOCAL,
                            NO_HEADER,
                            PARSABLE,
                            PARSABLE2,
                            QUIET,
                            TIMES,
                            TRES,
                            VERBOSE,
                            ListingOptions.YAML)
                    .helpLetter();

    private final Connector connector;

    public Sreport(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(
                in,
                arguments ->
                        arguments.operands().isEmpty()
                                ? converse(in, arguments)
                                : report(in, arguments, arguments.operands()));
    }

    private int converse(Invocation in, Arguments arguments) throws Exception {
        var isTerminal = in.terminal().isTerminal(Terminal.INPUT);
        if (isTerminal) {
            in.takesLong();
        }
        var lines = new BufferedReader(new InputStreamReader(in.input(), in.charset()));
        var exitCode = 0;
        while (true) {
            if (isTerminal) {
                in.out().print("sreport: ").flush();
            }
            var line = lines.readLine();
            var words = line == null ? List.of("quit") : ShellWords.split(line);
            if (!words.isEmpty() && List.of("quit", "exit").contains(words.getFirst())) {
                return exitCode;
            }
            if (!words.isEmpty()) {
                exitCode = tolerantly(in, arguments, words);
            }
        }
    }

    private int tolerantly(Invocation in, Arguments arguments, List<String> words) {
        try {
            return report(in, arguments, words);
        } catch (Refusal e) {
            in.err().println(e.text());
        } catch (Failure e) {
            in.err().println("sreport: error: " + e.text());
        }
        return 1;
    }

    private int report(Invocation in, Arguments arguments, List<String> words) {
        if (Document.listsVersions(in, arguments)) {
            return 0;
        }
        var group = words.getFirst();
        if (Report.groups().stream()
                .noneMatch(known -> known.startsWith(group.toLowerCase(Locale.ROOT)))) {
            throw new Refusal(1, "invalid keyword: " + group);
        }
        var report =
                (words.size() < 2 ? Optional.<Report>empty() : Report.find(group, words.get(1)))
                        .orElseThrow(() ->
                                new Refusal(
                                        1,
                                        "Not valid report %s\nValid %s reports are listed by: sreport --help"
                                                .formatted(
                                                        words.size() < 2 ? "" : words.get(1),
                                                        group)));
        var asked = new ReportWords(in, words.subList(2, words.size()));
        var tres =
                all(arguments, TRES).stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        var request = asked.request(report, wanted(tres)).toBuilder();
        request.addAllClusters(all(arguments, CLUSTERS));
        print(in, arguments, report, asked, tres, request.build());
        return 0;
    }

    /// Energy has a column of its own.
    private static List<String> wanted(List<String> tres) {
        if (tres.contains("all")) {
            return List.of("ALL");
        }
        return tres.isEmpty() ? List.of(CPU, ENERGY) : tres;
    }

    private void print(
            Invocation in,
            Arguments arguments,
            Report report,
            ReportWords asked,
            List<String> tres,
            ReportRequest request) {
        var form = arguments.get(TIMES, TimeForm.MINUTES);
        HistoryClient history;
        try {
            history = AccountingService.of(in, connector.connect(in));
        } catch (AccountingService.NotThereException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
        var reply = history.call(service -> service.report(request));
        var document = Document.of(in, arguments);
        if (document.isPresent()) {
            document.get()
                    .text("report", report.kind())
                    .instant("from", reply.getFromMicros())
                    .instant("until", reply.getUntilMicros())
                    .plain(
                            "rows",
                            UsageTable.ROWS,
                            reply.getRowsList(),
                            Surroundings.of("", in.clock().millis() * 1000))
                    .end(cluster(in));
            return;
        }
        var energy = new HashMap<String, Long>();
        var rows = new ArrayList<ReportRow>();
        for (var row : reply.getRowsList()) {
            if (tres.isEmpty() && row.getTres().equals(ENERGY)) {
                energy.put(ReportColumns.person(row), row.getSecondsOrDefault("used", 0));
            } else {
                rows.add(row);
            }
        }
        var needsTotals =
                report.isOfSizes() || form.showsPart() && !report.kind().endsWith(" utilization");
        var columns =
                new ReportColumns(
                        form,
                        request.getTree(),
                        needsTotals ? totals(history, request) : Map.of(),
                        energy);
        var unit = tres.isEmpty() ? "CPUs" : "TRES";
        var usual = report.columns(!tres.isEmpty());
        var format =
                asked.format().isEmpty()
                        ? usual
                                + (report.isOfSizes()
                                        ? ReportColumns.sizes(asked.sizes().size())
                                        : "")
                        : asked.format();
        var chosen =
                RuledTable.choose(
                        columns.all(report, asked.sizes(), unit),
                        format,
                        name -> new Refusal(1, "Unknown field '%s'".formatted(name)));
        var view = View.of(in, in.clock().instant().getEpochSecond() * MICROS);
        var hasHeading = !arguments.has(NO_HEADER);
        if (hasHeading) {
            heading(in, view, report, asked, form, tres.isEmpty() ? "CPU" : "TRES", reply);
        }
        new RuledTable<>(chosen, style(arguments)).print(in.out(), view, rows);
    }

    private String cluster(Invocation in) {
        return connector
                .connect(in)
                .call(each -> each.ping(PingRequest.getDefaultInstance()))
                .getCluster();
    }

    /// What there was of each resource.
    private static Map<String, Long> totals(HistoryClient history, ReportRequest request) {
        var whole =
                ReportRequest.newBuilder()
                        .setKind(Report.UTILIZATION.kind())
                        .setFromMicros(request.getFromMicros())
                        .setUntilMicros(request.getUntilMicros())
                        .setZone(request.getZone())
                        .addAllClusters(request.getClustersList())
                        .addAllTres(request.getTresList())
                        .build();
        var totals = new HashMap<String, Long>();
        history.call(service -> service.report(whole))
                .getRowsList()
                .forEach(row ->
                        totals.put(ReportColumns.key(row), row.getSecondsOrDefault("reported", 0)));
        return totals;
    }

    private static void heading(
            Invocation in,
            View view,
            Report report,
            ReportWords asked,
            TimeForm form,
            String what,
            ReportReply reply) {
        var seconds = (reply.getUntilMicros() - reply.getFromMicros()) / MICROS;
        var rule = "-".repeat(80);
        in.out()
                .println(rule)
                .println(
                        "%s %s - %s%s"
                                .formatted(
                                        report.title(asked.top()),
                                        view.times().text(reply.getFromMicros(), "Unknown"),
                                        view.times()
                                                .text(reply.getUntilMicros() - MICROS, "Unknown"),
                                        report.tellsSeconds() ? " (" + seconds + " secs)" : ""))
                .println(
                        report.isOfSizes()
                                ? "Time reported in " + form.unit()
                                : "Usage reported in " + form.heading(what))
                .println(rule);
    }

    private static List<String> all(Arguments arguments, Option<List<String>> option) {
        var all = new ArrayList<String>();
        arguments.all(option).forEach(all::addAll);
        return all;
    }

    private static RuledTable.Style style(Arguments arguments) {
        var form =
                arguments.has(PARSABLE)
                        ? RuledTable.Form.DELIMITER_BEHIND
                        : arguments.has(PARSABLE2)
                                ? RuledTable.Form.DELIMITER_BETWEEN
                                : RuledTable.Form.PADDED;
        return new RuledTable.Style(form, "|", !arguments.has(NO_HEADER));
    }
}
