package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.Failure;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Programs that a command starts in its caller's place, and the caller's terminal.
@Timeout(60)
final class DoorChildrenTest extends DoorFixture {
    @Test
    void runsChildrenOnTheCallersStreams() throws Exception {
        serve(
                "spawn",
                in -> {
                    var environment = new LinkedHashMap<>(in.environment());
                    environment.put("EXTRA", "given");
                    var child = in.children().spawn(in.args(), environment);
                    var exit = child.waitFor();
                    in.out().println("ended " + exit.code() + " " + exit.signal());
                    return exit.code();
                });

        var exited =
                StubProgram.shell(
                        socket, "echo input | $spur spawn sh -c 'cat; echo $EXTRA; exit 9'");
        assertThat(exited.text()).isEqualTo("input\ngiven\nended 9 null\n");
        assertThat(exited.exitCode()).isEqualTo(9);
        assertThat(StubProgram.shell(socket, "$spur spawn sh -c 'kill -KILL $$'").text())
                .isEqualTo("ended 137 9\n");
        assertThat(StubProgram.call(socket, "spawn", "no-such-program").errors())
                .isEqualTo("spawn: error: no-such-program: No such file or directory\n");
    }

    @Test
    void putsTheTerminalInRawModeAndBack() throws Exception {
        serve(
                "raw",
                in -> {
                    assertThat(in.terminal().isTerminal(0)).isTrue();
                    try (var _ = in.terminal().raw()) {
                        in.children().spawn(List.of("stty", "-a"), in.environment()).waitFor();
                    }
                    return 0;
                });

        var told = StubProgram.shell(socket, "script -qec '$spur raw; stty -a' /dev/null");

        var settings = told.text().split("speed", -1);
        assertThat(settings[1]).contains("-icanon", "-echo ");
        assertThat(settings[2]).contains(" icanon", " echo ");
    }

    @Test
    void restoresTheTerminalWhenAToolDiesInRawMode() throws Exception {
        serve(
                "raw",
                in -> {
                    var _ = in.terminal().raw();
                    throw new Failure("died");
                });

        var told = StubProgram.shell(socket, "script -qec '$spur raw; stty -a' /dev/null");

        assertThat(told.text()).contains("raw: error: died", " icanon");
    }

    @Test
    void givesTheTerminalToAChildAndTakesItBack() throws Exception {
        serve("shell", in -> in.children().spawn(in.args(), in.environment()).waitFor().code());

        // Reading the terminal is allowed to its foreground process group only.
        var told =
                StubProgram.shell(
                        socket,
                        "printf 'typed\\nagain\\n' | script -qec '$spur shell sh -c \"read x; echo child \\$x\"; read y; echo shell $y' /dev/null");

        assertThat(told.text()).contains("child typed", "shell again");
    }
}
