package dev.spur.cli.sstat;

import dev.spur.cli.format.Brackets;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.util.List;

/// The options of sstat.
final class SstatOptions {
    static final Option<Boolean> ALL_STEPS =
            Option.flag("allsteps")
                    .letter('a')
                    .help("every running step of a job, not only its lowest");
    static final Option<List<String>> FORMAT =
            Option.of("format", "FIELDS", ListingOptions::split)
                    .letter('o')
                    .help("columns, as in jobid,maxrss%20,avecpu");
    static final Option<Boolean> HELP_FORMAT =
            Option.flag("helpformat").letter('e').help("list the fields for --format");
    static final Option<List<String>> JOBS =
            Option.of("jobs", "IDS", Brackets::split)
                    .letter('j')
                    .help("these jobs or steps, as in 12,13.batch,14.0");
    static final Option<Boolean> NO_CONVERT = ListingOptions.NO_CONVERT;
    static final Option<Boolean> NO_HEADER = Option.flag("noheader").letter('n').help("no heading");
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
    static final Option<Boolean> PID_FORMAT =
            Option.flag("pidformat")
                    .letter('i')
                    .help("only the processes of each step, node by node");
    static final Option<Boolean> VERBOSE = Option.flag("verbose").letter('v').help("say more");

    static final OptionTable TABLE =
            OptionTable.of("-j IDS [OPTIONS...]")
                    .options(
                            ALL_STEPS,
                            FORMAT,
                            HELP_FORMAT,
                            JOBS,
                            NO_CONVERT,
                            NO_HEADER,
                            PARSABLE,
                            PARSABLE2,
                            PID_FORMAT,
                            VERBOSE)
                    .helpLetter();

    private SstatOptions() {}
}
