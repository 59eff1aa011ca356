package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.GetStepUsageReply;
import dev.spur.api.v1.GetStepUsageRequest;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.model.StepId;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What running steps use, asked of their nodes.
@Timeout(60)
class LiveUsageTest {
    @TempDir Path directory;

    private InProcessController controller;
    private ControllerBlockingStub alice;
    private PretendAgent one;
    private PretendAgent two;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
        alice = controller.as("alice", 1002);
        one = controller.agent("node1");
        two = controller.agent("node2");
        one.welcome.join();
        two.welcome.join();
        one.uses(used(0, 100));
        two.uses(used(1, 300));
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    private static StepUsage used(int task, int kibibytes) {
        return StepUsage.newBuilder()
                .setTasks(1)
                .setUserMicros(2_000_000)
                .setMaxRssKb(kibibytes)
                .setMaxRssTask(task)
                .setTotalRssKb(kibibytes)
                .build();
    }

    /// A job on both nodes, with a step on both.
    private int start(boolean withStep) throws Exception {
        var job =
                alice.submitJob(
                                SubmitJobRequest.newBuilder()
                                        .setSpec(
                                                JobSpec.newBuilder()
                                                        .setName("hers")
                                                        .setWorkDir("/home/alice")
                                                        .addComponents(
                                                                ResourceRequest.newBuilder()
                                                                        .setMinNodes(2)
                                                                        .setMaxNodes(2)
                                                                        .setTasks(2)))
                                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                                        .build())
                        .getJobId();
        one.launched.take();
        if (withStep) {
            alice.createStep(
                    CreateStepRequest.newBuilder()
                            .setJobId(job)
                            .setNodes(2)
                            .setTasks(2)
                            .setOverlap(true)
                            .build());
        }
        return job;
    }

    private static GetStepUsageReply usage(
            ControllerBlockingStub caller, boolean all, String... ids) {
        var request = GetStepUsageRequest.newBuilder().setAllSteps(all).setPids(true);
        for (var id : ids) {
            request.addIds(id);
        }
        return caller.getStepUsage(request.build());
    }

    @Test
    void usageIsThatOfAllNodesTogether() throws Exception {
        var job = start(true);

        var reply = usage(alice, false, "" + job);

        assertThat(reply.getStepsList()).hasSize(1);
        var step = reply.getSteps(0);
        assertThat(step.getStepId()).isZero();
        assertThat(step.getSilentNodesList()).isEmpty();
        assertThat(step.getPidsList()).hasSize(2);
        assertThat(step.getUsage())
                .returns(4_000_000L, StepUsage::getUserMicros)
                .returns(300L, StepUsage::getMaxRssKb)
                .returns("node2", StepUsage::getMaxRssNode)
                .returns(1, StepUsage::getMaxRssTask)
                .returns(200L, StepUsage::getAveRssKb)
                .returns(2, StepUsage::getTasks);
    }

    @Test
    void allStepsOfAJobBeginWithItsScript() throws Exception {
        var job = start(true);

        assertThat(usage(alice, true, "" + job).getStepsList())
                .extracting(step -> new StepId(step.getStepId()).toString())
                .containsExactly("batch", "0");
    }

    @Test
    void scriptIsMeantWhereNoOtherStepRuns() throws Exception {
        var job = start(false);

        assertThat(usage(alice, false, "" + job).getStepsList())
                .extracting(step -> new StepId(step.getStepId()).toString())
                .containsExactly("batch");
    }

    @Test
    void nodeThatDoesNotAnswerIsNamed() throws Exception {
        var job = start(true);
        two.hangUp();

        var step = usage(alice, false, job + ".0").getSteps(0);

        assertThat(step.getSilentNodesList()).containsExactly("node2");
        assertThat(step.getUsage().getMaxRssNode()).isEqualTo("node1");
    }

    @Test
    void nobodyHearsWhatAnothersJobUses() throws Exception {
        var job = start(false);

        var reply = usage(controller.as("bob", 1003), true, "" + job);

        assertThat(reply.getStepsList()).isEmpty();
        assertThat(reply.getDeniedList()).containsExactly("" + job);
    }

    @Test
    void whatDoesNotRunIsTold() throws Exception {
        var job = start(false);

        var reply = usage(alice, true, "4711", job + ".7");

        assertThat(reply.getUnknownList()).containsExactly("4711");
        assertThat(reply.getIdleList()).containsExactly(job + ".7");
        assertThat(reply.getStepsList()).isEmpty();
    }

    @Test
    void somethingHasToBeNamed() {
        assertThatThrownBy(() -> usage(alice, true)).hasMessageContaining("which jobs");
    }
}
