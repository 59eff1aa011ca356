package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.runtime.config.ConfigFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Jobs of a hidden partition, as `squeue` asks for them with and without `-a`.
@Timeout(60)
class HiddenPartitionTest {
    @TempDir Path directory;

    private InProcessController controller;

    @BeforeEach
    void start() throws Exception {
        var config =
                InProcessController.CONFIG
                        + """

                        [[partitions]]
                        name = "secret"
                        nodes = "node1"
                        hidden = true
                        """;
        var file = Files.writeString(directory.resolve("spur.conf"), config);
        controller = new InProcessController(directory, () -> ConfigFile.load(file));
        submit(controller.as("alice", 1000), "debug");
        submit(controller.as("alice", 1000), "secret");
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void areHiddenFromUsersWhoDoNotAskForAll() throws Exception {
        assertThat(partitions(controller.as("alice", 1000), true)).containsExactly("debug");
        assertThat(partitions(controller.as("alice", 1000), false))
                .containsExactly("debug", "secret");
    }

    @Test
    void areNeverHiddenFromRoot() throws Exception {
        assertThat(partitions(controller.as("root", 0), true)).containsExactly("debug", "secret");
    }

    private static List<String> partitions(ControllerBlockingStub caller, boolean hideHidden) {
        var found = new ArrayList<String>();
        caller.listJobs(ListJobsRequest.newBuilder().setHideHidden(hideHidden).build())
                .forEachRemaining(page ->
                        page.getJobsList().stream().map(Job::getPartition).forEach(found::add));
        return found;
    }

    private static void submit(ControllerBlockingStub caller, String partition) {
        var spec =
                JobSpec.newBuilder()
                        .setName(partition)
                        .addPartitions(partition)
                        .setHold(true)
                        .addComponents(ResourceRequest.newBuilder().setTasks(1));
        var _ =
                caller.submitJob(
                        SubmitJobRequest.newBuilder()
                                .setRequestId(partition)
                                .setSpec(spec)
                                .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                                .build());
    }
}
