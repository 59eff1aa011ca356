package dev.spur.testkit.real;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.Node;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// An administrator pulls the plug on anything, at any moment, while users go on working.
class PullingThePlugTest {
    private static final int KILLS = 50;
    private static final int SUBMITTERS = 3;
    private static final int JOBS_EACH = 120;

    private final RealCluster cluster = RealCluster.start(4);
    private final Path runs = cluster.work().resolve("runs");

    @AfterEach
    void stop() {
        cluster.close();
    }

    /// What a user was promised: the id that sbatch printed, and what the job will exit with.
    private record Promise(int id, int exitCode) {}

    @Test
    void noAcknowledgedJobIsLostOrRunTwiceWhileDaemonsAreKilledAtRandom() throws Exception {
        Files.createDirectory(runs);
        var random = new Random(20_261_115);
        var promises = Collections.<Integer, Promise>synchronizedMap(new ConcurrentHashMap<>());

        try (var users = Executors.newVirtualThreadPerTaskExecutor()) {
            var submitters = new ArrayList<Future<?>>();
            for (var user = 0; user < SUBMITTERS; user++) {
                var number = user;
                submitters.add(users.submit(() -> submit(number, promises)));
            }
            for (var kill = 0; kill < KILLS; kill++) {
                var victim = random.nextInt(5);
                cluster.kill(victim == 0 ? "spurctld" : "node" + victim);
                awaitProgress(promises.size(), submitters);
            }
            for (var submitter : submitters) {
                submitter.get();
            }
        }

        assertThat(promises).hasSize(SUBMITTERS * JOBS_EACH);
        Eventually.until(
                Duration.ofMinutes(3), () -> live() == 0, () -> live() + " jobs have not ended");
        var ended = jobs("ALL").stream().collect(toMap(Job::getJobId, job -> job));
        assertThat(ended.keySet()).containsAll(promises.keySet());
        promises.values()
                .forEach(promise ->
                        assertKept(promise, Objects.requireNonNull(ended.get(promise.id()))));
        Eventually.until(
                () ->
                        nodes().stream()
                                .allMatch(node ->
                                        node.getAllocCpus() == 0 && node.getState().equals("IDLE")),
                () -> "resources are still taken: " + nodes());
    }

    private void submit(int user, Map<Integer, Promise> promises) {
        for (var n = 0; n < JOBS_EACH; n++) {
            var exitCode = n % 7 == 3 ? 3 : 0;
            var script =
                    "echo ran >> %s/$SLURM_JOB_ID; %s exit %d"
                            .formatted(runs, n % 5 == 0 ? "sleep 0.3;" : "", exitCode);
            var ran =
                    cluster.run(
                            "sbatch",
                            "--parsable",
                            "-o",
                            "/dev/null",
                            "-J",
                            "u" + user,
                            "--wrap",
                            script);
            assertThat(ran.exitCode()).as(ran.err()).isZero();
            var id = Integer.parseInt(ran.out().strip());
            assertThat(promises.put(id, new Promise(id, exitCode)))
                    .as("job id %d was given twice", id)
                    .isNull();
        }
    }

    /// Lets the users get on a little, so that the kills spread over the whole run.
    private void awaitProgress(int before, List<Future<?>> submitters) {
        Eventually.until(
                Duration.ofMinutes(1),
                () -> submitters.stream().allMatch(Future::isDone) || promised() > before + 2,
                () -> "nobody gets a job in any more");
    }

    private int promised() {
        return jobs("ALL").size();
    }

    private void assertKept(Promise promise, Job job) {
        assertThat(job.getState())
                .as("job %d", promise.id())
                .isEqualTo(promise.exitCode() == 0 ? "COMPLETED" : "FAILED");
        assertThat(job.getExitCode()).as("job %d", promise.id()).isEqualTo(promise.exitCode());
        assertThat(runs.resolve(Integer.toString(promise.id()))).content().isEqualTo("ran\n");
    }

    private long live() {
        return jobs("PENDING", "RUNNING", "COMPLETING", "CONFIGURING").size();
    }

    private List<Job> jobs(String... states) {
        var found = new ArrayList<Job>();
        cluster.client()
                .each(
                        c ->
                                c.listJobs(
                                        ListJobsRequest.newBuilder()
                                                .addAllStates(List.of(states))
                                                .build()),
                        page -> found.addAll(page.getJobsList()));
        return found;
    }

    private List<Node> nodes() {
        return cluster.client()
                .call(c -> c.listNodes(ListNodesRequest.getDefaultInstance()))
                .getNodesList();
    }
}
