package dev.spur.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.cli.Failure;
import dev.spur.cli.RememberingInvocation;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class OptionTableTest {
    private static final Option<String> JOBS =
            Option.optionalOrNextWord("jobs", "IDS", "", text -> text).letter('j');
    private static final Option<String> NAME =
            Option.text("job-name", "NAME").letter('J').from("TRY_JOB_NAME");
    private static final Option<Integer> NODES =
            Option.of("nodes", "COUNT", Integer::valueOf).letter('N');
    private static final Option<String> NODELIST = Option.text("nodelist", "NODES").letter('w');
    private static final Option<Integer> WAIT =
            Option.optional("immediate", "SECONDS", "0", Integer::valueOf).letter('I');
    private static final Option<Boolean> HOLD = Option.flag("hold").letter('H').from("TRY_HOLD");
    private static final Option<Boolean> VERBOSE = Option.flag("verbose").letter('v');
    private static final Option<Boolean> REQUEUE = Option.flag("requeue").replaces("no-requeue");
    private static final Option<Boolean> NO_REQUEUE = Option.flag("no-requeue").replaces("requeue");
    private static final Option<String> MEM =
            Option.text("mem", "SIZE").outranks("mem-per-cpu").from("TRY_MEM");
    private static final Option<String> MEM_PER_CPU =
            Option.text("mem-per-cpu", "SIZE").outranks("mem").from("TRY_MEM_PER_CPU");
    private static final Option<String> TASKS =
            Option.text("ntasks-per-node", "COUNT").alias("tasks-per-node");
    private static final Option<String> BURST =
            Option.text("bb", "SPEC").from("TRY_BB").unsupported();

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] [ID...]")
                    .options(JOBS, NAME, NODES, NODELIST, WAIT, HOLD, VERBOSE, REQUEUE, NO_REQUEUE)
                    .options(MEM, MEM_PER_CPU, TASKS, BURST);

    @Test
    void valuesMayBeAttachedOrSeparate() throws Exception {
        assertThat(parse("-N4").get(NODES)).contains(4);
        assertThat(parse("-N", "4").get(NODES)).contains(4);
        assertThat(parse("--nodes=4").get(NODES)).contains(4);
        assertThat(parse("--nodes", "4").get(NODES)).contains(4);
    }

    @Test
    void shortOptionsFormClusters() throws Exception {
        var arguments = parse("-HvvN2", "x");

        assertThat(arguments.has(HOLD)).isTrue();
        assertThat(arguments.count(VERBOSE)).isEqualTo(2);
        assertThat(arguments.get(NODES)).contains(2);
        assertThat(arguments.operands()).containsExactly("x");
    }

    @Test
    void optionalValuesAreOnlyTakenWhenAttached() throws Exception {
        assertThat(parse("-I60").get(WAIT)).contains(60);
        assertThat(parse("-I", "60").get(WAIT)).contains(0);
        assertThat(parse("-I", "60").operands()).containsExactly("60");
        assertThat(parse("-j", "1008").get(JOBS)).contains("1008");
        assertThat(parse("-j", "-H").get(JOBS)).contains("");
    }

    @Test
    void longNamesMayBeShortenedWhileOnlyOneFits() throws Exception {
        assertThat(parse("--job-n=x").get(NAME)).contains("x");
        assertThat(parse("--tasks=2").get(TASKS)).contains("2");
        assertThat(parse("--mem=2").get(MEM)).contains("2");
        assertThat(parse("--job_name=x").get(NAME)).contains("x");
    }

    @Test
    void optionsMayFollowOperandsUnlessTheFirstOperandEndsThem() throws Exception {
        assertThat(parse("12", "-H", "--", "-v").operands()).containsExactly("12", "-v");

        var strict =
                arguments(
                        TABLE.operandsEndOptions(),
                        RememberingInvocation.of("try", "-H", "a.sh", "-v"));
        assertThat(strict.operands()).containsExactly("a.sh", "-v");
    }

    @Test
    void commandLineWinsOverEnvironmentAndEnvironmentOverDirectives() throws Exception {
        var in = RememberingInvocation.of("try", "-N3").with("TRY_JOB_NAME", "environment");
        var seen = new AtomicReference<Arguments>();
        TABLE.run(
                in,
                _ -> List.of(List.of("-N", "9", "-J", "directive"), List.of("-w", "n1")),
                arguments -> remember(seen, arguments));

        assertThat(seen.get().get(NODES)).contains(3);
        assertThat(seen.get().get(NAME)).contains("environment");
        assertThat(seen.get().get(NODELIST)).contains("n1");
        assertThat(seen.get().source(NODELIST)).contains(Source.DIRECTIVE);
    }

    @Test
    void flagVariablesCountWhenEmptyYesOrNotZero() throws Exception {
        assertThat(withHold("").has(HOLD)).isTrue();
        assertThat(withHold("yes").has(HOLD)).isTrue();
        assertThat(withHold("1").has(HOLD)).isTrue();
        assertThat(withHold("0").has(HOLD)).isFalse();
        assertThat(withHold("no").has(HOLD)).isFalse();
    }

    @Test
    void laterOppositeReplacesTheEarlier() throws Exception {
        assertThat(parse("--requeue", "--no-requeue").has(REQUEUE)).isFalse();
        assertThat(parse("--no-requeue", "--requeue").has(NO_REQUEUE)).isFalse();
    }

    @Test
    void rivalOfStrongerSourceDropsTheWeaker() throws Exception {
        var arguments =
                arguments(
                        TABLE,
                        RememberingInvocation.of("try", "--mem=1").with("TRY_MEM_PER_CPU", "2"));

        assertThat(arguments.has(MEM_PER_CPU)).isFalse();
        assertThat(parse("--mem=1", "--mem-per-cpu=2").hasAny(MEM_PER_CPU)).isTrue();
    }

    @Test
    void wrongCallsAreAnsweredWithGetoptsWords() throws Exception {
        assertThat(complaint("--bogus=1")).isEqualTo("try: unrecognized option '--bogus=1'\n");
        assertThat(complaint("-Z")).isEqualTo("try: invalid option -- 'Z'\n");
        assertThat(complaint("-J")).isEqualTo("try: option requires an argument -- 'J'\n");
        assertThat(complaint("--job-name"))
                .isEqualTo("try: option '--job-name' requires an argument\n");
        assertThat(complaint("--hold=1"))
                .isEqualTo("try: option '--hold' doesn't allow an argument\n");
        assertThat(complaint("--node=1"))
                .isEqualTo(
                        "try: option '--node=1' is ambiguous; possibilities: '--nodes' '--nodelist'\n");
    }

    @Test
    void badValueNamesItsOption() {
        assertThatThrownBy(() -> parse("-N", "many"))
                .isInstanceOf(Failure.class)
                .hasMessage("Invalid --nodes specification");
    }

    @Test
    void unsupportedOptionSaysSo() {
        assertThatThrownBy(() -> parse("--bb=x"))
                .isInstanceOf(Failure.class)
                .hasMessage("option --bb is not supported yet");
        assertThatThrownBy(
                        () -> arguments(TABLE, RememberingInvocation.of("try").with("TRY_BB", "x")))
                .hasMessage("option --bb (set by TRY_BB) is not supported yet");
    }

    @Test
    void directiveWithStrayWordIsRefused() {
        assertThatThrownBy(() ->
                        TABLE.run(
                                RememberingInvocation.of("try"),
                                _ -> List.of(List.of("--hold", "word")),
                                _ -> 0))
                .isInstanceOf(Failure.class)
                .hasMessage("Invalid directive found in batch script: word");
    }

    @Test
    void versionAndHelpAreAnsweredByTheTable() throws Exception {
        var version = RememberingInvocation.of("try", "-V");
        assertThat(TABLE.run(version, _ -> 9)).isZero();
        assertThat(version.printed()).isEqualTo("slurm 22.05.8\n");

        var help = RememberingInvocation.of("try", "--help");
        assertThat(TABLE.run(help, _ -> 9)).isZero();
        assertThat(help.printed())
                .startsWith("Usage: try [OPTIONS...] [ID...]\n")
                .contains("-I, --immediate[=SECONDS]");
    }

    private static Arguments withHold(String value) throws Exception {
        return arguments(TABLE, RememberingInvocation.of("try").with("TRY_HOLD", value));
    }

    private static String complaint(String... words) throws Exception {
        var in = RememberingInvocation.of("try", words);
        assertThat(TABLE.usageExitCode(255).run(in, _ -> 0)).isEqualTo(255);
        assertThat(in.complained()).endsWith("Try \"try --help\" for more information\n");
        return in.complained().lines().findFirst().orElse("") + "\n";
    }

    private static Arguments parse(String... words) throws Exception {
        return arguments(TABLE, RememberingInvocation.of("try", words));
    }

    private static Arguments arguments(OptionTable table, RememberingInvocation in)
            throws Exception {
        var seen = new AtomicReference<Arguments>();
        table.run(in, arguments -> remember(seen, arguments));
        return seen.get();
    }

    private static int remember(AtomicReference<Arguments> seen, Arguments arguments) {
        seen.set(arguments);
        return 0;
    }
}
