package dev.spur.cli.squeue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqueueTest {
    private static final Instant A_SECOND_LATER = RecordedCluster.RECORDED.plusSeconds(1);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "squeue_default",
                "squeue_long",
                "squeue_states",
                "squeue_user",
                "squeue_start",
                "squeue_nodelist",
                "squeue_noheader_ids",
                "squeue_badfield",
                "squeue_badjob",
                "squeue_badstate",
            })
    void printsWhatSlurmPrinted(String recording) throws IOException {
        assertPrintsTheSame(recording, RecordedCluster.RECORDED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"squeue_o", "squeue_O", "squeue_o_all", "squeue_array"})
    void printsWhatSlurmPrintedASecondLater(String recording) throws IOException {
        assertPrintsTheSame(recording, A_SECOND_LATER);
    }

    @Test
    void namedFieldsWithASuffixAreNeitherPaddedNorCut() throws IOException {
        assertThat(
                        output(
                                "squeue",
                                "-h",
                                "-j",
                                "38",
                                "-O",
                                "JobID:\u001f,Name:\u001f,NodeList: ,State: "))
                .isEqualTo("38\u001fsim\u001fnode[1-2] RUNNING \n[exit 0]");
    }

    @Test
    void backslashesAndBracesInAFormatAreText() throws IOException {
        assertThat(output("squeue", "-hj38", "-o {\"id\": %A}\\x1f%t"))
                .isEqualTo(" {\"id\": 38}\\x1fR\n[exit 0]");
    }

    @Test
    void everyFieldThatOpenOnDemandAsksForIsKnown() throws IOException {
        var fields =
                List.of(
                        ("Account JobID BatchHost MinCpus NumCPUs MinTmpDisk NumNodes EndTime Dependency Feature"
                                        + " ArrayJobID GroupName GroupID OverSubscribe Sockets JobArrayID Cores Name"
                                        + " Threads Comment ArrayTaskID TimeLimit TimeLeft MinMemory TimeUsed ReqNodes"
                                        + " NodeList Command Contiguous QOS Partition PriorityLong Reason StartTime"
                                        + " StateCompact State UserName UserID Reservation SubmitTime WCKey Licenses"
                                        + " ExcNodes CoreSpec Nice SchedNodes SCT WorkDir tres-alloc tres-per-node")
                                .split(" "));

        var output =
                output(
                        "squeue",
                        "--all",
                        "--states=all",
                        "--noconvert",
                        "-h",
                        "-O",
                        String.join(":\u001f,", fields) + ":\u001f",
                        "-j",
                        "38");

        assertThat(output)
                .startsWith("physics\u001f38\u001fnode1\u001f1\u001f4\u001f")
                .endsWith("cpu=4,mem=400M,node=2,billing=4\u001fN/A\u001f\n[exit 0]");
        assertThat(output.split("\u001f", -1)).hasSize(fields.size() + 1);
    }

    @Test
    void timesFollowTheCallersFormat() throws IOException {
        try (var cluster = new RecordedCluster()) {
            var in =
                    cluster.call("squeue", "-h", "-j", "38", "-o", "%S")
                            .with("SLURM_TIME_FORMAT", "%s");

            assertThat(cluster.run(Squeue::new, in)).isEqualTo("1794768567\n[exit 0]");
        }
    }

    @Test
    void whatIsNoIdIsRefused() throws IOException {
        assertThat(output("squeue", "-j", "abc"))
                .isEqualTo("squeue: error: Invalid job id: abc\n[exit 1]");
    }

    @Test
    void twoUnknownIdsAreAnEmptyList() throws IOException {
        assertThat(output("squeue", "-h", "--jobs=5,5")).isEqualTo("[exit 0]");
    }

    @Test
    void ofAnUnknownUserNothingIsListed() throws IOException {
        assertThat(output("squeue", "-h", "-u", "nosuchuser"))
                .isEqualTo("squeue: error: Invalid user: nosuchuser\n\n[exit 0]");
    }

    @Test
    void stepsAreListedByTheirOwnColumns() throws IOException {
        assertThat(output("squeue", "-s"))
                .isEqualTo(
                        "         STEPID     NAME PARTITION     USER      TIME NODELIST\n"
                                + "           38.0    sleep     debug    alice      0:24 node[1-2]\n"
                                + "[exit 0]");
    }

    @Test
    void anotherClusterIsRefusedWithAHint() throws IOException {
        assertThat(output("squeue", "-M", "elsewhere"))
                .contains("belongs to the cluster anchor0")
                .endsWith("[exit 1]");
    }

    private static String output(String program, String... arguments) throws IOException {
        try (var cluster = new RecordedCluster()) {
            return cluster.run(Squeue::new, cluster.call(program, arguments));
        }
    }

    private static void assertPrintsTheSame(String name, Instant at) throws IOException {
        var recording = Recording.of(name);
        try (var cluster = new RecordedCluster(at)) {
            assertThat(cluster.run(Squeue::new, cluster.call(recording)))
                    .isEqualTo(recording.output() + "[exit " + recording.exitCode() + "]");
        }
    }
}
