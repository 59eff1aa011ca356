package dev.spur.engine.scheduling;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;

import dev.spur.engine.account.CountLimit;
import dev.spur.engine.account.TresLimit;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Lab;
import dev.spur.model.PriorityRules;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.fixture.RulesFixture;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/// Prints how long passes take. Not a test: run `main` and read; `large` as argument adds a large
/// cluster.
final class PassTiming {
    private static final int ROUNDS = 5;
    private static final BackfillPass.Bounds BOUNDS =
            new BackfillPass.Bounds(200_000, 200_000, Long.MAX_VALUE);

    private PassTiming() {}

    static void main(String[] args) {
        mixed(1_000, 10_000);
        if (List.of(args).contains("large")) {
            mixed(10_000, 100_000);
        }
        gpuJobs("--gres", 500, 2_000, false);
        gpuJobs("--gpus", 500, 2_000, true);
        identical(4, 50_000);
        oneSmallJob(1_000);
        manyAssociations(1_000, 10_000, 1_000);
    }

    private static void mixed(int nodes, int jobs) {
        var random = new Random(1);
        var heart = cluster(nodes);
        for (var i = 0; i < nodes; i++) {
            heart.submit(mixedJob(random));
        }
        heart.schedule();
        for (var i = 0; i < jobs; i++) {
            heart.submit(mixedJob(random));
        }
        time("full plan of %d mixed jobs on %d nodes".formatted(jobs, nodes), heart, true);
        time("the same, again", heart, false);
        afterOneChange(heart, JobFixture::job);
    }

    /// Every node is full, and every job asks for GPUs for a time of its own.
    private static void gpuJobs(String option, int nodes, int jobs, boolean ofJob) {
        var random = new Random(1);
        var heart = cluster(nodes);
        for (var i = 0; i < nodes; i++) {
            heart.submit(job().gpus(4).cpusPerTask(8).timeLimit(Duration.ofMinutes(60 + i)));
        }
        heart.schedule();
        for (var i = 0; i < jobs; i++) {
            var gpus = 1 + random.nextInt(4);
            var job = job().timeLimit(Duration.ofMinutes(10 + random.nextInt(2_000)));
            heart.submit(ofJob ? job.gpusOfJob(gpus) : job.gpus(gpus));
        }
        time(
                "full plan of %d jobs with %s on %d nodes".formatted(jobs, option, nodes),
                heart,
                true);
    }

    /// Limits on every level, and priorities of all factors.
    private static void manyAssociations(int nodes, int jobs, int users) {
        var random = new Random(1);
        var weights =
                new PriorityRules(
                        true,
                        1000,
                        10_000,
                        1000,
                        1000,
                        1000,
                        10,
                        Map.of("cpu", 100L),
                        Duration.ofDays(7),
                        false);
        var rules =
                RulesFixture.rules()
                        .maxJobCount(200_000)
                        .enforcingAccounts(false)
                        .priority(weights)
                        .build();
        var heart = Heart.with(nodes, node().cpus(64).memory(256_000).gpus("mi300x", 4), rules);
        for (var account = 0; account < users / 20; account++) {
            heart.accounts(
                    Lab.account("account" + account, "root"),
                    Lab.ofAccount("account" + account, Lab.most(TresLimit.GRP, 1, 4_000)));
        }
        for (var user = 0; user < users; user++) {
            heart.accounts(
                    Lab.user("user" + user, "account" + user % (users / 20)),
                    Lab.ofUser("user" + user, Lab.most(CountLimit.MAX_JOBS, 20)));
        }
        for (var i = 0; i < nodes + jobs; i++) {
            if (i == nodes) {
                heart.schedule();
                heart.advance(Duration.ofMinutes(6));
            }
            var user = random.nextInt(users);
            heart.submit(mixedJob(random).of(2_000 + user, "user" + user));
        }
        time("full plan of %d mixed jobs of %d associations".formatted(jobs, users), heart, true);
        time("the same, again", heart, false);
        afterOneChange(heart, () -> job().of(2_000, "user0"));
    }

    private static void afterOneChange(Heart heart, Supplier<JobFixture> next) {
        var pass = new BackfillPass(BOUNDS);
        pass.plan(heart.snapshot(), heart.now());
        var fastest = Long.MAX_VALUE;
        for (var round = 0; round < ROUNDS; round++) {
            heart.submit(next.get());
            var begin = cpu();
            pass.startNow(heart.snapshot(), heart.now());
            fastest = Math.min(fastest, cpu() - begin);
        }
        print("what starts after one change", fastest, 0);
    }

    private static JobFixture mixedJob(Random random) {
        var job =
                job().timeLimit(Duration.ofMinutes(10L * (1 + random.nextInt(48))))
                        .memoryPerCpu(500L * (1 + random.nextInt(4)));
        return switch (random.nextInt(4)) {
            case 0 -> job.cpusPerTask(1 + random.nextInt(16));
            case 1 -> job.nodes(1 + random.nextInt(16)).tasksPerNode(1 + random.nextInt(32));
            case 2 -> job.tasks(1 + random.nextInt(256));
            default -> job.gpus(1 + random.nextInt(4)).cpusPerTask(4);
        };
    }

    private static void identical(int nodes, int jobs) {
        var heart = cluster(nodes);
        for (var i = 0; i < jobs; i++) {
            heart.submit(job());
        }
        heart.schedule();
        time("full plan of %d identical jobs on %d nodes".formatted(jobs, nodes), heart, true);
        time("the same, again", heart, false);
    }

    private static void oneSmallJob(int nodes) {
        var heart = cluster(nodes);
        var pass = new BackfillPass(BOUNDS);
        pass.plan(heart.snapshot(), heart.now());
        var fastest = Long.MAX_VALUE;
        for (var i = 0; i < 2_000; i++) {
            heart.submit(job());
            var snapshot = heart.snapshot();
            var begin = cpu();
            var decisions = pass.plan(snapshot, heart.now());
            fastest = Math.min(fastest, cpu() - begin);
            StartCommands.of(snapshot, decisions, heart.now()).forEach(heart::apply);
        }
        print("one small job on %d nodes".formatted(nodes), fastest, 1);
    }

    /// Of this thread, so that a busy machine does not count.
    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Heart cluster(int nodes) {
        var rules = RulesFixture.rules().maxJobCount(200_000).build();
        return Heart.with(nodes, node().cpus(64).memory(256_000).gpus("mi300x", 4), rules);
    }

    private static void time(String what, Heart heart, boolean fresh) {
        var kept = new BackfillPass(BOUNDS);
        var fastest = Long.MAX_VALUE;
        var decisions = 0;
        var looks = 0L;
        for (var round = 0; round < ROUNDS; round++) {
            var pass = fresh ? new BackfillPass(BOUNDS) : kept;
            var begin = cpu();
            decisions = pass.plan(heart.snapshot(), heart.now()).size();
            fastest = Math.min(fastest, cpu() - begin);
            looks = pass.looks();
        }
        print(what, fastest, decisions);
        System.out.printf("    %,d looks, %.1f ns each%n", looks, (double) fastest / looks);
    }

    private static void print(String what, long nanos, int decisions) {
        System.out.printf("%-50s %10.3f ms %8d decisions%n", what, nanos / 1e6, decisions);
    }
}
