package dev.spur.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// With real processes: what a person at a shell sees.
class DaemonTest {
    @TempDir Path state;

    private record Ended(int code, String output) {}

    @Test
    void daemonDetachesReturnsZeroOnceItServesAndStopsInOrderOnSigterm() throws Exception {
        var ended = run("--state-dir", state.toString());

        assertThat(ended).isEqualTo(new Ended(0, ""));
        var daemon =
                ProcessHandle.of(Long.parseLong(Files.readString(state.resolve("pid"))))
                        .orElseThrow();
        assertThat(daemon.isAlive()).isTrue();
        assertThat(sessionOf(daemon.pid())).isEqualTo(daemon.pid());
        daemon.destroy();
        daemon.onExit().get(30, TimeUnit.SECONDS);
        assertThat(state.resolve("stopped")).exists();
        assertThat(state.resolve("log"))
                .content()
                .containsSubsequence("stopping on request", "stopped");
    }

    @Test
    void daemonThatCannotStartSaysWhyInTheForegroundToo() throws Exception {
        var expected = "sampled: error: port 1 is taken\n";

        assertThat(run("-D", "--fail", "port 1 is taken")).isEqualTo(new Ended(1, expected));
        var detached = run("--state-dir", state.toString(), "--fail", "port 1 is taken");
        assertThat(detached.code()).isEqualTo(1);
        assertThat(detached.output()).startsWith(expected);
    }

    @Test
    void daemonThatCannotGoOnEndsItsProcessWithTheReasonAsItsLastLine() throws Exception {
        var ended = run("-D", "--state-dir", state.toString(), "--break", "the log was closed");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output())
                .endsWith(
                        "sampled: error: the log was closed. This process ends now and has to be started again.\n");
    }

    @Test
    void versionAndMistakesNeedNoDaemon() throws Exception {
        assertThat(run("-V")).isEqualTo(new Ended(0, "sampled 1.2.3\n"));
        assertThat(run("--stat-dir", "x"))
                .isEqualTo(
                        new Ended(
                                1,
                                "sampled: error: unknown flag \"--stat-dir\". Did you mean \"--state-dir\"?\n"));
    }

    @Test
    void foregroundDaemonEndsWithZeroWhenAskedToStop() throws Exception {
        var process = start("-D", "--state-dir", state.toString());
        awaitFile("serving");

        process.destroy();

        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void hangUpReadsTheConfigurationAgainInsteadOfStopping() throws Exception {
        var process = start("-D", "--state-dir", state.toString());
        awaitFile("serving");

        new ProcessBuilder("kill", "-HUP", String.valueOf(process.pid())).start().waitFor();

        awaitFile("reloaded");
        assertThat(process.isAlive()).isTrue();
        process.destroy();
        process.waitFor();
    }

    private void awaitFile(String name) throws IOException, InterruptedException {
        try (var watch = state.getFileSystem().newWatchService()) {
            state.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            while (!Files.exists(state.resolve(name))) {
                var key = watch.poll(30, TimeUnit.SECONDS);
                assertThat(key).as("file %s appears", name).isNotNull();
                key.pollEvents();
                key.reset();
            }
        }
    }

    private static Ended run(String... arguments) throws IOException, InterruptedException {
        var process = start(arguments);
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private static Process start(String... arguments) throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                "env", // whoever runs the tests may ignore hang-ups, as nohup does
                                "--default-signal=HUP",
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                SampleDaemon.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static long sessionOf(long pid) throws IOException {
        var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        // After the program's name in parentheses: state, parent, process group, session.
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[3]);
    }
}
