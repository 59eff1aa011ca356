package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.Partition;
import dev.spur.api.v1.ReconfigureReply;
import dev.spur.api.v1.ReconfigureRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.runtime.config.ConfigFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `scontrol reconfigure` on a controller that serves.
@Timeout(60)
class ReconfigurationTest {
    @TempDir Path directory;

    private Path file;
    private InProcessController controller;
    private ControllerBlockingStub root;

    @BeforeEach
    void start() throws Exception {
        file = Files.writeString(directory.resolve("spur.conf"), InProcessController.CONFIG);
        controller = new InProcessController(directory, () -> ConfigFile.load(file));
        root = controller.as("root", 0);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void aNodeAndAPartitionThatWereAddedAreServed() throws Exception {
        var reply =
                reconfigureWith(
                        InProcessController.CONFIG
                                + """

                                [[partitions]]
                                name = "long"
                                nodes = "node5"

                                [[nodes]]
                                names = "node5"
                                cpus = 2
                                memory_mb = 2000
                                """);

        assertThat(reply.getAppliedList()).containsExactly("partitions", "nodes");
        assertThat(reply.getNeedRestartList()).isEmpty();
        assertThat(partitions()).containsExactly("debug", "long");
        assertThat(nodes()).containsExactly("node1", "node2", "node3", "node4", "node5");
    }

    @Test
    void aNodeAndAPartitionThatWereTakenOutAreGone() throws Exception {
        reconfigureWith(InProcessController.CONFIG.replace("node[1-4]", "node[1-3]"));

        assertThat(nodes()).containsExactly("node1", "node2", "node3");
    }

    @Test
    void administratorsArePartOfWhatTheControllersAgreeOn() throws Exception {
        var reply =
                reconfigureWith(
                        InProcessController.CONFIG
                                + """

                                [controller]
                                job_info_visibility = "full"

                                [auth]
                                admins = ["alice"]
                                """);

        assertThat(reply.getAppliedList())
                .containsExactly("administrators and operators", "visibility of jobs");
        assertThat(reply.getController()).as("nobody else could have read another").isEmpty();
        var joining = CreateJoinTokenRequest.getDefaultInstance();
        assertThat(controller.as("alice", 1002).createJoinToken(joining).getToken()).isNotEmpty();
    }

    @Test
    void aChangedLimitHoldsForTheNextJob() throws Exception {
        submitArray("0-999");

        var reply =
                reconfigureWith(
                        InProcessController.CONFIG
                                + """

                                [controller]
                                max_array_size = 100
                                """);

        assertThat(reply.getAppliedList()).containsExactly("limits and rules");
        assertThatThrownBy(() -> submitArray("0-999")).hasMessageContaining("array");
    }

    @Test
    void aBadFileIsRefusedWithItsErrorAndTheOldConfigurationStays() throws Exception {
        assertThatThrownBy(() ->
                        reconfigureWith(
                                InProcessController.CONFIG.replace("node[1-4]", "node[1-9]")
                                        + "\n[controller]\nmax_array_sise = 5\n"))
                .hasMessageContaining("max_array_sise");

        assertThat(nodes()).containsExactly("node1", "node2", "node3", "node4");
        submitArray("0-999");
    }

    @Test
    void whatNeedsARestartIsNamed() throws Exception {
        var reply =
                reconfigureWith(
                        InProcessController.CONFIG
                                + """

                                [controller]
                                listen_addr = "127.0.0.1:7000"
                                """);

        assertThat(reply.getAppliedList()).isEmpty();
        assertThat(reply.getNeedRestartList()).containsExactly("controller.listen_addr");
    }

    private ReconfigureReply reconfigureWith(String text) throws IOException {
        Files.writeString(file, text);
        return root.reconfigure(ReconfigureRequest.getDefaultInstance());
    }

    private List<String> nodes() {
        return root.listNodes(ListNodesRequest.getDefaultInstance()).getNodesList().stream()
                .map(Node::getName)
                .toList();
    }

    private List<String> partitions() {
        return root
                .listPartitions(ListPartitionsRequest.getDefaultInstance())
                .getPartitionsList()
                .stream()
                .map(Partition::getName)
                .toList();
    }

    private void submitArray(String indexes) {
        root.submitJob(
                SubmitJobRequest.newBuilder()
                        .setSpec(
                                JobSpec.newBuilder()
                                        .setName("sweep")
                                        .setArray(indexes)
                                        .setWorkDir("/tmp")
                                        .addComponents(
                                                ResourceRequest.newBuilder()
                                                        .setMinNodes(1)
                                                        .setTasks(1)))
                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\ntrue\n"))
                        .build());
    }
}
