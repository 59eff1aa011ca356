package dev.spur.cli.scontrol;

import dev.spur.api.v1.PingRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Invocation;
import dev.spur.cli.Terminal;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.OwnCluster;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.model.notation.ShellWords;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;

/// `scontrol [OPTIONS...] [COMMAND...]`. Without a command it reads them, line by line.
public final class Scontrol implements Tool {
    private static final Option<Boolean> ALL =
            Option.flag("all").letter('a').from("SCONTROL_ALL").help("also hidden partitions");
    private static final Option<String> CLUSTERS =
            Option.text("clusters", "NAMES")
                    .letter('M')
                    .alias("cluster")
                    .from("SLURM_CLUSTERS")
                    .help("the cluster to ask");
    private static final Option<Boolean> DETAILS =
            Option.flag("details").letter('d').help("show more of each record");
    private static final Option<Boolean> FEDERATION =
            Option.flag("federation")
                    .from("SCONTROL_FEDERATION")
                    .help("clusters together: here there is one");
    private static final Option<Boolean> FUTURE =
            Option.flag("future")
                    .letter('F')
                    .from("SCONTROL_FUTURE")
                    .help("also nodes in state FUTURE");
    private static final Option<Boolean> HIDE =
            Option.flag("hide").replaces("all").help("without hidden partitions");
    private static final Option<Boolean> LOCAL =
            Option.flag("local").from("SCONTROL_LOCAL").help("only this cluster, as always");
    private static final Option<Boolean> ONE_LINE =
            Option.flag("oneliner").letter('o').help("each record on one line");
    private static final Option<Boolean> QUIET =
            Option.flag("quiet").letter('Q').help("no messages");
    private static final Option<Boolean> SIBLING =
            Option.flag("sibling")
                    .from("SCONTROL_SIB")
                    .help("jobs of sibling clusters: here there are none");
    private static final Option<String> UID = Option.text("uid", "UID").letter('u').unsupported();
    private static final Option<Boolean> VERBOSE =
            Option.flag("verbose").letter('v').help("say more");

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] [COMMAND...]\n\n" + Verbs.SUMMARY)
                    .options(
                            ALL,
                            CLUSTERS,
                            DETAILS,
                            FEDERATION,
                            FUTURE,
                            HIDE,
                            ListingOptions.JSON,
                            LOCAL,
                            ONE_LINE,
                            QUIET,
                            SIBLING,
                            UID,
                            VERBOSE,
                            ListingOptions.YAML)
                    .helpLetter();

    private final Connector connector;

    public Scontrol(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> run(in, arguments));
    }

    private int run(Invocation in, Arguments arguments) throws Exception {
        if (Document.listsVersions(in, arguments)) {
            return 0;
        }
        var session = new Session(in, connector, () -> Document.of(in, arguments));
        session.showAll(arguments.has(ALL));
        session.quiet(arguments.has(QUIET));
        if (arguments.has(ONE_LINE)) {
            session.oneLine();
        }
        if (arguments.has(DETAILS)) {
            session.detailed();
        }
        var cluster = arguments.get(CLUSTERS);
        if (cluster.isPresent()) {
            var own =
                    session.controller()
                            .call(controller -> controller.ping(PingRequest.getDefaultInstance()));
            OwnCluster.require(cluster.get(), own.getCluster());
        }
        return arguments.operands().isEmpty()
                ? converse(session)
                : Verbs.run(session, arguments.operands());
    }

    private static int converse(Session session) throws Exception {
        var in = session.in();
        var isTerminal = in.terminal().isTerminal(Terminal.INPUT);
        if (isTerminal) {
            in.takesLong();
        }
        var lines = new BufferedReader(new InputStreamReader(in.input(), in.charset()));
        var exitCode = 0;
        while (!session.isOver()) {
            if (isTerminal) {
                in.out().print("scontrol: ").flush();
            }
            var words = nextCommand(lines);
            if (words.isEmpty()) {
                return exitCode;
            }
            exitCode = Verbs.run(session, words);
        }
        return exitCode;
    }

    /// The next line that has words; nothing at the end of input.
    private static List<String> nextCommand(BufferedReader lines) throws IOException {
        while (true) {
            var line = lines.readLine();
            if (line == null) {
                return List.of();
            }
            var words = ShellWords.split(line);
            if (!words.isEmpty()) {
                return words;
            }
        }
    }
}
