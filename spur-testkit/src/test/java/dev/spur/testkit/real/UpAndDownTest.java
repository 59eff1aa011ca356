package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `./spur up` and `./spur down`, as they are typed.
class UpAndDownTest {
    private static final Path HOME =
            Path.of("../spur-dist/target/spur").toAbsolutePath().normalize();

    private Path directory = Path.of("");

    @BeforeEach
    void directory() throws IOException {
        directory = Files.createTempDirectory("spur-up");
    }

    @AfterEach
    void down() throws Exception {
        local("down", "--dir", directory.toString());
        try (var files = Files.walk(directory)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        }
    }

    @Test
    void downEndsTheJobsThatRunBeforeItSaysSoAndKeepsThoseThatWait() throws Exception {
        up();
        var script = stubbornJob();
        run("sbatch", "-H", "-o", "/dev/null", "--wrap", "true");

        var told = local("down", "--dir", directory.toString());

        assertThat(script.isAlive()).isFalse();
        assertThat(told.out())
                .contains("Ending the jobs that run")
                .contains("The cluster is down.");
        up();
        assertThat(run("squeue", "-h", "-o", "%i %t").out().strip()).isEqualTo("2 PD");
    }

    @Test
    void interruptInTheTerminalEndsTheJobsThatRunBeforeTheCluster() throws Exception {
        var screen = Files.createFile(directory.resolve("screen"));
        var cluster = inTheForeground(screen);
        try {
            Eventually.until(
                    () -> shown(screen).contains("Ctrl-C stops it."),
                    () -> "the cluster did not come up");
            var script = stubbornJob();
            run("sbatch", "-H", "--array=1-40", "-o", "/dev/null", "--wrap", "true");
            Eventually.until(
                    () -> shown(screen).contains("jobs: 1 running, 40 pending"),
                    () -> "not every waiting task of the array is counted");

            interruptEverybodyAt(cluster);

            assertThat(cluster.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(script.isAlive()).isFalse();
            assertThat(screen)
                    .content()
                    .contains("Ending the jobs that run")
                    .contains("The cluster is down.")
                    .doesNotContain("does not answer");
        } finally {
            cluster.destroy();
        }
    }

    @Test
    void downBeginsNoneOfTheJobsThatWaitAndTheNextUpDoes() throws Exception {
        up();
        var runs = directory.resolve("runs");
        var begun = directory.resolve("begun");
        run("sbatch", "-n8", "-o", "/dev/null", "--wrap", "touch " + runs + "; sleep 600");
        run("sbatch", "-n8", "-o", "/dev/null", "--wrap", "touch " + begun);
        Eventually.until(() -> Files.exists(runs), () -> "the job did not start");

        local("down", "--dir", directory.toString());

        assertThat(begun).doesNotExist();
        up();
        Eventually.until(() -> Files.exists(begun), () -> "the job that waited did not start");
    }

    @Test
    void secondClusterInADirectoryIsRefusedAndTheFirstStaysAsItIs() throws Exception {
        up();
        var greeting = Files.readString(directory.resolve("ready"));

        var second = local("up", "--detach", "--dir", directory.toString());

        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.err()).contains("already running", "./spur down --dir " + directory);
        assertThat(directory.resolve("ready")).hasContent(greeting);
        assertThat(run("sinfo", "-h").exitCode()).isZero();
    }

    @Test
    void portThatIsTakenIsNamedAtOnce() throws Exception {
        try (var taken = new ServerSocket(0)) {
            var base = taken.getLocalPort();
            assumeTrue(base < 60_000, "the port that the kernel chose is too high to count from");

            var told = up("--port-base", Integer.toString(base));

            assertThat(told.exitCode()).isEqualTo(1);
            assertThat(told.err()).contains("port %d is taken".formatted(base), "--port-base");
        }
    }

    @Test
    void mistakesInAConfigurationAreToldWithoutAStack() throws Exception {
        var file = Files.writeString(directory.resolve("mine.conf"), "cluster_nam = \"x\"\n");

        var told = up("--config", file.toString());

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err())
                .contains("Did you mean \"cluster_name\"?")
                .doesNotContain("Exception")
                .doesNotContain("\tat ");
    }

    @Test
    void fileThatIsNotTomlIsToldWithItsLine() throws Exception {
        var file = Files.writeString(directory.resolve("mine.conf"), "ClusterName=x\nwhat is\n");

        var told = up("--config", file.toString());

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err()).contains("mine.conf line", "not TOML").doesNotContain("\tat ");
    }

    @Test
    void directoryThatOthersMayWriteToIsRefused() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));

        var told = up();

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err()).contains("others may write to " + directory, "chmod go-w");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void rootTakesNoDirectoryOfSomebodyElse() throws Exception {
        assumeTrue(
                System.getProperty("user.name").equals("root"), "only root can give a file away");
        var mine = Files.createDirectory(directory.resolve("log"));
        var victim = directory.resolve("victim");
        Files.createSymbolicLink(mine.resolve("cluster.log"), victim);
        Files.setAttribute(mine, "unix:uid", 12_345);

        var told = up();

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err()).contains(mine + " belongs to somebody else (uid 12345)");
        assertThat(victim).doesNotExist();
    }

    /// A script that does not mind being asked to end, once it runs.
    private ProcessHandle stubbornJob() throws Exception {
        var pid = directory.resolve("stubborn.pid");
        run(
                "sbatch",
                "-o",
                "/dev/null",
                "--wrap",
                "trap '' TERM; echo $$ >%1$s.new; mv %1$s.new %1$s; sleep 600 & wait; wait"
                        .formatted(pid));
        Eventually.until(() -> Files.exists(pid), () -> "the job did not start");
        return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    }

    /// As from a shell: all that it starts and that does not leave is one group of processes, to
    /// which the terminal's signals go. (A build in the background would hand its deafness to
    /// Ctrl-C down.)
    private Process inTheForeground(Path screen) throws IOException {
        return new ProcessBuilder(
                        "env",
                        "--default-signal=INT",
                        "setsid",
                        HOME.resolve("libexec/spur-local-cluster").toString(),
                        "up",
                        "--nodes",
                        "1",
                        "--dir",
                        directory.toString())
                .redirectOutput(screen.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static String shown(Path screen) {
        try {
            return Files.readString(screen);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void interruptEverybodyAt(Process terminal) throws Exception {
        var told = ended(new ProcessBuilder("sh", "-c", "kill -s INT -- -" + terminal.pid()));
        assertThat(told.exitCode()).isZero();
    }

    private Ran up(String... options) throws Exception {
        var words = new ArrayList<>(List.of("up", "--detach", "--nodes", "1", "--dir"));
        words.add(directory.toString());
        words.addAll(List.of(options));
        return local(words.toArray(String[]::new));
    }

    private static Ran local(String... words) throws Exception {
        var command =
                new ArrayList<>(List.of(HOME.resolve("libexec/spur-local-cluster").toString()));
        command.addAll(List.of(words));
        return ended(new ProcessBuilder(command));
    }

    /// A command of the cluster.
    private Ran run(String... words) throws Exception {
        var command = new ArrayList<>(List.of(words));
        command.set(0, HOME.resolve("bin").resolve(words[0]).toString());
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().put("SPUR_DOOR", directory.resolve("run/door.sock").toString());
        return ended(builder);
    }

    private static Ran ended(ProcessBuilder builder) throws Exception {
        var out = Files.createTempFile("spur", ".out");
        var err = Files.createTempFile("spur", ".err");
        var process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        try {
            return new Ran(
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8),
                    process.exitValue());
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
