package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A cluster that root started: its door has no rights of its own and serves everybody, each as
/// whom the kernel says they are.
class EveryUserTest {
    private static final int SOMEBODY = 4711;
    private static final int SOMEBODY_ELSE = 4712;

    private final RealCluster cluster = SharedCluster.get();

    @BeforeEach
    void onlyRootServesOthers() {
        assumeTrue(Users.currentUid() == 0, "not run as root: a cluster then serves one user only");
    }

    @Test
    void noThreadOfTheDoorHasRootsRights() throws IOException {
        var door = cluster.local().daemon("spur-door").pid();

        try (var threads = Files.list(Path.of("/proc/%d/task".formatted(door)))) {
            assertThat(threads)
                    .isNotEmpty()
                    .allSatisfy(thread -> {
                        var status = Files.readAllLines(thread.resolve("status"));
                        assertThat(ids(status, "Uid:")).doesNotContain("0");
                        assertThat(ids(status, "Gid:")).doesNotContain("0");
                        assertThat(ids(status, "Groups:")).isEmpty();
                        assertThat(ids(status, "CapEff:")).containsExactly("0000000000000000");
                    });
        }
    }

    @Test
    void identityOfTheDoorIsForItselfOnly() throws IOException {
        var layout = cluster.local().layout();

        assertThat(cluster.runAs(SOMEBODY, "cat", layout.identity("door") + "/key.pem").err())
                .contains("Permission denied");
        assertThat((int) Files.getAttribute(layout.identity("door"), "unix:uid")).isNotZero();
    }

    @Test
    void batchJobRunsAsTheUserWhoSubmittedIt() throws IOException {
        var ran =
                cluster.runAs(
                        SOMEBODY,
                        "sbatch",
                        "--wait",
                        "-o",
                        "somebody.txt",
                        "--wrap",
                        "id -u; id -g");

        assertThat(ran.exitCode()).as(ran.err()).isZero();
        var output = cluster.work().resolve("somebody.txt");
        assertThat(Files.readAllLines(output)).containsExactly("4711", "4711");
        assertThat((int) Files.getAttribute(output, "unix:uid")).isEqualTo(SOMEBODY);
    }

    @Test
    void stepRunsAsTheUserOfSrun() {
        assertThat(cluster.runAs(SOMEBODY, "srun", "-N2", "id", "-u").out())
                .isEqualTo("4711\n4711\n");
    }

    @Test
    void everybodySeesTheQueueAndEndsOnlyTheirOwnJobs() {
        var id =
                cluster.runAs(
                                SOMEBODY,
                                "sbatch",
                                "--parsable",
                                "-H",
                                "-o",
                                "/dev/null",
                                "--wrap",
                                "true")
                        .out()
                        .strip();

        assertThat(cluster.runAs(SOMEBODY_ELSE, "squeue", "-h", "-j", id, "-o", "%U").out())
                .isEqualTo("4711\n");
        assertThat(cluster.runAs(SOMEBODY_ELSE, "scancel", id).err()).contains("denied");
        assertThat(cluster.runAs(SOMEBODY, "scancel", id).exitCode()).isZero();
        assertThat(cluster.runAs(SOMEBODY, "squeue", "-h", "-j", id, "-t", "all", "-o", "%T").out())
                .isEqualTo("CANCELLED\n");
    }

    private static List<String> ids(List<String> status, String name) {
        return status.stream()
                .filter(line -> line.startsWith(name))
                .flatMap(line ->
                        List.of(line.substring(name.length()).strip().split("\\s+")).stream())
                .filter(word -> !word.isEmpty())
                .toList();
    }
}
