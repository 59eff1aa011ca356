package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.runtime.host.Users;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Commands while no door listens: the same code in a JVM of its own.
class WithoutDoorTest {
    private static final int SOMEBODY = 4711;

    private final RealCluster cluster = SharedCluster.get();

    @Test
    void whoMayReadTheHostsCertificateNeedsNothingElse() {
        var ran = withoutDoor("srun", "-N2", "sh", "-c", "echo $SLURM_PROCID");

        assertThat(ran.err()).isEmpty();
        assertThat(ran.out().lines()).containsExactlyInAnyOrder("0", "1");
    }

    @Test
    void tokenIsEnoughForEverybodyElse() {
        assumeTrue(Users.currentUid() == 0, "not run as root: there is nobody else");

        var ran = byToken("sbatch", "-H", "-o", "/dev/null", "--wrap", "true");

        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).startsWith("Submitted batch job ");
        var id = ran.out().strip().replaceAll(".* ", "");
        assertThat(cluster.run("squeue", "-h", "-j", id, "-o", "%U").out()).isEqualTo("4711\n");
        cluster.run("scancel", id);
    }

    @Test
    void tokenDoesNotOpenTheNodesToSrun() {
        assumeTrue(Users.currentUid() == 0, "not run as root: there is nobody else");

        var ran = byToken("srun", "true");

        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err()).startsWith("srun: error: this host has no certificate");
    }

    @Test
    void othersAreToldWhatToDo() {
        assumeTrue(Users.currentUid() == 0, "not run as root: there is nobody else");

        var ran = cluster.runAs(SOMEBODY, "env", "SPUR_NO_DOOR=1", "HOME=/nowhere", "squeue");

        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err())
                .startsWith("squeue: error: the local Spur service does not answer")
                .contains("spur token create", "SLURM_JWT");
    }

    private Ran byToken(String... command) {
        var token = cluster.runAs(SOMEBODY, "spur", "token", "create").out().strip();
        var line = new ArrayList<>(List.of("env", "SPUR_NO_DOOR=1", "HOME=/nowhere"));
        line.add("SLURM_JWT=" + token);
        line.addAll(List.of(command));
        return cluster.runAs(SOMEBODY, line.toArray(String[]::new));
    }

    private Ran withoutDoor(String... command) {
        return cluster.run(Map.of("SPUR_NO_DOOR", "1"), "", command);
    }
}
