package dev.spur.cli.sshare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.AssociationUsage;
import dev.spur.cli.testing.RecordedAccounts;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SshareTest {
    private final RecordedAccounts accounts = new RecordedAccounts();

    @ParameterizedTest
    @ValueSource(strings = {"sshare_default", "sshare_P"})
    void printsWhatSlurmPrinted(String name) throws IOException {
        var recording = Recording.of(name);
        try (var cluster = cluster()) {
            assertThat(cluster.run(Sshare::new, cluster.call(recording)))
                    .isEqualTo(recording.output() + "[exit " + recording.exitCode() + "]");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-U,           physics",
        "-U -a,        root chem physics physics",
        "-U -u bob,    chem",
        "-A chem -a,   chem chem",
        "-A physics,   physics physics",
    })
    void optionsChooseWhoIsShown(String options, String shown) throws IOException {
        assertThat(output(("-nP -o account " + options).split(" ")).replace("[exit 0]", ""))
                .isEqualToIgnoringWhitespace(shown);
    }

    @Test
    void longListingTellsTheLevelOfEachBranchAndWhatItMayStillUse() throws IOException {
        accounts.also(book -> {
            var bob = book.getAssociationsBuilder(5);
            bob.getLimitsBuilder().putGrpTresMinutes("cpu", 100);
            bob.setUsage(
                    AssociationUsage.newBuilder()
                            .setNormShares(1)
                            .setLevelFs(Double.POSITIVE_INFINITY)
                            .putTresRunSeconds("cpu", 120)
                            .putTresRunSeconds("gres/gpu", 61));
        });

        assertThat(output("-lnP", "-U", "-u", "bob"))
                .isEqualTo(
                        "  chem|bob|1|1.000000|0|0.000000|0.000000|0.000000|inf|cpu=100|"
                                + "cpu=2,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0,gres/gpu=1,gres/gpu:tesla=0\n[exit 0]");
    }

    @Test
    void fieldThatIsNoneIsRefused() throws IOException {
        assertThat(output("-o", "color"))
                .isEqualTo("sshare: error: Invalid field requested: \"color\"\n[exit 1]");
    }

    private String output(String... arguments) throws IOException {
        try (var cluster = cluster()) {
            return cluster.run(Sshare::new, cluster.call("sshare", arguments));
        }
    }

    private RecordedCluster cluster() throws IOException {
        return new RecordedCluster(RecordedCluster.RECORDED, List.of(accounts));
    }
}
