package dev.spur.cli.format;

import dev.spur.cli.Failure;
import dev.spur.cli.options.Option;
import java.util.Arrays;
import java.util.List;

/// Options that all commands with listings have.
public final class ListingOptions {
    public static final Option<String> CLUSTERS =
            Option.text("clusters", "NAMES")
                    .letter('M')
                    .from("SLURM_CLUSTERS")
                    .help("the cluster to ask");
    public static final Option<Boolean> HELP_FORMAT =
            Option.flag("helpFormat").help("list the names for --Format");
    public static final Option<Boolean> HIDE =
            Option.flag("hide").replaces("all").help("without hidden partitions");
    public static final Option<Integer> ITERATE =
            Option.of("iterate", "SECONDS", ListingOptions::seconds)
                    .letter('i')
                    .help("print again and again");
    public static final Option<Document.Wish> JSON =
            Option.optional("json", "VERSION", "", Document.Wish::parse)
                    .replaces("yaml")
                    .help("JSON for programs, in Slurm's structures; list: which versions");
    public static final Option<Boolean> LONG = Option.flag("long").letter('l').help("more columns");
    public static final Option<Boolean> NO_CONVERT =
            Option.flag("noconvert").help("sizes in their own unit: 2048M, not 2G");
    public static final Option<Boolean> NO_HEADER =
            Option.flag("noheader").letter('h').help("no header line");
    public static final Option<Document.Wish> YAML =
            Option.optional("yaml", "VERSION", "", Document.Wish::parse)
                    .replaces("json")
                    .help("as --json, in YAML");

    private ListingOptions() {}

    /// The words of a list with commas.
    public static List<String> split(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private static int seconds(String text) {
        if (!text.matches("0*[1-9][0-9]{0,8}")) {
            throw new Failure("--iterate=" + text); // Slurm's words, all of them
        }
        return Integer.parseInt(text);
    }
}
