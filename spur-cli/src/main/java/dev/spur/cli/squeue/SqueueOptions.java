package dev.spur.cli.squeue;

import dev.spur.cli.format.Brackets;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.util.List;

/// The options of squeue.
final class SqueueOptions {
    static final Option<List<String>> ACCOUNTS =
            list("account", "ACCOUNTS")
                    .letter('A')
                    .from("SQUEUE_ACCOUNT")
                    .help("only jobs of these accounts");
    static final Option<Boolean> ALL =
            Option.flag("all")
                    .letter('a')
                    .from("SQUEUE_ALL")
                    .help("also jobs in hidden partitions");
    static final Option<Boolean> ARRAY =
            Option.flag("array")
                    .letter('r')
                    .from("SQUEUE_ARRAY")
                    .help("one line for each task of an array");
    static final Option<Boolean> ARRAY_UNIQUE =
            Option.flag("array-unique")
                    .from("SQUEUE_ARRAY_UNIQUE")
                    .help("one line for each pending task of an array");
    static final Option<Boolean> FEDERATION =
            Option.flag("federation")
                    .from("SQUEUE_FEDERATION")
                    .help("clusters together: here there is one");
    static final Option<String> FORMAT =
            Option.text("format", "FORMAT")
                    .letter('o')
                    .from("SQUEUE_FORMAT")
                    .replaces("Format")
                    .help("columns by letter, as in \"%.18i %.8j %T\"");
    static final Option<String> NAMED_FORMAT =
            Option.text("Format", "FIELDS")
                    .letter('O')
                    .from("SQUEUE_FORMAT2")
                    .replaces("format")
                    .help("columns by name, as in JobID:12,Name,State");
    static final Option<List<String>> JOBS =
            Option.optionalOrNextWord("jobs", "IDS", "", SqueueOptions::split)
                    .letter('j')
                    .help("only these jobs");
    static final Option<List<String>> LICENSES =
            list("licenses", "NAMES")
                    .letter('L')
                    .from("SQUEUE_LICENSES")
                    .help("only jobs that use these licenses");
    static final Option<Boolean> LOCAL =
            Option.flag("local").from("SQUEUE_LOCAL").help("only this cluster, as always");
    static final Option<Boolean> ME = Option.flag("me").help("only my own jobs");
    static final Option<List<String>> NAMES =
            list("name", "NAMES")
                    .letter('n')
                    .from("SQUEUE_NAMES")
                    .alias("names")
                    .help("only jobs of these names");
    static final Option<String> NODES =
            Option.text("nodelist", "HOSTS")
                    .letter('w')
                    .alias("nodes")
                    .help("only jobs on these nodes");
    static final Option<Boolean> ONLY_JOB_STATE =
            Option.flag("only-job-state").help("ids and states only");
    static final Option<List<String>> PARTITIONS =
            list("partition", "NAMES")
                    .letter('p')
                    .from("SQUEUE_PARTITION")
                    .help("only jobs in these partitions");
    static final Option<Boolean> PRIORITY =
            Option.flag("priority")
                    .letter('P')
                    .from("SQUEUE_PRIORITY")
                    .help("one line for each partition a waiting job may go to");
    static final Option<List<String>> QOS =
            list("qos", "NAMES")
                    .letter('q')
                    .from("SQUEUE_QOS")
                    .help("only jobs of these qualities of service");
    static final Option<List<String>> RESERVATIONS =
            list("reservation", "NAMES").letter('R').help("only jobs in these reservations");
    static final Option<Boolean> SIBLING =
            Option.flag("sibling")
                    .from("SQUEUE_SIBLING")
                    .help("jobs of sibling clusters: here there are none");
    static final Option<String> SORT =
            Option.text("sort", "LETTERS")
                    .letter('S')
                    .from("SQUEUE_SORT")
                    .help("order, as in P,t,-p");
    static final Option<Boolean> START =
            Option.flag("start").help("when waiting jobs are expected to start");
    static final Option<String> STATES =
            Option.text("states", "STATES")
                    .letter('t')
                    .from("SQUEUE_STATES")
                    .help("only jobs in these states; all");
    static final Option<List<String>> STEPS =
            Option.optionalOrNextWord("steps", "STEPS", "", SqueueOptions::split)
                    .letter('s')
                    .help("list steps");
    static final Option<List<String>> USERS =
            list("user", "USERS")
                    .letter('u')
                    .from("SQUEUE_USERS")
                    .alias("users")
                    .help("only jobs of these users");
    static final Option<Boolean> VERBOSE = Option.flag("verbose").letter('v').help("say more");

    static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...]")
                    .options(
                            ACCOUNTS,
                            ALL,
                            ARRAY,
                            ARRAY_UNIQUE,
                            ListingOptions.CLUSTERS,
                            FEDERATION,
                            FORMAT,
                            NAMED_FORMAT,
                            ListingOptions.HELP_FORMAT,
                            ListingOptions.HIDE,
                            ListingOptions.ITERATE,
                            JOBS,
                            ListingOptions.JSON,
                            LICENSES,
                            LOCAL,
                            ListingOptions.LONG,
                            ME,
                            NAMES,
                            ListingOptions.NO_CONVERT,
                            NODES,
                            ListingOptions.NO_HEADER,
                            ONLY_JOB_STATE,
                            PARTITIONS,
                            PRIORITY,
                            QOS,
                            RESERVATIONS,
                            SIBLING,
                            SORT,
                            START,
                            STATES,
                            STEPS,
                            USERS,
                            VERBOSE,
                            ListingOptions.YAML);

    private SqueueOptions() {}

    private static Option<List<String>> list(String name, String placeholder) {
        return Option.of(name, placeholder, SqueueOptions::split);
    }

    /// Commas separate, but not inside the brackets of `40_[1,3]`.
    private static List<String> split(String text) {
        return text.indexOf('[') < 0 ? ListingOptions.split(text) : Brackets.split(text);
    }
}
