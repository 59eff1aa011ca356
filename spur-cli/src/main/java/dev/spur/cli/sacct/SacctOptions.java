package dev.spur.cli.sacct;

import dev.spur.cli.format.Brackets;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.Units;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.util.List;

/// The options of sacct.
final class SacctOptions {
    static final Option<List<String>> ACCOUNTS =
            list("accounts", "ACCOUNTS").letter('A').help("only jobs of these accounts");
    static final Option<Boolean> ALL_USERS =
            Option.flag("allusers")
                    .letter('a')
                    .help("jobs of everybody, as far as you may see them");
    static final Option<Boolean> ALLOCATIONS =
            Option.flag("allocations").letter('X').help("jobs without their steps");
    static final Option<List<String>> ASSOCIATIONS =
            list("associations", "IDS").letter('x').help("only jobs of these associations");
    static final Option<Boolean> ARRAY =
            Option.flag("array").help("ids as task of their array, as always");
    static final Option<Boolean> BATCH_SCRIPT =
            Option.flag("batch-script").letter('B').help("the script of the job given with -j");
    static final Option<Boolean> BRIEF =
            Option.flag("brief").letter('b').help("only id, state and exit code");
    static final Option<List<String>> CLUSTERS =
            list("clusters", "NAMES").letter('M').help("jobs of these clusters; all");
    static final Option<Boolean> ALL_CLUSTERS =
            Option.flag("allclusters").letter('L').help("jobs of all clusters");
    static final Option<Boolean> COMPLETION =
            Option.flag("completion")
                    .letter('c')
                    .help("refused: there is no log of completions beside accounting");
    static final Option<List<String>> CONSTRAINTS =
            list("constraints", "FEATURES")
                    .letter('C')
                    .help("only jobs that asked for these features");
    static final Option<String> DELIMITER =
            Option.text("delimiter", "TEXT").help("between values with -p or -P (|)");
    static final Option<Boolean> DUPLICATES =
            Option.flag("duplicates")
                    .letter('D')
                    .help("all runs of a requeued job, not only the last");
    static final Option<String> END_TIME =
            Option.text("endtime", "TIME").letter('E').help("only what began before");
    static final Option<Boolean> ENV_VARS =
            Option.flag("env-vars").help("the environment of the job given with -j");
    static final Option<Boolean> FEDERATION =
            Option.flag("federation")
                    .from("SACCT_FEDERATION")
                    .help("clusters together: here there is one");
    static final Option<String> FILE = Option.text("file", "FILE").letter('f').unsupported();
    static final Option<List<String>> FLAGS =
            list("flags", "FLAGS").letter('F').help("only jobs with these flags");
    static final Option<List<String>> FORMAT =
            list("format", "FIELDS")
                    .letter('o')
                    .from("SACCT_FORMAT")
                    .help("columns, as in jobid,state%20,elapsed");
    static final Option<List<String>> GROUPS =
            list("gid", "GROUPS").letter('g').alias("group").help("only jobs of these groups");
    static final Option<Boolean> HELP_FORMAT =
            Option.flag("helpformat").letter('e').help("list the fields for --format");
    static final Option<List<String>> JOBS =
            Option.of("jobs", "IDS", SacctOptions::ids)
                    .letter('j')
                    .help("only these jobs or steps");
    static final Option<Boolean> LOCAL =
            Option.flag("local").from("SACCT_LOCAL").help("only this cluster, as always");
    static final Option<Boolean> LONG = Option.flag("long").letter('l').help("many columns");
    static final Option<String> MAX_LIMIT =
            Option.text("timelimit-max", "TIME")
                    .letter('K')
                    .help("with -k: time limits up to this");
    static final Option<String> MIN_LIMIT =
            Option.text("timelimit-min", "TIME").letter('k').help("only jobs with this time limit");
    static final Option<List<String>> NAMES =
            list("name", "NAMES").help("only jobs of these names");
    static final Option<String> NCPUS =
            Option.text("ncpus", "COUNT")
                    .letter('I')
                    .help("only jobs with so many CPUs, as in 4 or 4-8");
    static final Option<String> NNODES =
            Option.text("nnodes", "COUNT")
                    .letter('i')
                    .help("only jobs with so many nodes, as in 2 or 2-4");
    static final Option<Boolean> NO_CONVERT = ListingOptions.NO_CONVERT;
    static final Option<Boolean> NO_HEADER = Option.flag("noheader").letter('n').help("no heading");
    static final Option<String> NODES =
            Option.text("nodelist", "HOSTS").letter('N').help("only jobs that ran on these nodes");
    static final Option<Boolean> PARSABLE =
            Option.flag("parsable")
                    .letter('p')
                    .replaces("parsable2")
                    .help("values with a | behind each");
    static final Option<Boolean> PARSABLE2 =
            Option.flag("parsable2")
                    .letter('P')
                    .replaces("parsable")
                    .help("values with a | between them");
    static final Option<List<String>> PARTITIONS =
            list("partition", "NAMES").letter('r').help("only jobs of these partitions");
    static final Option<List<String>> QOS =
            list("qos", "NAMES").letter('q').help("only jobs of these qualities of service");
    static final Option<List<String>> REASONS = list("reason", "REASONS").letter('R').unsupported();
    static final Option<String> START_TIME =
            Option.text("starttime", "TIME")
                    .letter('S')
                    .help("only what ended after (today's midnight)");
    static final Option<List<String>> STATES =
            list("state", "STATES")
                    .letter('s')
                    .help("only jobs that were in one of these states in the window");
    static final Option<Boolean> TRUNCATE =
            Option.flag("truncate").letter('T').help("cut start and end to the window");
    static final Option<Units> UNITS =
            Option.of("units", "K|M|G|T|P", Units::of).help("write sizes in this unit");
    static final Option<List<String>> USERS =
            list("user", "USERS").letter('u').alias("uid").help("only jobs of these users");
    static final Option<Boolean> VERBOSE = Option.flag("verbose").letter('v').help("say more");
    static final Option<Boolean> WHOLE_HETJOB =
            Option.flag("whole-hetjob").help("all parts of a heterogeneous job");
    static final Option<List<String>> WCKEYS =
            list("wckeys", "KEYS").letter('W').help("only jobs with these keys");

