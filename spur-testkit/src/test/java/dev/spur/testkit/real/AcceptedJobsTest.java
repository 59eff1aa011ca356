package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.runtime.host.Users;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

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
        var answers = submitAll();
        cluster.kill("spurctld");

        assertThat(answers).hasSize(JOBS);
        assertThat(jobs())
                .extracting(Job::getJobId)
                .containsExactlyElementsOf(answers.stream().map(Answer::job).sorted().toList());
    }

    /// Eight at a time share entries of the log, and so its writing.
    @Test
    @EnabledIf(value = "canTrace", disabledReason = "needs root and Debian's package strace")
    void everyAnswerComesAfterItsEntryOfTheLogWasForcedToDisk() throws Exception {
        List<DiskTrace.Forced> forced;
        List<Answer> answers;
        try (var trace = DiskTrace.of(cluster.local().daemon("spurctld").pid())) {
            answers = submitAll();
            forced = trace.end();
        }

        assertThat(answers).hasSize(JOBS);
        var log = forced.stream().filter(one -> one.file().contains("/log_inprogress")).toList();
        assertThat(answers)
                .allSatisfy(answer ->
                        assertThat(log)
                                .anyMatch(one ->
                                        one.begin().isAfter(answer.asked())
                                                && one.end().isBefore(answer.told())));
    }

    static boolean canTrace() {
        return Users.currentUid() == 0 && DiskTrace.isInstalled();
    }

    private record Answer(int job, Instant asked, Instant told) {}

    private List<Answer> submitAll() throws Exception {
        var answers = new ArrayList<Answer>();
        try (var callers = Executors.newFixedThreadPool(CALLERS)) {
            var running = new ArrayList<Future<List<Answer>>>();
            for (var caller = 0; caller < CALLERS; caller++) {
                var number = caller;
                running.add(callers.submit(() -> submitSome(number)));
            }
            for (var one : running) {
                answers.addAll(one.get());
            }
        }
        return answers;
    }

    private List<Answer> submitSome(int caller) {
        var answers = new ArrayList<Answer>();
        for (var i = 0; i < JOBS / CALLERS; i++) {
            var asked = Instant.now();
            var job = submit("%d-%d".formatted(caller, i));
            answers.add(new Answer(job, asked, Instant.now()));
        }
        return answers;
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
