package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What a new user tries in the first hour.
class FirstHourTest {
    private final RealCluster cluster = SharedCluster.get();

    @Test
    void sinfoShowsFourIdleNodes() {
        var ran = cluster.run("sinfo");

        assertThat(ran.out().lines().toList().getFirst())
                .isEqualTo("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST");
        assertThat(ran.out()).contains("debug*");
        assertThat(ran.exitCode()).isZero();
    }

    @Test
    void batchJobWritesItsOutputWhereSlurmWould() throws IOException {
        var submitted = cluster.run("sbatch", "--wait", "--wrap", "hostname; echo $SLURM_JOB_ID");

        assertThat(submitted.out()).matches("Submitted batch job [0-9]+\n");
        var id = submitted.out().strip().replaceAll(".* ", "");
        assertThat(Files.readAllLines(cluster.work().resolve("slurm-" + id + ".out")))
                .hasSize(2)
                .endsWith(id);
        assertThat(submitted.exitCode()).isZero();
    }

    @Test
    void exitCodeOfTheScriptIsTheExitCodeOfSbatchWait() {
        assertThat(
                        cluster.run("sbatch", "--wait", "-o", "/dev/null", "--wrap", "exit 7")
                                .exitCode())
                .isEqualTo(7);
    }

    @Test
    void srunOnFourNodesRunsOneTaskOnEach() {
        var ran =
                cluster.run(
                        "srun",
                        "-N4",
                        "sh",
                        "-c",
                        "echo $SLURMD_NODENAME $SLURM_PROCID $SLURM_NTASKS");

        assertThat(ran.out().lines())
                .containsExactlyInAnyOrder("node1 0 4", "node2 1 4", "node3 2 4", "node4 3 4");
        assertThat(ran.exitCode()).isZero();
    }

    @Test
    void srunGivesTheHighestExitCodeAndNamesTheTask() {
        var ran = cluster.run("srun", "-n2", "sh", "-c", "exit $((SLURM_PROCID * 3))");

        assertThat(ran.exitCode()).isEqualTo(3);
        assertThat(ran.err())
                .matches("(?s).*srun: error: node[1-4]: task 1: Exited with exit code 3\n.*");
    }

    @Test
    void srunBroadcastsItsInput() {
        var ran = cluster.run(Map.of(), "hello\n", "srun", "-n2", "--label", "cat");

        assertThat(ran.out().lines()).containsExactlyInAnyOrder("0: hello", "1: hello");
    }

    @Test
    void srunWithPtyGivesTheTaskATerminal() {
        var ran =
                cluster.run(
                        "script",
                        "-qec",
                        "srun --pty sh -c 'test -t 0 && test -t 1 && echo terminal'",
                        "/dev/null");

        assertThat(ran.out()).contains("terminal");
    }

    @Test
    void arrayOfAThousandTasksRunsEachOnce() throws IOException {
        var ran =
                cluster.shell(
                        "sbatch --wait -o /dev/null --array=1-1000 --wrap 'echo $SLURM_ARRAY_TASK_ID >> array.txt'");

        assertThat(ran.exitCode()).isZero();
        var tasks = Files.readAllLines(cluster.work().resolve("array.txt"));
        assertThat(tasks).hasSize(1000).doesNotHaveDuplicates();
    }

    @Test
    void scancelEndsARunningJob() {
        var id =
                cluster.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", "sleep 600")
                        .out()
                        .strip();
        awaitState(id, "RUNNING");

        assertThat(cluster.run("scancel", id).exitCode()).isZero();

        awaitState(id, "CANCELLED");
    }

    @Test
    void requeuedJobRunsAgainUnderItsId() throws IOException {
        var out = cluster.work().resolve("requeued.txt");
        var id =
                cluster.shell(
                                "sbatch --parsable --open-mode=append -o requeued.txt --wrap "
                                        + "'echo run ${SLURM_RESTART_COUNT:-0}; test -n \"$SLURM_RESTART_COUNT\" || sleep 600'")
                        .out()
                        .strip();
        awaitState(id, "RUNNING");
        Eventually.until(() -> Files.exists(out), () -> "the job has not begun");

        assertThat(cluster.run("scontrol", "requeue", id).exitCode()).isZero();

        awaitState(id, "COMPLETED");
        assertThat(Files.readString(out)).contains("run 0\n", "run 1\n");
    }

    @Test
    void dependentJobWaitsForTheOther() {
        var first =
                cluster.run("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap", "true")
                        .out()
                        .strip();
        var second =
                cluster.run(
                                "sbatch",
                                "--parsable",
                                "-d",
                                "afterok:" + first,
                                "-o",
                                "/dev/null",
                                "--wrap",
                                "true")
                        .out()
                        .strip();
        assertThat(cluster.run("squeue", "-h", "-j", second, "-o", "%r").out().strip())
                .isEqualTo("Dependency");

        cluster.run("scontrol", "release", first);

        awaitState(second, "COMPLETED");
    }

    @Test
    void gpusAreHandedOutByIndex() {
        var ran =
                cluster.run(
                        "srun",
                        "--gres=gpu:mi300x:3",
                        "sh",
                        "-c",
                        "echo $CUDA_VISIBLE_DEVICES $SLURM_GPUS_ON_NODE");

        assertThat(ran.out()).matches("[0-7],[0-7],[0-7] 3\n");
    }

    @Test
    void sallocRunsTheCommandWithinTheAllocation() {
        var ran =
                cluster.run(
                        "salloc", "-N2", "sh", "-c", "echo $SLURM_JOB_NUM_NODES; srun echo step");

        assertThat(ran.out().lines()).containsExactly("2", "step", "step");
        assertThat(ran.err())
                .contains(
                        "salloc: Granted job allocation ", "salloc: Relinquishing job allocation ");
        assertThat(ran.exitCode()).isZero();
    }

    private void awaitState(String id, String state) {
        Eventually.until(
                () -> state(id).equals(state),
                () -> "job %s is %s, not %s".formatted(id, state(id), state));
    }

    private String state(String id) {
        return cluster.run("squeue", "-h", "-t", "all", "-j", id, "-o", "%T").out().strip();
    }
}