    static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...]")
                    .options(
                            ACCOUNTS,
                            ALL_USERS,
                            ALLOCATIONS,
                            ARRAY,
                            ASSOCIATIONS,
                            BATCH_SCRIPT,
                            BRIEF,
                            CLUSTERS,
                            ALL_CLUSTERS,
                            COMPLETION,
                            CONSTRAINTS,
                            DELIMITER,
                            DUPLICATES,
                            END_TIME,
                            ENV_VARS,
                            FEDERATION,
                            FILE,
                            FLAGS,
                            FORMAT,
                            GROUPS,
                            HELP_FORMAT,
                            JOBS,
                            ListingOptions.JSON,
                            LOCAL,
                            LONG,
                            MAX_LIMIT,
                            MIN_LIMIT,
                            NAMES,
                            NCPUS,
                            NNODES,
                            NO_CONVERT,
                            NO_HEADER,
                            NODES,
                            PARSABLE,
                            PARSABLE2,
                            PARTITIONS,
                            QOS,
                            REASONS,
                            START_TIME,
                            STATES,
                            TRUNCATE,
                            UNITS,
                            USERS,
                            VERBOSE,
                            WHOLE_HETJOB,
                            WCKEYS,
                            ListingOptions.YAML)
                    .helpLetter();

    private SacctOptions() {}

    private static Option<List<String>> list(String name, String placeholder) {
        return Option.of(name, placeholder, ListingOptions::split);
    }

    private static List<String> ids(String text) {
        return Brackets.split(text);
    }
}
