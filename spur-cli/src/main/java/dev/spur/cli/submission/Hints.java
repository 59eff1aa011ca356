package dev.spur.cli.submission;

import dev.spur.cli.Failure;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.model.notation.TimeLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/// Options of Slurm's that cannot change what a job does here. Scripts that have them work
/// unchanged, and their users are told in a line that nothing comes of it. A value that would
/// change something is refused.
public final class Hints {
    private static final Option<String> ACCTG_FREQ =
            Option.text("acctg-freq", "LIST").help("how often usage is sampled (no effect)");
    private static final Option<String> CPU_FREQ =
            Option.text("cpu-freq", "RANGE").help("frequency of the processors (no effect)");
    private static final Option<String> DELAY_BOOT =
            Option.text("delay-boot", "MINUTES").help("put off reboots (no effect)");
    private static final Option<String> GPU_FREQ =
            Option.text("gpu-freq", "LIST").help("frequency of the GPUs (no effect)");
    private static final Option<String> GRES_FLAGS =
            Option.of(
                            "gres-flags",
                            "TYPE",
                            only("gres-flags", Set.of("enforce-binding", "disable-binding")))
                    .help("enforce-binding or disable-binding (no effect)");
    private static final Option<String> MEM_BIND =
            Option.of("mem-bind", "TYPE", only("mem-bind", Set.of("local", "none", "no")))
                    .help("local or none (no effect)");
    private static final Option<String> PROFILE =
            Option.of("profile", "TYPE", only("profile", Set.of("none")))
                    .help("none: no profile (no effect)");

    /// There is no topology of switches that could be obeyed.
    private static final Option<String> SWITCHES =
            Option.of("switches", "COUNT[@TIME]", Hints::switches)
                    .help("at most this many switches (no effect)");

    private static final List<Option<String>> ALL =
            List.of(
                    ACCTG_FREQ,
                    CPU_FREQ,
                    DELAY_BOOT,
                    GPU_FREQ,
                    GRES_FLAGS,
                    MEM_BIND,
                    PROFILE,
                    SWITCHES);

    private Hints() {}

    static List<Option<String>> all(String prefix) {
        return List.of(
                ACCTG_FREQ.from(prefix + "ACCTG_FREQ"),
                CPU_FREQ,
                DELAY_BOOT.from(prefix + "DELAY_BOOT"),
                GPU_FREQ.from(prefix + "GPU_FREQ"),
                GRES_FLAGS.from(prefix + "GRES_FLAGS"),
                MEM_BIND.from(prefix + "MEM_BIND"),
                PROFILE.from(prefix + "PROFILE"),
                SWITCHES.from(prefix + "REQ_SWITCH"));
    }

    /// One line for all that were given.
    public static void tell(Voice voice, Arguments arguments) {
        var given = new ArrayList<String>();
        ALL.stream().filter(arguments::has).map(Option::toString).forEach(given::add);
        // All GPUs of a node are equally near.
        arguments
                .get(JobOptions.GPU_BIND)
                .filter("closest"::equalsIgnoreCase)
                .ifPresent(text -> given.add("--gpu-bind=" + text));
        if (!given.isEmpty()) {
            voice.warn("%s: no effect on this cluster".formatted(String.join(", ", given)));
        }
    }

    /// Words before the last say only how much is told: `verbose,local`.
    private static Function<String, String> only(String option, Set<String> harmless) {
        return text -> {
            var words = Stream.of(text.toLowerCase(java.util.Locale.ROOT).split(",", -1));
            if (words.allMatch(
                    word -> harmless.contains(word) || word.matches("v|verbose|q|quiet"))) {
                return text;
            }
            throw new Failure("option --%s=%s is not supported yet".formatted(option, text));
        };
    }

    private static String switches(String text) {
        var at = text.indexOf('@');
        var _ = Numbers.notNegative("--switches").apply(at < 0 ? text : text.substring(0, at));
        if (at >= 0) {
            TimeLimit.parse(text.substring(at + 1));
        }
        return text;
    }
}
