package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.runtime.identity.HostRole;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Root of a compute or login host: health checks, prologs and cron jobs.
@Timeout(60)
class RootElsewhereTest {
    private static final CallerIdentity ROOT = new CallerIdentity.Vouched(0, 0, "root", List.of(0));

    @TempDir Path directory;

    private InProcessController controller;
    private ControllerBlockingStub onNode1;
    private ControllerBlockingStub onLogin;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
        onNode1 = controller.from(HostRole.COMPUTE, "node1", ROOT);
        onLogin = controller.from(HostRole.LOGIN, "login1", ROOT);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void itSeesQueueNodesAndPartitions() {
        for (var root : List.of(onNode1, onLogin)) {
            assertThat(root.listJobs(ListJobsRequest.getDefaultInstance()).hasNext()).isTrue();
            assertThat(root.listNodes(ListNodesRequest.getDefaultInstance()).getNodesCount())
                    .isEqualTo(4);
            assertThat(
                            root.listPartitions(ListPartitionsRequest.getDefaultInstance())
                                    .getPartitionsCount())
                    .isEqualTo(1);
        }
    }

    @Test
    void aNodeDrainsAndResumesItself() throws Exception {
        controller.agent("node1").welcome.get(10, TimeUnit.SECONDS);

        onNode1.updateNodes(update("node1", "drain"));
        assertThat(flags("node1")).contains("DRAIN");

        onNode1.updateNodes(update("node1", "resume"));
        assertThat(flags("node1")).doesNotContain("DRAIN");
    }

    @Test
    void aNodeDoesNothingToOthersAndNothingElseToItself() {
        var weight =
                UpdateNodesRequest.newBuilder().setNames("node1").putChanges("Weight", "7").build();

        for (var request :
                List.of(update("node2", "drain"), update("node[1-2]", "drain"), weight)) {
            assertThatThrownBy(() -> onNode1.updateNodes(request))
                    .hasMessageContaining("root of node1 may drain and resume that node");
        }
        assertThatThrownBy(() -> onLogin.updateNodes(update("node1", "drain")))
                .hasMessageContaining("this host (login1, role login) may not speak for root");
    }

    @Test
    void itChangesNoJobsNotEvenThoseOfRoot() throws Exception {
        var submission =
                SubmitJobRequest.newBuilder()
                        .setSpec(JobSpec.newBuilder().setName("j").setWorkDir("/").setHold(true))
                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                        .build();
        var id = controller.as("root", 0).submitJob(submission).getJobId();
        var cancel = CancelJobsRequest.newBuilder().addIds(Integer.toString(id)).build();

        assertThatThrownBy(() -> onNode1.submitJob(submission))
                .hasMessageContaining("may not speak for root");
        assertThatThrownBy(() -> onNode1.cancelJobs(cancel))
                .hasMessageContaining("may not speak for root");
    }

    private List<String> flags(String node) {
        return onLogin.listNodes(ListNodesRequest.newBuilder().addNames(node).build())
                .getNodes(0)
                .getFlagsList();
    }

    private static UpdateNodesRequest update(String nodes, String state) {
        return UpdateNodesRequest.newBuilder()
                .setNames(nodes)
                .putChanges("State", state)
                .putChanges("Reason", "nhc")
                .build();
    }
}
