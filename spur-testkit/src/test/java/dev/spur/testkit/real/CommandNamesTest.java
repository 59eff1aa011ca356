package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.tools.Tools;
import java.util.SortedSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The names in bin/, as scripts call them.
class CommandNamesTest {
    private final RealCluster cluster = SharedCluster.get();

    static SortedSet<String> later() {
        return Tools.later();
    }

    @ParameterizedTest
    @MethodSource("later")
    void commandOfALaterReleaseIsFoundAndSaysSo(String name) {
        var told = cluster.run(name);

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err())
                .isEqualTo(
                        "%1$s: error: '%1$s' is not available in this release of Spur.\n"
                                .formatted(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"salloc", "sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun"})
    void commandOfThisReleaseHasItsOwnName(String name) {
        assertThat(cluster.run(name, "--version").out()).isEqualTo("slurm 22.05.8\n");
    }
}
