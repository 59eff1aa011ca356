package dev.spur.cli.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.Command;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.Tool;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ToolsTest {
    private static final Tool ECHO =
            in -> {
                in.out().println(in.program() + " " + in.args());
                return 0;
            };
    private final Tools tools = new Tools(Map.of("squeue", ECHO, "scontrol", ECHO));

    private record Ran(int exitCode, String printed, String complained) {}

    private Ran run(String program, String... args) throws Exception {
        var call = tools.resolve(program, List.of(args));
        var in = RememberingInvocation.of(call.program(), call.args().toArray(String[]::new));
        int exitCode = Command.run(call.tool(), in);
        return new Ran(exitCode, in.printed(), in.complained());
    }

    @Test
    void aLinkNamesTheTool() throws Exception {
        assertThat(run("squeue", "--me").printed()).isEqualTo("squeue [--me]\n");
    }

    @Test
    void slurmsNamesAndOurVerbsFollowSpur() throws Exception {
        assertThat(run("spur", "squeue", "-a").printed()).isEqualTo("squeue [-a]\n");
        assertThat(run("spur", "queue", "-a").printed()).isEqualTo("squeue [-a]\n");
        assertThat(run("spur", "jobs").printed()).isEqualTo("squeue []\n");
        assertThat(run("spur", "show", "job", "7").printed())
                .isEqualTo("scontrol [show, job, 7]\n");
    }

    @Test
    void versionsAreOneLine() throws Exception {
        assertThat(run("squeue", "--version").printed()).isEqualTo("slurm 22.05.8\n");
        assertThat(run("squeue", "-V").printed()).isEqualTo("slurm 22.05.8\n");
        assertThat(run("spur", "version").printed()).isEqualTo("spur 0.1.0\n");
        assertThat(run("spur", "-V").printed()).isEqualTo("spur 0.1.0\n");
    }

    @Test
    void anUnknownVerbGetsTheNearestAndTheUsage() throws Exception {
        var told = run("spur", "queu");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.complained())
                .startsWith("spur: unknown command 'queu'. Did you mean 'queue'?\nUsage: spur");
    }

    @Test
    void whatALaterReleaseBringsSaysSoAndIsNotListed() throws Exception {
        var told = run("strigger");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.complained())
                .isEqualTo(
                        "strigger: error: 'strigger' is not available in this release of Spur.\n");
        assertThat(run("spur", "help").printed()).contains("squeue").doesNotContain("strigger");
    }

    @Test
    void usageSaysWhatEveryCommandIsFor() throws Exception {
        var standard =
                Tools.standard(_ -> {
                    throw new AssertionError("nobody needs a controller for this");
                });
        var in = RememberingInvocation.of("spur");

        Command.run(standard.resolve("spur", List.of("help")).tool(), in);

        assertThat(in.printed().lines().filter(line -> line.startsWith("  ")))
                .hasSizeGreaterThan(9)
                .allMatch(line -> line.length() > 33 && !line.substring(33).isBlank());
    }

    @Test
    void optionsThatAreNotThereAreNotIgnored() throws Exception {
        assertThat(run("spur", "version").exitCode()).isZero();
        var told = run("spur", "version", "--check");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.complained()).startsWith("spur: 'version' takes no options.\nUsage: spur");
    }

    @Test
    void spurAloneShowsItsUsageAndFails() throws Exception {
        var told = run("spur");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.complained()).startsWith("Usage: spur COMMAND");
    }
}
