package dev.spur.engine.scheduling;

import static dev.spur.engine.fixture.ReservationFixture.reservation;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.model.fixture.JobFixture;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/// How much a pass looks at, counted, so that the machine does not matter.
class PassEffortTest {
    private static final int NODES = 60;
    private static final int JOBS = 200;

    @Test
    void devicesOfTheWholeJobArePlannedWithAsLittleEffortAsDevicesOfANode() {
        var perNode = full((job, count) -> job.gpus(count));
        var perJob = full((job, count) -> job.gpusOfJob(count));

        assertThat(looks(perJob)).isLessThan(3 * looks(perNode));
    }

    @Test
    void aPassEndsWhenItHasLookedAtAsMuchAsItMay() {
        // Nodes that a job must have among others are the kind that is hard to plan.
        var hard = full((job, count) -> job.on("node" + (1 + count)).nodes(3).tasks(5));
        var free = looks(hard);
        var bound = free / 4;

        var pass = new BackfillPass(new BackfillPass.Bounds(JOBS, JOBS, bound));
        var decisions = pass.plan(hard.snapshot(), hard.now());

        assertThat(pass.looks()).isBetween(bound / 2, 2 * bound);
        assertThat(expectedStarts(decisions)).isPositive().isLessThan(JOBS);
    }

    @Test
    void aJobThatFitsNowStartsBehindThoseForWhomNothingIsReservedAnyMore() {
        var heart = full((job, count) -> job.on("node" + (1 + count)).nodes(3).tasks(5));
        var fits = heart.submit(job().timeLimit(Duration.ofMinutes(1)));
        var bound = looks(heart);

        var pass = new BackfillPass(new BackfillPass.Bounds(JOBS, JOBS, bound));
        var decisions = pass.plan(heart.snapshot(), heart.now());

        assertThat(expectedStarts(decisions)).isLessThan(JOBS);
        assertThat(decisions)
                .anyMatch(one -> one instanceof Decision.Start start && start.job().equals(fits));
    }

    /// Each of them comes hundreds of times in what is looked at, and there are thousands of nodes.
    @Test
    void reservationsThatComeAgainAndAgainAreNotKeptForEachNode() {
        var heart = Heart.with(2_000, node());
        for (var i = 0; i < 3; i++) {
            heart.reserve(
                    reservation("r" + i)
                            .on("ALL")
                            .starts(heart.now().plus(Duration.ofMinutes(5 + 11 * i)))
                            .lasts(Duration.ofMinutes(10))
                            .with(ReservationFlag.HOURLY));
        }
        heart.submit(job().timeLimit(Duration.ofHours(3)));

        assertThat(allocated(() -> new BackfillPass().plan(heart.snapshot(), heart.now())))
                .isLessThan(20_000_000);
    }

    /// Bytes.
    private static long allocated(Runnable work) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static long looks(Heart heart) {
        var pass = new BackfillPass(new BackfillPass.Bounds(JOBS, JOBS, Long.MAX_VALUE));
        pass.plan(heart.snapshot(), heart.now());
        return pass.looks();
    }

    private static long expectedStarts(List<Decision> decisions) {
        return decisions.stream()
                .filter(one -> one instanceof Decision.Wait wait && wait.expectedStart() != null)
                .count();
    }

    /// Nodes that have not a GPU left until one after the other is free, and jobs that wait for
    /// them, each for a time of its own.
    private static Heart full(BiFunction<JobFixture, Integer, JobFixture> asking) {
        var random = new Random(1);
        var heart = Heart.with(NODES, node().cpus(8).gpus("tesla", 4));
        for (var i = 0; i < NODES; i++) {
            heart.submit(job().gpus(4).cpusPerTask(7).timeLimit(Duration.ofMinutes(60 + 7L * i)));
        }
        heart.schedule();
        for (var i = 0; i < JOBS; i++) {
            var job = job().timeLimit(Duration.ofMinutes(10 + random.nextInt(2_000)));
            heart.submit(asking.apply(job, 1 + random.nextInt(4)));
        }
        return heart;
    }
}
