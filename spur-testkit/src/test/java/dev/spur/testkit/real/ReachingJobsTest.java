package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What jobs print, and a shell beside them, from anywhere and whatever dies meanwhile.
class ReachingJobsTest {
    private static final int SOMEBODY = 4711;
    private static final int SOMEBODY_ELSE = 4712;

    private final RealCluster cluster = SharedCluster.get();

    @Test
    void followerSeesEachLineOnceThoughDoorAndAgentAreKilled() throws Exception {
        var job = submit("for i in $(seq 1 60); do echo line $i; sleep 0.2; done; sleep 2");
        var logs = start("spur", "logs", "-f", job);
        var output = logs.inputReader();
        assertThat(output.readLine()).isEqualTo("line 1");

        cluster.kill("spur-door");
        assertThat(output.readLine()).isEqualTo("line 2");
        cluster.kill("node1");

        var rest = output.lines().toList();
        assertThat(rest)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(3, 60).mapToObj(i -> "line " + i).toList());
        assertThat(logs.waitFor()).isZero();
    }

    @Test
    void followerWaitsForTheStartAndSaysSo() throws Exception {
        var job = cluster.run("sbatch", "--parsable", "-H", "--wrap", "echo at last").out().strip();
        var logs = start("spur", "logs", "-f", job);
        assertThat(logs.errorReader().readLine())
                .isEqualTo(
                        "logs: job %s has not started yet (PENDING, JobHeldUser); waiting for it"
                                .formatted(job));

        cluster.run("scontrol", "release", job);

        assertThat(logs.inputReader().lines()).containsExactly("at last");
        assertThat(logs.waitFor()).isZero();
    }

    @Test
    void outputIsReadAfterTheJobToo() {
        var job =
                cluster.run(
                                "sbatch",
                                "--parsable",
                                "--wait",
                                "--wrap",
                                "seq 1 5; echo no >&2",
                                "-e",
                                "err-%j")
                        .out()
                        .strip();

        assertThat(cluster.run("spur", "logs", job).out()).isEqualTo("1\n2\n3\n4\n5\n");
        assertThat(cluster.run("spur", "logs", "--err", job).out()).isEqualTo("no\n");
        assertThat(cluster.run("spur", "logs", "--lines", "2-3", job).out()).isEqualTo("2\n3\n");
        assertThat(cluster.run("spur", "logs", "--tail", "1", job).out()).isEqualTo("5\n");
    }

    @Test
    void arrayShowsEachTasksOutput() {
        var array =
                cluster.run(
                                "sbatch",
                                "--parsable",
                                "--wait",
                                "--array=1-3",
                                "--wrap",
                                "echo task $SLURM_ARRAY_TASK_ID")
                        .out()
                        .strip();

        assertThat(cluster.run("spur", "logs", array + "_2").out()).isEqualTo("task 2\n");
        assertThat(cluster.run("spur", "logs", array).out())
                .isEqualTo(
                        """
                        ==> %1$s_1 <==
                        task 1

                        ==> %1$s_2 <==
                        task 2

                        ==> %1$s_3 <==
                        task 3
                        """
                                .formatted(array));
    }

    @Test
    void nobodyReadsWhatTheOwnerMayNotNorAnothersJob() {
        assumeTrue(Users.currentUid() == 0, "not run as root: a cluster then serves one user only");
        var job =
                cluster.runAs(
                                SOMEBODY,
                                "sbatch",
                                "--parsable",
                                "-o",
                                "/etc/shadow",
                                "-e",
                                "/dev/null",
                                "--wrap",
                                "true")
                        .out()
                        .strip();
        Eventually.until(
                () -> cluster.run("squeue", "-h", "-j", job).out().isEmpty(),
                () -> cluster.run("squeue", "-h", "-j", job).out());

        var own = cluster.runAs(SOMEBODY, "spur", "logs", job);
        var others = cluster.runAs(SOMEBODY_ELSE, "spur", "logs", job);
        var roots = cluster.run("spur", "logs", job);

        assertThat(own.err()).contains("/etc/shadow: Permission denied");
        assertThat(others.err()).contains("Access/permission denied");
        assertThat(roots.err()).contains("/etc/shadow: Permission denied");
        assertThat(own.out() + others.out() + roots.out()).isEmpty();
    }

    @Test
    void commandBesideAJobHasItsExitCodeAndItsPlace() throws Exception {
        var job = submit("sleep 60");
        var beside = cluster.run("spur", "exec", job, "sh", "-c", "echo $SLURM_JOB_ID; exit 7");

        assertThat(beside.out()).isEqualTo(job + "\n");
        assertThat(beside.exitCode()).isEqualTo(7);
        assertThat(cluster.runAs(SOMEBODY_ELSE, "spur", "exec", job, "true").err())
                .contains("denied");
        cluster.run("scancel", job);
    }

    @Test
    void severalLookOnAtAStepAndLeaveItRunning() throws Exception {
        var go = Files.createTempFile(cluster.work(), "go", "");
        Files.delete(go);
        var srun =
                start(
                        "srun",
                        "-N2",
                        "sh",
                        "-c",
                        "echo before; until test -e %s; do sleep 0.1; done; echo after; exit 3"
                                .formatted(go));
        assertThat(srun.inputReader().readLine()).isEqualTo("before");
        var step =
                cluster.run("squeue", "-h", "-s", "-o", "%i")
                        .out()
                        .lines()
                        .findFirst()
                        .orElseThrow();
        var one = start("sattach", "--label", step);
        var other = start("sattach", "--output-filter=1", step);
        assertThat(one.inputReader().readLine()).endsWith(": before");
        assertThat(other.inputReader().readLine()).isEqualTo("before");

        other.destroy();
        Files.createFile(go);

        assertThat(one.inputReader().lines()).contains("0: after", "1: after");
        assertThat(one.waitFor()).isEqualTo(3);
        assertThat(srun.waitFor()).isEqualTo(3);
    }

    /// The job's number, once it runs.
    private String submit(String script) throws IOException {
        var out = Files.createTempFile(cluster.work(), "out", "");
        var job =
                cluster.run("sbatch", "--parsable", "-o", out.toString(), "--wrap", script)
                        .out()
                        .strip();
        Eventually.until(
                () -> cluster.run("squeue", "-h", "-j", job, "-o", "%T").out().contains("RUNNING"),
                () -> cluster.run("squeue", "-h", "-j", job, "-o", "%T").out());
        return job;
    }

    private Process start(String... command) throws IOException {
        return cluster.start(Map.of(), List.of(command));
    }
}
