package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The door is killed in the middle of a command that holds a job: the command goes on with the
/// next door where it was.
class DoorRestartTest {
    private final RealCluster cluster = SharedCluster.get();

    @Test
    void srunPassesOnEachLineOnceAndTheExitCode() throws Exception {
        var go = go();
        var srun =
                start(
                        "srun",
                        "-N2",
                        "--label",
                        "sh",
                        "-c",
                        "echo before; until test -e %s; do sleep 0.1; done; echo after; exit $SLURM_PROCID"
                                .formatted(go));
        var output = srun.inputReader();
        assertThat(List.of(output.readLine(), output.readLine()))
                .containsExactlyInAnyOrder("0: before", "1: before");

        cluster.kill("spur-door");
        assertThat(srun.errorReader().readLine()).contains("waiting for it to come back");
        Files.createFile(go);

        assertThat(output.lines()).containsExactlyInAnyOrder("0: after", "1: after");
        assertThat(srun.waitFor()).isEqualTo(1);
    }

    /// As after a power cut of the host where both are: the tasks end while neither is there.
    @Test
    void srunGoesOnWhenTheControllerIsKilledWithTheDoor() throws Exception {
        var go = go();
        var srun =
                start(
                        "srun",
                        "-N2",
                        "--label",
                        "sh",
                        "-c",
                        "echo before; until test -e %s; do sleep 0.1; done; echo after; exit $((5 + SLURM_PROCID))"
                                .formatted(go));
        var output = srun.inputReader();
        assertThat(List.of(output.readLine(), output.readLine()))
                .containsExactlyInAnyOrder("0: before", "1: before");

        cluster.kill("spurctld");
        cluster.kill("spur-door");
        Files.createFile(go);

        var rest = output.lines().toList();
        var errors = srun.errorReader().lines().toList();
        assertThat(rest).as("%s", errors).containsExactlyInAnyOrder("0: after", "1: after");
        assertThat(srun.waitFor()).as("%s", errors).isEqualTo(6);
        // its nodes are cleaned up behind it
        Eventually.until(
                () -> cluster.shell("squeue -h").out().isEmpty(),
                () -> cluster.shell("squeue -h").out());
    }

    @Test
    void srunLosesNoInput() throws Exception {
        var srun = start("srun", "sh", "-c", "read first; echo $first; cat");
        var input = srun.outputWriter();
        input.append("one\ntwo\n").flush();
        var output = srun.inputReader();
        assertThat(output.readLine()).isEqualTo("one");

        cluster.kill("spur-door");
        input.append("three\n").close();

        assertThat(output.lines()).containsExactly("two", "three");
        assertThat(srun.waitFor()).isZero();
    }

    @Test
    void commandOfSallocDoesNotNotice() throws Exception {
        var go = go();
        var salloc =
                start(
                        "salloc",
                        "sh",
                        "-c",
                        "echo shell; until test -e %s; do sleep 0.1; done; srun echo step; exit 4"
                                .formatted(go));
        var output = salloc.inputReader();
        assertThat(output.readLine()).isEqualTo("shell");

        var errors = salloc.errorReader();
        assertThat(errors.readLine()).startsWith("salloc: Granted job allocation");

        cluster.kill("spur-door");
        assertThat(errors.readLine()).contains("waiting for it to come back");
        Files.createFile(go);

        assertThat(output.lines()).containsExactly("step");
        assertThat(salloc.waitFor()).isEqualTo(4);
        assertThat(errors.readLine()).startsWith("salloc: Relinquishing job allocation");
    }

    @Test
    void sbatchGoesOnWaiting() throws Exception {
        var go = go();
        var sbatch =
                start(
                        "sbatch",
                        "--wait",
                        "-o",
                        "/dev/null",
                        "--wrap",
                        "until test -e %s; do sleep 0.1; done; exit 6".formatted(go));
        var output = sbatch.inputReader();
        assertThat(output.readLine()).startsWith("Submitted batch job ");

        cluster.kill("spur-door");
        assertThat(sbatch.errorReader().readLine()).contains("waiting for it to come back");
        Files.createFile(go);

        assertThat(output.lines()).isEmpty();
        assertThat(sbatch.waitFor()).isEqualTo(6);
    }

    /// A file for which tasks wait.
    private Path go() throws IOException {
        var go = Files.createTempFile(cluster.work(), "go", "");
        Files.delete(go);
        return go;
    }

    private Process start(String... command) throws IOException {
        return cluster.start(Map.of(), List.of(command));
    }
}
