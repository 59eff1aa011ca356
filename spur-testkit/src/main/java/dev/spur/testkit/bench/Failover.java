package dev.spur.testkit.bench;

import com.google.protobuf.ByteString;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.model.ErrorCode;
import dev.spur.testkit.real.Eventually;
import dev.spur.testkit.real.RealCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/// Jobs are submitted at random moments to three real controllers while whoever leads is killed
/// every few seconds, and once two of the three at the same time. Then every acknowledged job must
/// have run exactly once. Prints how long it took after each kill until the cluster answered again.
///
///     Failover --home spur-dist/target/spur [--jobs 5000] [--seed 1] [--every 4] [--submitters 4]
public final class Failover {
    private static final Duration JOBS_END_WITHIN = Duration.ofMinutes(30);

    private final RealCluster cluster;
    private final Path runs;
    private final Random random;
    private final AtomicInteger accepted = new AtomicInteger();
    private final List<Duration> silences = new ArrayList<>();

    private Failover(RealCluster cluster, Path runs, Random random) {
        this.cluster = cluster;
        this.runs = runs;
        this.random = random;
    }

    static void main(String... arguments) throws Exception {
        var settings = Settings.of(arguments);
        var home = Path.of(settings.required("home")).toAbsolutePath();
        var jobs = settings.number("jobs", 5_000);
        var seed = settings.number("seed", 1);
        boolean isWell;
        try (var cluster = RealCluster.start(home, 3, 4, null)) {
            var runs = Files.createDirectory(cluster.work().resolve("runs"));
            var failover = new Failover(cluster, runs, new Random(seed));
            isWell =
                    failover.run(
                            jobs, settings.number("submitters", 4), settings.number("every", 4));
        }
        System.exit(isWell ? 0 : 1); // when nothing of the cluster is left
    }

    private boolean run(int jobs, int submitters, int every) throws Exception {
        var begin = System.nanoTime();
        try (var users = Executors.newVirtualThreadPerTaskExecutor()) {
            var working = new ArrayList<Future<?>>();
            for (var user = 0; user < submitters; user++) {
                var number = user;
                var share = jobs / submitters + (user < jobs % submitters ? 1 : 0);
                working.add(users.submit(() -> submit(number, share)));
            }
            for (var kills = 1; !working.stream().allMatch(Future::isDone); kills++) {
                Thread.sleep(Duration.ofMillis(every * 500L + random.nextInt(every * 1_000)));
                if (kills == 5) {
                    killMajority();
                } else {
                    killLeader();
                }
            }
            for (var user : working) {
                user.get();
            }
        }
        var submitted = Duration.ofNanos(System.nanoTime() - begin);
        Eventually.until(JOBS_END_WITHIN, () -> live() == 0, () -> live() + " jobs have not ended");
        return report(jobs, submitted, Duration.ofNanos(System.nanoTime() - begin));
    }

    private void submit(int user, int share) {
        var own = new Random(user);
        for (var n = 0; n < share; n++) {
            var file = runs.resolve("%d-%d".formatted(user, n));
            var request =
                    Submissions.fresh(Submissions.job(false)).toBuilder()
                            .setScript(
                                    ByteString.copyFromUtf8(
                                            "#!/bin/sh\necho $SLURM_JOB_ID >> %s\n"
                                                    .formatted(file)))
                            .build();
            insist(request);
            accepted.incrementAndGet();
            pause(own.nextInt(60));
        }
    }

    /// Also while too few controllers are up, which users are told at once, and where the outcome
    /// is not known: the same request again, so that it acts once.
    private void insist(SubmitJobRequest request) {
        while (true) {
            try {
                patient().call(c -> c.submitJob(request));
                return;
            } catch (ControllerException e) {
                if (e.kind() == ControllerException.Kind.REFUSED
                        && !e.code().equals(ErrorCode.NO_MAJORITY.name())) {
                    throw e;
                }
                pause(200);
            }
        }
    }

    private ControllerClient patient() {
        return cluster.client();
    }

    private void killLeader() {
        var leader = cluster.leader();
        cluster.kill(leader);
        silences.add(untilAnswer());
    }

    /// The one that is left says why nothing goes on; the others come back by themselves.
    private void killMajority() {
        var leader = cluster.leader();
        cluster.kill(leader);
        cluster.kill(leader.equals("spurctld") ? "spurctld2" : "spurctld");
        var silence = untilAnswer();
        System.out.printf(
                "two of three killed at once: answered after %d ms%n", silence.toMillis());
    }

    /// Asked at once, as a user would who has bad luck.
    private Duration untilAnswer() {
        var begin = System.nanoTime();
        Eventually.until(
                Duration.ofMinutes(2),
                () -> {
                    try {
                        patient()
                                .call(c ->
                                        c.listPartitions(
                                                ListPartitionsRequest.getDefaultInstance()));
                        return true;
                    } catch (ControllerException e) {
                        return false;
                    }
                },
                () -> "no controller answers");
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private int live() {
        var request =
                ListJobsRequest.newBuilder()
                        .addAllStates(List.of("PENDING", "RUNNING", "COMPLETING"))
                        .build();
        var count = new AtomicInteger();
        patient().each(c -> c.listJobs(request), page -> count.addAndGet(page.getJobsCount()));
        return count.get();
    }

    private boolean report(int jobs, Duration submitted, Duration all) throws IOException {
        var once = 0;
        var wrong = new ArrayList<String>();
        try (var files = Files.list(runs)) {
            for (var file : files.toList()) {
                var lines = Files.readAllLines(file).size();
                if (lines == 1) {
                    once++;
                } else {
                    wrong.add("%s ran %d times".formatted(file.getFileName(), lines));
                }
            }
        }
        System.out.printf(
                "%,d jobs accepted in %d s, all ended after %d s; %,d ran exactly once%n",
                accepted.get(), submitted.toSeconds(), all.toSeconds(), once);
        wrong.forEach(System.out::println);
        var sorted = silences.stream().sorted().toList();
        System.out.printf("leaders killed: %d%n", sorted.size());
        for (var percent : List.of(0, 25, 50, 75, 90, 95, 100)) {
            System.out.printf(
                    "  %3d %% answered again within %,6d ms%n",
                    percent, at(sorted, percent).toMillis());
        }
        return once == jobs && accepted.get() == jobs && wrong.isEmpty();
    }

    private static Duration at(List<Duration> sorted, int percent) {
        return sorted.isEmpty()
                ? Duration.ZERO
                : sorted.get((int) Math.round((sorted.size() - 1) * percent / 100.0));
    }

    private static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
