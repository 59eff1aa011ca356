package dev.spur.cli.sinfo;

import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/// The options of sinfo.
final class SinfoOptions {
    static final Option<Boolean> ALL =
            Option.flag("all").letter('a').from("SINFO_ALL").help("also hidden partitions");
    static final Option<String> CLUSTERS =
            Option.text("clusters", "NAMES")
                    .letter('M')
                    .from("SLURM_CLUSTERS")
                    .help("the cluster to ask");
    static final Option<Boolean> DEAD =
            Option.flag("dead").letter('d').help("only nodes that do not respond");
    static final Option<Boolean> EXACT =
            Option.flag("exact").letter('e').help("nodes of different size on lines of their own");
    static final Option<Boolean> FEDERATION =
            Option.flag("federation")
                    .from("SINFO_FEDERATION")
                    .help("clusters together: here there is one");
    static final Option<Boolean> FUTURE =
            Option.flag("future").letter('F').help("also nodes in state FUTURE");
    static final Option<String> FORMAT =
            Option.text("format", "FORMAT")
                    .letter('o')
                    .from("SINFO_FORMAT")
                    .replaces("Format")
                    .help("columns by letter, as in \"%.9P %.6D %t %N\"");
    static final Option<String> NAMED_FORMAT =
            Option.text("Format", "FIELDS")
                    .letter('O')
                    .replaces("format")
                    .help("columns by name, as in PartitionName,StateLong,NodeList:40");
    static final Option<Boolean> HELP_FORMAT =
            Option.flag("helpFormat").help("list the names for --Format");
    static final Option<Boolean> HIDE =
            Option.flag("hide").replaces("all").help("without hidden partitions");
    static final Option<Integer> ITERATE =
            Option.of("iterate", "SECONDS", SinfoOptions::seconds)
                    .letter('i')
                    .help("print again and again");
    static final Option<String> JSON =
            Option.optional("json", "", "", Function.<String>identity()).unsupported();
    static final Option<Boolean> LOCAL =
            Option.flag("local").from("SINFO_LOCAL").help("only this cluster, as always");
    static final Option<Boolean> LONG = Option.flag("long").letter('l').help("more columns");
    static final Option<Boolean> NO_CONVERT =
            Option.flag("noconvert").help("sizes in their own unit");
    static final Option<String> NODES =
            Option.text("nodes", "HOSTS").letter('n').help("only these nodes");
    static final Option<Boolean> NO_HEADER =
            Option.flag("noheader").letter('h').help("no header line");
    static final Option<Boolean> PER_NODE =
            Option.flag("Node").letter('N').help("one line per node and partition");
    static final Option<List<String>> PARTITIONS =
            Option.of("partition", "NAMES", SinfoOptions::split)
                    .letter('p')
                    .from("SINFO_PARTITION")
                    .help("only these partitions");
    static final Option<Boolean> REASONS =
            Option.flag("list-reasons").letter('R').help("why nodes are down, drained or failing");
    static final Option<Boolean> RESERVATIONS =
            Option.flag("reservation").letter('T').unsupported();
    static final Option<Boolean> RESPONDING =
            Option.flag("responding").letter('r').help("only nodes that respond");
    static final Option<String> SORT =
            Option.text("sort", "LETTERS")
                    .letter('S')
                    .from("SINFO_SORT")
                    .help("order, as in #P,-t");
    static final Option<List<String>> STATES =
            Option.of("states", "STATES", SinfoOptions::split)
                    .letter('t')
                    .help("only nodes in these states");
    static final Option<Boolean> SUMMARIZE =
            Option.flag("summarize").letter('s').help("one line per partition");
    static final Option<Boolean> VERBOSE = Option.flag("verbose").letter('v').help("say more");
    static final Option<String> YAML =
            Option.optional("yaml", "", "", Function.<String>identity()).unsupported();

    static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...]")
                    .options(
                            ALL,
                            CLUSTERS,
                            DEAD,
                            EXACT,
                            FEDERATION,
                            FUTURE,
                            FORMAT,
                            NAMED_FORMAT,
                            HELP_FORMAT,
                            HIDE,
                            ITERATE,
                            JSON,
                            LOCAL,
                            LONG,
                            NO_CONVERT,
                            NODES,
                            NO_HEADER,
                            PER_NODE,
                            PARTITIONS,
                            REASONS,
                            RESERVATIONS,
                            RESPONDING,
                            SORT,
                            STATES,
                            SUMMARIZE,
                            VERBOSE,
                            YAML);

    private SinfoOptions() {}

    private static List<String> split(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private static int seconds(String text) {
        var seconds = Integer.parseInt(text);
        if (seconds <= 0) {
            throw new IllegalArgumentException("not a number of seconds");
        }
        return seconds;
    }
}
