package dev.spur.cli.sinfo;

import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.util.List;

/// The options of sinfo.
final class SinfoOptions {
    static final Option<Boolean> ALL =
            Option.flag("all").letter('a').from("SINFO_ALL").help("also hidden partitions");
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
    static final Option<Boolean> LOCAL =
            Option.flag("local").from("SINFO_LOCAL").help("only this cluster, as always");
    static final Option<String> NODES =
            Option.text("nodes", "HOSTS").letter('n').help("only these nodes");
    static final Option<Boolean> PER_NODE =
            Option.flag("Node").letter('N').help("one line per node and partition");
    static final Option<List<String>> PARTITIONS =
            Option.of("partition", "NAMES", ListingOptions::split)
                    .letter('p')
                    .from("SINFO_PARTITION")
                    .help("only these partitions");
    static final Option<Boolean> REASONS =
            Option.flag("list-reasons").letter('R').help("why nodes are down, drained or failing");
    static final Option<Boolean> RESERVATIONS =
            Option.flag("reservation").letter('T').help("reservations instead of nodes");
    static final Option<Boolean> RESPONDING =
            Option.flag("responding").letter('r').help("only nodes that respond");
    static final Option<String> SORT =
            Option.text("sort", "LETTERS")
                    .letter('S')
                    .from("SINFO_SORT")
                    .help("order, as in #P,-t");
    static final Option<List<String>> STATES =
            Option.of("states", "STATES", ListingOptions::split)
                    .letter('t')
                    .help("only nodes in these states");
    static final Option<Boolean> SUMMARIZE =
            Option.flag("summarize").letter('s').help("one line per partition");
    static final Option<Boolean> VERBOSE = Option.flag("verbose").letter('v').help("say more");

    static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...]")
                    .options(
                            ALL,
                            ListingOptions.CLUSTERS,
                            DEAD,
                            EXACT,
                            FEDERATION,
                            FUTURE,
                            FORMAT,
                            NAMED_FORMAT,
                            ListingOptions.HELP_FORMAT,
                            ListingOptions.HIDE,
                            ListingOptions.ITERATE,
                            ListingOptions.JSON,
                            LOCAL,
                            ListingOptions.LONG,
                            ListingOptions.NO_CONVERT,
                            NODES,
                            ListingOptions.NO_HEADER,
                            PER_NODE,
                            PARTITIONS,
                            REASONS,
                            RESERVATIONS,
                            RESPONDING,
                            SORT,
                            STATES,
                            SUMMARIZE,
                            VERBOSE,
                            ListingOptions.YAML);

    private SinfoOptions() {}
}
