package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AcceptedJobsTest {
    private static final int CALLERS = 8;
    private static final int JOBS = 1_000;

    private final RealCluster cluster = RealCluster.start(1);

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void whatWasAnsweredIsThereWhenTheControllerIsKilledRightAfter() throws Exception {
        var accepted = new ConcurrentSkipListSet<Integer>();
        try (var callers = Executors.newFixedThreadPool(CALLERS)) {
            var running = new ArrayList<Future<?>>();
            for (var caller = 0; caller < CALLERS; caller++) {
                var number = caller;
                running.add(
                        callers.submit(() -> {
                            for (var i = 0; i < JOBS / CALLERS; i++) {
                                accepted.add(submit("%d-%d".formatted(number, i)));
                            }
                        }));
            }
            for (var one : running) {
                one.get();
            }
        }
        cluster.kill("spurctld");

        assertThat(accepted).hasSize(JOBS);
        assertThat(jobs()).extracting(Job::getJobId).containsExactlyElementsOf(accepted);
    }

    private int submit(String requestId) {
        var request =
                SubmitJobRequest.newBuilder()
                        .setRequestId(requestId)
                        .setSpec(
                                JobSpec.newBuilder()
                                        .setName("held")
                                        .setWorkDir("/tmp")
                                        .setHold(true)
                                        .addComponents(
                                                ResourceRequest.newBuilder()
                                                        .setMinNodes(1)
                                                        .setMaxNodes(1)
                                                        .setTasks(1)
                                                        .setCpusPerTask(1)))
                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\ntrue\n"))
                        .build();
        return cluster.client().call(c -> c.submitJob(request)).getJobId();
    }

    private List<Job> jobs() {
        var found = new ArrayList<Job>();
        cluster.client()
                .each(
                        c -> c.listJobs(ListJobsRequest.newBuilder().addStates("PENDING").build()),
                        page -> found.addAll(page.getJobsList()));
        found.sort(java.util.Comparator.comparingInt(Job::getJobId));
        return found;
    }
}
