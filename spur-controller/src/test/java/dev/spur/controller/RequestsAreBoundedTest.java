package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.UpdateNodesRequest;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RequestsAreBoundedTest {
    @TempDir Path directory;

    private InProcessController controller;
    private ControllerBlockingStub eve;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
        eve = controller.as("eve", 1004);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void anEndlessCommentIsRefusedByName() {
        var request = submission(spec().setComment("x".repeat(4 << 20)));

        assertThatThrownBy(() -> eve.submitJob(request))
                .hasMessageContaining("comment has 4194304 bytes")
                .extracting(RequestsAreBoundedTest::code)
                .isEqualTo("TEXT_TOO_LONG");
        assertThat(jobs()).isEmpty();
    }

    @Test
    void nulAndEscapesAreRefusedByName() {
        var arguments = submission(spec().addScriptArgs("a\0b"));
        var name = submission(spec().setName("x\nJobId=999\033[31m"));
        var step = CreateStepRequest.newBuilder().setJobId(1).setName("a\0b").build();

        assertThatThrownBy(() -> eve.submitJob(arguments)).hasMessageContaining("script_args");
        assertThatThrownBy(() -> eve.submitJob(name)).hasMessageContaining("name");
        assertThatThrownBy(() -> eve.createStep(step)).hasMessageContaining("name");
        assertThat(jobs()).isEmpty();
    }

    @Test
    void thereIsNoWayAroundThroughAnUpdate() throws Exception {
        var id = eve.submitJob(submission(spec().setHold(true))).getJobId();
        var job =
                UpdateJobsRequest.newBuilder()
                        .addIds(Integer.toString(id))
                        .putChanges("Comment", "a\033b")
                        .build();
        var node =
                UpdateNodesRequest.newBuilder()
                        .setNames("node1")
                        .putChanges("Comment", "x".repeat(2000))
                        .build();
        var root = controller.as("root", 0);

        assertThatThrownBy(() -> eve.updateJobs(job)).hasMessageContaining("Comment");
        assertThatThrownBy(() -> root.updateNodes(node)).hasMessageContaining("Comment");
    }

    @Test
    void aQuestionIsBoundedToo() {
        var question =
                ListJobsRequest.newBuilder().addAllIds(Collections.nCopies(20_000, "1")).build();

        assertThatThrownBy(() -> eve.listJobs(question).hasNext()).hasMessageContaining("ids");
    }

    @Test
    void aPartitionNamedAThousandTimesIsOnePartition() {
        eve.submitJob(
                submission(
                        spec().setHold(true).addAllPartitions(Collections.nCopies(99, "debug"))));

        assertThat(jobs()).extracting(Job::getPartition).containsExactly("debug");
    }

    @Test
    void ofALongSubmitLineOnlyTheBeginningIsKept() {
        var line = "sbatch --comment=\n" + "😀".repeat(100_000);

        eve.submitJob(submission(spec().setHold(true).setSubmitLine(line)));

        var kept = jobs().getFirst().getSpec().getSubmitLine();
        assertThat(kept).startsWith("sbatch --comment= 😀").endsWith("😀…");
        assertThat(kept.length()).isLessThan(1026);
    }

    private List<Job> jobs() {
        var request = ListJobsRequest.newBuilder().setDetail(JobDetail.JOB_DETAIL_FULL).build();
        return eve.listJobs(request).next().getJobsList();
    }

    private static String code(Throwable refusal) {
        var trailers = ((StatusRuntimeException) refusal).getTrailers();
        return trailers == null ? "" : String.valueOf(trailers.get(CallerHeaders.ERROR_CODE));
    }

    private static JobSpec.Builder spec() {
        return JobSpec.newBuilder().setName("job").setWorkDir("/home/eve");
    }

    private static SubmitJobRequest submission(JobSpec.Builder spec) {
        return SubmitJobRequest.newBuilder()
                .setSpec(spec)
                .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                .build();
    }
}
