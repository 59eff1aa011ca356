package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.GetScriptRequest;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.SignalJobsRequest;
import dev.spur.api.v1.SignalTarget;
import dev.spur.api.v1.SubmitJobRequest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What one does to one's own jobs, and nobody else to them.
@Timeout(60)
class OthersJobsTest {
    private static final int USR1 = 10;

    @TempDir Path directory;

    private InProcessController controller;
    private ControllerBlockingStub alice;
    private ControllerBlockingStub bob;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
        alice = controller.as("alice", 1002);
        bob = controller.as("bob", 1003);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void aSignalReachesTheRunningAttemptOfItsOwnersJob() throws Exception {
        var agent = controller.agent("node1");
        var job = submit(false);
        agent.launched.take();

        assertThat(signal(alice, job)).isEqualTo(JobActionOutcome.JOB_ACTION_DONE);

        var order = agent.signalled.take();
        assertThat(order.getJobId()).isEqualTo(job);
        assertThat(order.getAttempt()).isZero();
        assertThat(order.getSignal()).isEqualTo(USR1);
        assertThat(order.getTarget()).isEqualTo(SignalTarget.SIGNAL_TARGET_FULL);
    }

    @Test
    void nobodySignalsTheJobOfAnother() throws Exception {
        var agent = controller.agent("node1");
        var job = submit(false);
        agent.launched.take();

        assertThat(signal(bob, job)).isEqualTo(JobActionOutcome.JOB_ACTION_DENIED);

        assertThat(signal(alice, job)).isEqualTo(JobActionOutcome.JOB_ACTION_DONE);
        agent.signalled.take();
        assertThat(agent.signalled).isEmpty();
    }

    @Test
    void whatDoesNotRunIsNotSignalled() {
        var job = submit(true);

        assertThat(signal(alice, job)).isEqualTo(JobActionOutcome.JOB_ACTION_REFUSED);
        alice.cancelJobs(CancelJobsRequest.newBuilder().addIds("" + job).build());
        assertThat(signal(alice, job)).isEqualTo(JobActionOutcome.JOB_ACTION_ALREADY_ENDED);
        assertThat(signal(alice, 4711)).isEqualTo(JobActionOutcome.JOB_ACTION_NOT_FOUND);
    }

    @Test
    void nobodyRunsAStepInTheJobOfAnother() throws Exception {
        var agent = controller.agent("node1");
        var job = submit(false);
        agent.launched.take();
        var step = CreateStepRequest.newBuilder().setJobId(job).setOverlap(true).build();

        assertThatThrownBy(() -> bob.createStep(step)).hasMessageContaining("denied");
        assertThat(alice.createStep(step).getCreated().getLaunchesCount()).isEqualTo(1);
    }

    @Test
    void nobodyReadsTheScriptOfAnother() {
        var script = GetScriptRequest.newBuilder().setJobId(submit(true)).build();

        assertThatThrownBy(() -> bob.getScript(script)).hasMessageContaining("denied");
        assertThat(alice.getScript(script).getScript().toStringUtf8()).startsWith("#!/bin/sh");
    }

    private static JobActionOutcome signal(ControllerBlockingStub caller, int job) {
        return caller.signalJobs(
                        SignalJobsRequest.newBuilder()
                                .addIds("" + job)
                                .setSignal(USR1)
                                .setTarget(SignalTarget.SIGNAL_TARGET_FULL)
                                .build())
                .getResults(0)
                .getOutcome();
    }

    private int submit(boolean held) {
        return alice.submitJob(
                        SubmitJobRequest.newBuilder()
                                .setSpec(
                                        JobSpec.newBuilder()
                                                .setName("hers")
                                                .setWorkDir("/home/alice")
                                                .setHold(held))
                                .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                                .build())
                .getJobId();
    }
}
