package dev.spur.cli.scontrol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.GetScriptReply;
import dev.spur.api.v1.GetScriptRequest;
import dev.spur.api.v1.HoldJobsRequest;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.RequeueJobsRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.UpdateNodesReply;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import dev.spur.model.ErrorCode;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScontrolTest {
    private static final Instant A_SECOND_LATER = RecordedCluster.RECORDED.plusSeconds(1);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scontrol_show_job",
                "scontrol_show_job_pending",
                "scontrol_show_job_array",
                "scontrol_show_job_d",
                "scontrol_show_job_oneline",
                "scontrol_show_job_dep",
                "scontrol_show_job_bad",
                "scontrol_show_node",
                "scontrol_show_node_oneline",
                "scontrol_show_node_bad",
                "scontrol_show_partition",
                "scontrol_show_partition_o",
                "scontrol_show_partition_bad",
                "scontrol_show_hostnames",
                "scontrol_show_hostlist",
                "scontrol_show_hostlistsorted",
                "scontrol_ping",
                "scontrol_update_bad",
                "scontrol_update_denied",
                "scontrol_update_node_denied",
                "scontrol_write_batch_script",
            })
    void printsWhatSlurmPrinted(String name) throws IOException {
        var recording = Recording.of(name);

        assertThat(output(recording.arguments()))
                .isEqualTo(recording.output() + "[exit " + recording.exitCode() + "]");
    }

    @Test
    void showsAStepAsSlurmDoesButForTheProcessOfSrun() throws IOException {
        var recording = Recording.of("scontrol_show_step");

        assertThat(output(recording.arguments()))
                .isEqualTo(
                        recording.output().replace("\n   SrunHost:Pid=vm:1998", "") + "[exit 0]");
    }

    @Test
    void jobsAreAlsoAskedForByTheNameOfTheirNumber() throws IOException {
        assertThat(output("show", "jobid=38")).isEqualTo(output("show", "job", "38"));
        assertThat(output("show", "JobId", "38")).isEqualTo(output("show", "job", "38"));
    }

    @Test
    void waitingTaskOfAnArrayIsShownAlone() throws IOException {
        assertThat(output("show", "job", "40_3")).contains(" ArrayTaskId=3 ");
    }

    @Test
    void stepThatIsNotThereIsAnInvalidId() throws IOException {
        assertThat(output("show", "step", "10186.0"))
                .isEqualTo("slurm_get_job_steps error: Invalid job id specified\n[exit 1]");
    }

    @Test
    void jobIsPutAsideAsSpecialExit() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            var in = cluster.call("scontrol", "requeuehold", "State=SpecialExit", "44");

            assertThat(cluster.run(Scontrol::new, in)).isEqualTo("[exit 0]");
            assertThat(cluster.requeued)
                    .singleElement()
                    .satisfies(request -> {
                        assertThat(request.getIdsList()).containsExactly("44");
                        assertThat(request.getHold()).isTrue();
                        assertThat(request.getSpecialExit()).isTrue();
                    });
        }
    }

    @Test
    void hostNamesOfNothingAreAnErrorThatScriptsDoNotStumbleOver() throws IOException {
        assertThat(output("show", "hostnames")).contains("no host list given").endsWith("[exit 0]");
    }

    @Test
    void aNodeThatIsDrainedSaysWhyAndSinceWhen() throws IOException {
        assertThat(output("show", "node=node7"))
                .contains("State=IDLE+DRAIN ThreadsPerCore=1")
                .contains("   Reason=bad disk [sadmin@2026-11-15T18:49:39]\n");
    }

    @Test
    void optionsMayFollowTheCommand() throws IOException {
        assertThat(output("show", "part", "batch", "-o"))
                .isEqualTo(output("-o", "show", "partitions", "batch"))
                .startsWith("PartitionName=batch AllowGroups=ALL");
    }

    @Test
    void withoutAListTheHostsAreThoseOfTheJobAround() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            var in =
                    cluster.call("scontrol", "show", "hostnames")
                            .with("SLURM_JOB_NODELIST", "n[1-2]");

            assertThat(cluster.run(Scontrol::new, in)).isEqualTo("n1\nn2\n[exit 0]");
        }
    }

    @Test
    void holdsEveryJobThatIsNamed() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            var in = cluster.call("scontrol", "hold", "jobid=44,45", "40_[1,3]");

            assertThat(cluster.run(Scontrol::new, in)).isEqualTo("[exit 0]");
            assertThat(cluster.held)
                    .singleElement()
                    .satisfies(request ->
                            assertThat(request.getIdsList())
                                    .containsExactly("44", "45", "40_[1,3]"));
        }
    }

    @Test
    void requestsThatAreRepeatedAreTheSame() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            cluster.isStarting = true;

            assertThat(cluster.run(Scontrol::new, cluster.call("scontrol", "requeue", "40_1")))
                    .isEqualTo("[exit 0]");

            assertThat(cluster.requeued).hasSize(2);
            assertThat(cluster.requeued.getFirst().getIdsList()).containsExactly("40_1");
            assertThat(cluster.requeued.getLast()).isEqualTo(cluster.requeued.getFirst());
        }
    }

    @Test
    void holdIsKnownByItsBeginningAlone() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            assertThat(cluster.run(Scontrol::new, cluster.call("scontrol", "holdd", "44")))
                    .isEqualTo("[exit 0]");
            assertThat(cluster.run(Scontrol::new, cluster.call("scontrol", "holdux", "44")))
                    .isEqualTo("[exit 0]");
            assertThat(cluster.run(Scontrol::new, cluster.call("scontrol", "hol", "44")))
                    .isEqualTo("invalid keyword: hol\n[exit 1]");
            assertThat(cluster.held)
                    .extracting(HoldJobsRequest::getUserHold)
                    .containsExactly(false, true);
        }
    }

    @Test
    void stateThatNodesDoNotHaveIsAnsweredWithThoseThatTheyHave() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            var in = cluster.call("scontrol", "update", "node=node1", "state=foo");

            assertThat(cluster.run(Scontrol::new, in))
                    .isEqualTo(
                            """
                            Invalid input: State=foo
                            Request aborted
                            Valid states are: DOWN DRAIN FAIL IDLE RESUME UNDRAIN
                            [exit 1]\
                            """);
        }
    }

    @Test
    void aNodeIsNotDrainedWithoutAReason() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            var in = cluster.call("scontrol", "update", "node=node1", "state=drain");

            assertThat(cluster.run(Scontrol::new, in))
                    .isEqualTo(
                            "You must specify a reason when DOWNING or DRAINING a node. Request denied\n[exit 1]");
        }
    }

    @Test
    void shortKeysOfAnUpdateBecomeWholeWords() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            var in =
                    cluster.call(
                            "scontrol",
                            "update",
                            "job",
                            "47",
                            "timel=20",
                            "name=renamed",
                            "start=now+1hour");

            assertThat(cluster.run(Scontrol::new, in)).isEqualTo("[exit 0]");
            assertThat(cluster.updated)
                    .singleElement()
                    .satisfies(request -> {
                        assertThat(request.getIdsList()).containsExactly("47");
                        assertThat(request.getChangesMap())
                                .containsEntry("TimeLimit", "20")
                                .containsEntry("Name", "renamed")
                                .containsEntry("StartTime", "2026-11-15T19:49:52Z");
                    });
        }
    }

    @Test
    void withoutACommandTheyAreReadUntilQuit() throws IOException {
        try (var cluster = new AnsweringCluster()) {
            var in =
                    cluster.call("scontrol")
                            .input("oneliner\n\nshow hostlist \"a1 a2\"\nquit\nshow hostlist b\n");

            assertThat(cluster.run(Scontrol::new, in)).isEqualTo("a[1-2]\n[exit 0]");
        }
    }

    @Test
    void whatIsNoIdIsAnInvalidId() throws IOException {
        assertThat(output("show", "job", "abc"))
                .isEqualTo("scontrol_print_job error: Invalid job id specified\n[exit 1]");
        assertThat(output("requeue", "abc"))
                .isEqualTo("Invalid job id specified for job abc\n[exit 1]");
    }

    @Test
    void anUnknownCommandIsAnError() throws IOException {
        assertThat(output("frobnicate")).isEqualTo("invalid keyword: frobnicate\n[exit 1]");
        assertThat(output("takeover"))
                .isEqualTo("scontrol: error: 'takeover' is not supported yet\n[exit 1]");
    }

    private static String output(String... arguments) throws IOException {
        try (var cluster = new AnsweringCluster()) {
            return cluster.run(Scontrol::new, cluster.call("scontrol", arguments));
        }
    }

    /// The recorded cluster when alice asks it to change something: jobs of hers change, nothing
    /// else.
    private static final class AnsweringCluster extends RecordedCluster {
        private final List<HoldJobsRequest> held = new ArrayList<>();
        private final List<UpdateJobsRequest> updated = new ArrayList<>();
        private final List<RequeueJobsRequest> requeued = new ArrayList<>();
        private boolean isStarting;

        AnsweringCluster() throws IOException {
            super(A_SECOND_LATER);
        }

        @Override
        public void holdJobs(HoldJobsRequest request, StreamObserver<JobActionReply> reply) {
            held.add(request);
            answer(reply, JobActionReply.getDefaultInstance());
        }

        @Override
        public void requeueJobs(RequeueJobsRequest request, StreamObserver<JobActionReply> reply) {
            requeued.add(request);
            if (isStarting) {
                isStarting = false;
                reply.onError(Status.UNAVAILABLE.asRuntimeException());
            } else {
                answer(reply, JobActionReply.getDefaultInstance());
            }
        }

        @Override
        public void updateJobs(UpdateJobsRequest request, StreamObserver<JobActionReply> reply) {
            updated.add(request);
            var isBobs = request.getIds(0).equals("49");
            answer(
                    reply,
                    JobActionReply.newBuilder()
                            .addResults(
                                    JobActionResult.newBuilder()
                                            .setId(request.getIds(0))
                                            .setOutcome(
                                                    isBobs
                                                            ? JobActionOutcome.JOB_ACTION_DENIED
                                                            : JobActionOutcome.JOB_ACTION_DONE)
                                            .setSlurmErrno(
                                                    isBobs
                                                            ? ErrorCode.INVALID_USER.slurmErrno()
                                                            : 0))
                            .build());
        }

        @Override
        public void updateNodes(
                UpdateNodesRequest request, StreamObserver<UpdateNodesReply> reply) {
            reply.onError(
                    refusal(
                            request.getChangesMap().getOrDefault("State", "").equals("foo")
                                    ? ErrorCode.INVALID_NODE_STATE
                                    : ErrorCode.INVALID_USER));
        }

        @Override
        public void getScript(GetScriptRequest request, StreamObserver<GetScriptReply> reply) {
            var script =
                    "#!/bin/sh\n# This script was created by sbatch --wrap.\n\nsrun sleep 900\n";
            answer(
                    reply,
                    GetScriptReply.newBuilder().setScript(ByteString.copyFromUtf8(script)).build());
        }
    }
}
