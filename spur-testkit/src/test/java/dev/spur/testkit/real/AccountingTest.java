package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What happened is in the books, whatever was killed meanwhile: the real spurdbd on a real
/// PostgreSQL beside a real controller.
class AccountingTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static RealCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RealCluster.withAccounting(2, null);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void aJobIsInSacctWhenSbatchHasAnswered() {
        for (var i = 0; i < 10; i++) {
            var id = submit("true");

            assertThat(states(id)).as("state of job %s", id).containsOnlyKeys(id);
        }
    }

    @Test
    void stepsExitCodesAndWhoCancelledAreRecorded() {
        var failed = submit("srun true; exit 3");
        var cancelled = submit("sleep 600");
        soon(() -> state(cancelled).equals("RUNNING"));
        cluster.run("scancel", cancelled);

        soon(() -> state(failed).equals("FAILED"));
        soon(() -> state(cancelled).startsWith("CANCELLED by "));
        assertThat(cluster.run("sacct", "-nPj", failed, "-o", "jobid,state,exitcode").out().lines())
                .contains(
                        failed + "|FAILED|3:0",
                        failed + ".batch|FAILED|3:0",
                        failed + ".0|COMPLETED|0:0");
    }

    @Test
    void scriptsAreKept() {
        var id = submit("echo kept");

        soon(() -> cluster.run("sacct", "-B", "-j", id).out().contains("echo kept"));
    }

    @Test
    void everyJobIsRecordedOnceWhateverIsKilled() throws IOException {
        var random = new Random(8);
        var ids = new ArrayList<String>();
        for (var round = 0; round < 6; round++) {
            for (var job = 0; job < 5; job++) {
                ids.add(submit("true"));
            }
            switch (random.nextInt(3)) {
                case 0 -> cluster.kill("spurdbd");
                case 1 -> killPostgres();
                default -> cluster.kill("spurctld");
            }
        }

        soon(() -> ended(ids) == ids.size());
        assertThat(
                        cluster.run(
                                        "sacct",
                                        "-XnPDj",
                                        String.join(",", ids),
                                        "-o",
                                        "jobid,state,exitcode")
                                .out()
                                .lines())
                .hasSameSizeAs(ids)
                .doesNotHaveDuplicates()
                .allMatch(line -> line.endsWith("|COMPLETED|0:0"));
    }

    private static long ended(List<String> ids) {
        return states(String.join(",", ids)).values().stream().filter("COMPLETED"::equals).count();
    }

    /// All processes of the embedded server, at once.
    private static void killPostgres() throws IOException {
        var pidFiles = new ArrayList<Path>();
        try (var files = Files.walk(cluster.local().layout().directory().resolve("accounting"))) {
            files.filter(file -> file.endsWith("postmaster.pid")).forEach(pidFiles::add);
        }
        for (var file : pidFiles) {
            var pid = Long.parseLong(Files.readAllLines(file).getFirst().strip());
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static void soon(Supplier<Boolean> condition) {
        Eventually.until(SOON, condition, () -> cluster.run("sacct", "-a", "-D").out());
    }

    private static String submit(String script) {
        var ran = cluster.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", script);
        assertThat(ran.err()).isEmpty();
        return ran.out().strip();
    }

    private static String state(String id) {
        return states(id).getOrDefault(id, "");
    }

    private static Map<String, String> states(String ids) {
        return cluster.run("sacct", "-XnPj", ids, "-o", "jobid,state")
                .out()
                .lines()
                .map(line -> line.split("\\|", -1))
                .collect(Collectors.toMap(words -> words[0], words -> words[1]));
    }
}
