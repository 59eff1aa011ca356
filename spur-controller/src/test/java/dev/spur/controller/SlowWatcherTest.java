package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.WatchJobRequest;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Whoever watches a job and reads slowly, or not at all.
@Timeout(60)
class SlowWatcherTest {
    @TempDir Path directory;

    private InProcessController controller;
    private ControllerBlockingStub alice;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
        alice = controller.as("alice", 1002);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void aSlowWatcherHearsHowTheJobIsAndNotAllThatItWas() throws Exception {
        var id = submit("");
        var watch = new Reading(id, false);
        assertThat(watch.next().getJob().getComment()).isEmpty();

        for (var i = 1; i <= 200; i++) {
            comment(id, "change " + i);
        }
        var second = watch.next();
        cancel(id);
        var last = watch.next();

        assertThat(second.getJob().getComment()).isEqualTo("change 200");
        assertThat(last.getEnded()).isTrue();
        assertThat(last.getJob().getState()).isEqualTo("CANCELLED");
        watch.call.request(10);
        assertThat(watch.end.get().isOk()).isTrue();
        assertThat(watch.updates).isEmpty();
    }

    @Test
    void everyTaskOfAnArrayIsToldOnceItHasEndedHoweverSlowTheReader() throws Exception {
        var id = submit("1-20");
        var watch = new Reading(id, true);
        var first = watch.next();
        IntStream.rangeClosed(1, 20).forEach(task -> cancel(id + "_" + task));

        var tasks = new HashSet<Integer>();
        var updates = new ArrayList<JobUpdate>();
        for (var update = first; !update.getEnded(); update = watch.next()) {
            updates.add(update);
            tasks.add(update.getJob().getJobId());
        }

        assertThat(tasks).hasSizeGreaterThanOrEqualTo(19);
        assertThat(updates).hasSizeLessThan(60);
    }

    @Test
    void whatIsNotKnownCannotBeWatched() {
        var nothing = WatchJobRequest.newBuilder().setJobId(4711).build();

        assertThatThrownBy(() -> alice.watchJob(nothing).hasNext())
                .hasMessageContaining("Invalid job id specified");
    }

    /// Takes one update after the other, each only when it is asked for.
    private final class Reading {
        final BlockingQueue<JobUpdate> updates = new LinkedBlockingQueue<>();
        final CompletableFuture<Status> end = new CompletableFuture<>();
        final ClientCall<WatchJobRequest, JobUpdate> call;

        Reading(String job, boolean tasks) {
            call =
                    ClientInterceptors.intercept(alice.getChannel())
                            .newCall(ControllerGrpc.getWatchJobMethod(), alice.getCallOptions());
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onMessage(JobUpdate update) {
                            updates.add(update);
                        }

                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            end.complete(status);
                        }
                    },
                    new Metadata());
            call.sendMessage(
                    WatchJobRequest.newBuilder()
                            .setJobId(Integer.parseInt(job))
                            .setIncludeArrayTasks(tasks)
                            .build());
            call.halfClose();
        }

        JobUpdate next() throws InterruptedException {
            call.request(1);
            return updates.take();
        }
    }

    private String submit(String array) {
        var spec =
                JobSpec.newBuilder()
                        .setName("watched")
                        .setWorkDir("/home/alice")
                        .setArray(array)
                        .setHold(true);
        return Integer.toString(
                alice.submitJob(
                                SubmitJobRequest.newBuilder()
                                        .setSpec(spec)
                                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                                        .build())
                        .getJobId());
    }

    private void comment(String id, String text) {
        alice.updateJobs(
                UpdateJobsRequest.newBuilder().addIds(id).putChanges("Comment", text).build());
    }

    private void cancel(String id) {
        alice.cancelJobs(CancelJobsRequest.newBuilder().addIds(id).build());
    }
}
