package dev.spur.cli.sinfo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SinfoTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "sinfo_default",
                "sinfo_N",
                "sinfo_o",
                "sinfo_R",
                "sinfo_t",
                "sinfo_d",
                "sinfo_p_bad",
            })
    void printsWhatSlurmPrinted(String name) throws IOException {
        var recording = Recording.of(name);

        assertThat(output(recording))
                .isEqualTo(recording.output() + "[exit " + recording.exitCode() + "]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sinfo_l", "sinfo_Nl"})
    void longListingsBeginWithTheDate(String name) throws IOException {
        var recording = Recording.of(name);

        assertThat(output(recording))
                .isEqualTo(
                        recording.output().replaceFirst("DATE", "Sun Nov 15 18:49:51 2026")
                                + "[exit 0]");
    }

    @Test
    void withoutPartitionInSightANodeCountsOnceThoughItIsInTwo() throws IOException {
        assertThat(output("-aho %F/%C")).isEqualTo(" 3/4/1/8/12/44/8/64\n[exit 0]");
    }

    @Test
    void statesAndCountsCanBeListedWithoutPartitions() throws IOException {
        assertThat(output("-h", "-o%D,%T")).isEqualTo("1,drained\n3,mixed\n4,idle\n[exit 0]");
    }

    @Test
    void whoSetTheReasonIsToldByNameAndByNumber() throws IOException {
        assertThat(output("-hN", "-n", "node7", "-pdebug", "-o%U %u"))
                .isEqualTo("sadmin(1004) sadmin\n[exit 0]");
        assertThat(output("-hN", "-n", "node1", "-pdebug", "-o%U")).isEqualTo("Unknown\n[exit 0]");
    }

    @Test
    void wordsThatAreNoOptionsAreNotLookedAt() throws IOException {
        assertThat(output("foo")).isEqualTo(output(new String[0]));
    }

    @Test
    void idleNodesAreIdleAlsoWhenTheyAreDrained() throws IOException {
        assertThat(output("-h", "-t", "idle", "-o%D,%T")).isEqualTo("1,drained\n4,idle\n[exit 0]");
    }

    @Test
    void theSummaryHasOneLinePerPartition() throws IOException {
        assertThat(output("-s"))
                .isEqualTo(
                        "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST\n"
                                + "debug*       up   infinite          3/4/1/8 node[1-8]\n"
                                + "batch        up 1-00:00:00          3/4/1/8 node[1-8]\n[exit 0]");
    }

    @Test
    void namedFieldsHaveTheirOwnWidths() throws IOException {
        assertThat(output("-ahNO", "nodelist:8,gresused:24,statelong:.10", "-nnode1", "-pbatch"))
                .isEqualTo("node1   gpu:tesla:2(IDX:0-1)         mixed\n[exit 0]");
    }

    @Test
    void anUnknownStateIsRefusedWithTheKnownOnes() throws IOException {
        assertThat(output("-t", "bogus"))
                .startsWith("sinfo: error: Bad state string: \"bogus\"")
                .endsWith("[exit 1]");
    }

    private static String output(Recording recording) throws IOException {
        return output(recording.arguments());
    }

    private static String output(String... arguments) throws IOException {
        try (var cluster = new RecordedCluster()) {
            return cluster.run(Sinfo::new, cluster.call("sinfo", arguments));
        }
    }
}
