package dev.spur.cli.squeue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import dev.spur.model.ErrorCode;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
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
    void nodeThatDoesNotExistIsAnError() throws IOException {
        assertThat(output("squeue", "-w", "dummy_name"))
                .isEqualTo("squeue: error: Invalid node name dummy_name\n[exit 1]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "x", "-1", ""})
    void pauseThatIsNoneIsAnError(String seconds) throws IOException {
        assertThat(output("squeue", "--iterate=" + seconds))
                .isEqualTo("squeue: error: --iterate=%s\n[exit 1]".formatted(seconds));
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
    void waitingTasksOfAnArrayComeInTheOrderOfTheirNumbers() throws IOException {
        try (var cluster = new WaitingArray()) {
            assertThat(cluster.run(Squeue::new, cluster.call("squeue", "-h", "-r", "-o", "%i")))
                    .isEqualTo("51\n50_1\n50_2\n50_3\n[exit 0]");
        }
    }

    @Test
    void fieldsOfWhatOnlySlurmHasShowItsDefaults() throws IOException {
        assertThat(
                        output(
                                "squeue",
                                "-hj38",
                                "-O",
                                "AssocID: ,BurstBuffer: ,Origin: ,Profile: ,SPerBoard: ,system_comment: ,tres-freq: ,"
                                        + "Wait4Switch: ,ReqSwitch: ,NTPerCore: ,exit_code: "))
                .isEqualTo("0 (null) NA NotSet 0 (null) N/A 0:00 0 N/A 0 \n[exit 0]");
    }

    @Test
    void clusterOfAJobIsTheOneThatAnswers() throws IOException {
        assertThat(output("squeue", "-hj38", "-O", "Cluster: ,JobID:"))
                .isEqualTo("anchor0 38\n[exit 0]");
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

    @Test
    void aControllerThatIsBusySaysSo() throws IOException {
        try (var cluster =
                new RefusingCluster(
                        ErrorCode.BUSY,
                        "the controller is busy, try again",
                        Status.RESOURCE_EXHAUSTED)) {
            assertThat(cluster.run(Squeue::new, cluster.call("squeue")))
                    .isEqualTo(
                            "slurm_load_jobs error: Resource temporarily unavailable: the controller is busy, try again\n"
                                    + "[exit 1]");
        }
    }

    @Test
    void tooFewControllersAreToldAsSuch() throws IOException {
        try (var cluster =
                new RefusingCluster(
                        ErrorCode.NO_MAJORITY, "ctl2 and ctl3 do not answer", Status.UNAVAILABLE)) {
            assertThat(cluster.run(Squeue::new, cluster.call("squeue")))
                    .isEqualTo(
                            "slurm_load_jobs error: %s: ctl2 and ctl3 do not answer\n[exit 1]"
                                    .formatted(ErrorCode.NO_MAJORITY.text()));
        }
    }

    /// An array that waits, task by task, and a younger job.
    private static final class WaitingArray extends RecordedCluster {
        WaitingArray() throws IOException {}

        @Override
        public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
            var task = Job.newBuilder().setJobId(50).setArrayJobId(50).setState("PENDING");
            answer(
                    reply,
                    ListJobsReply.newBuilder()
                            .addJobs(task.setArrayTaskId(1).build())
                            .addJobs(task.setArrayTaskId(2).build())
                            .addJobs(task.setArrayTaskId(3).build())
                            .addJobs(Job.newBuilder().setJobId(51).setState("PENDING"))
                            .build());
        }
    }

    private static final class RefusingCluster extends RecordedCluster {
        private final ErrorCode code;
        private final String because;
        private final Status status;

        RefusingCluster(ErrorCode code, String because, Status status) throws IOException {
            this.code = code;
            this.because = because;
            this.status = status;
        }

        @Override
        public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
            var trailers = new Metadata();
            trailers.put(CallerHeaders.ERROR_CODE, code.name());
            trailers.put(CallerHeaders.ERRNO, Integer.toString(code.slurmErrno()));
            reply.onError(status.withDescription(because).asRuntimeException(trailers));
        }
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
