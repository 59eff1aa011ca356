package dev.spur.controller.scheduling;

import static dev.spur.model.fixture.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.raft.BusyException;
import dev.spur.engine.codec.CommandCodec;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Snapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchedulingLoopTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir private Path directory;

    private LeaderFixture leader;
    private CountingPlanner planner;
    private SchedulingLoop loop;

    /// Decides as usual and counts how often.
    private static final class CountingPlanner implements SchedulingLoop.Planner {
        private final BackfillPass pass = new BackfillPass();
        private int calls;
        private boolean broken;

        @Override
        public List<Decision> startNow(Snapshot cluster, Instant now) {
            count();
            return pass.startNow(cluster, now);
        }

        @Override
        public List<Decision> plan(Snapshot cluster, Instant now) {
            count();
            return pass.plan(cluster, now);
        }

        @Override
        public void tellAgain() {
            pass.tellAgain();
        }

        private void count() {
            calls++;
            if (broken) {
                throw new IllegalStateException("planted");
            }
        }
    }

    @BeforeEach
    void begin() throws IOException {
        leader = new LeaderFixture(directory, 4);
        planner = new CountingPlanner();
        loop =
                new SchedulingLoop(
                        leader.state,
                        leader.feed,
                        leader.proposals,
                        planner,
                        new Plan(leader.state),
                        leader.time,
                        leader.time,
                        SECOND);
    }

    @Test
    void aSubmittedJobStartsAtOnce() throws Exception {
        try (var _ = loop.lead(1)) {
            leader.time.settle();
            var id = leader.submit(job());

            leader.time.settle();

            assertThat(leader.job(id).hasNodes()).isTrue();
        }
    }

    @Test
    void nothingIsDecidedBeforeTheLastStartsAreRecorded() throws Exception {
        try (var _ = loop.lead(1)) {
            leader.time.settle();
            leader.submit(job());
            leader.log.slow();
            leader.time.settle();
            var calls = planner.calls;

            leader.time.advance(SECOND.multipliedBy(5));
            assertThat(planner.calls).isEqualTo(calls);

            leader.log.record();
            leader.time.advance(SECOND);
            assertThat(leader.running()).hasSize(1);
        }
    }

    @Test
    void aLogThatRecordsNothingIsAskedLessAndLessOften() throws Exception {
        try (var _ = loop.lead(1)) {
            leader.submit(job());
            leader.log.fail(new BusyException());

            leader.time.advance(SECOND.multipliedBy(60));

            assertThat(leader.log.proposed(Command.StartJobs.class)).hasSizeBetween(5, 15);
            assertThat(planner.calls).isLessThan(20);
        }
    }

    @Test
    void whatCouldNotBeRecordedStartsWhenTheLogIsWellAgain() throws Exception {
        try (var _ = loop.lead(1)) {
            var id = leader.submit(job());
            leader.log.fail(new BusyException());
            leader.time.advance(SECOND.multipliedBy(60));

            leader.log.mend();
            leader.time.advance(SECOND.multipliedBy(10));

            assertThat(leader.job(id).hasNodes()).isTrue();
        }
    }

    @Test
    void aPauseOfAnEarlierLeadershipDoesNotDelayTheNext() throws Exception {
        var id = leader.submit(job());
        leader.log.fail(new BusyException());
        try (var _ = loop.lead(1)) {
            leader.time.advance(SECOND.multipliedBy(60));
        }
        leader.log.mend();

        try (var _ = loop.lead(2)) {
            leader.time.settle();

            assertThat(leader.job(id).hasNodes()).isTrue();
        }
    }

    @Test
    void aPassThatFailsIsTriedAgain() throws Exception {
        try (var _ = loop.lead(1)) {
            planner.broken = true;
            var id = leader.submit(job());
            leader.time.advance(SECOND.multipliedBy(60));
            assertThat(planner.calls).isBetween(2, 20);

            planner.broken = false;
            leader.time.advance(SECOND.multipliedBy(10));

            assertThat(leader.job(id).hasNodes()).isTrue();
        }
    }

    @Test
    void manyStartsAreSeveralEntriesOfBoundedSize() throws Exception {
        leader = new LeaderFixture(directory.resolve("many"), 400);
        for (var i = 0; i < 2_500; i++) {
            leader.submit(job());
        }
        begin(leader);

        try (var _ = loop.lead(1)) {
            leader.time.settle();

            var entries = leader.log.proposed(Command.StartJobs.class);
            assertThat(entries).hasSize(3);
            assertThat(entries)
                    .allSatisfy(entry -> {
                        assertThat(entry.starts()).hasSizeLessThanOrEqualTo(1_000);
                        assertThat(CommandCodec.encode(List.of(entry))).hasSizeLessThan(1 << 20);
                    });
            assertThat(leader.running()).hasSize(2_500);
        }
    }

    @Test
    void wideStartsAreSeveralEntriesOfBoundedSize() throws Exception {
        leader = new LeaderFixture(directory.resolve("wide"), 3_000);
        for (var i = 0; i < 8; i++) {
            leader.submit(job().nodes(3_000));
        }
        begin(leader);

        try (var _ = loop.lead(1)) {
            leader.time.settle();

            var entries = leader.log.proposed(Command.StartJobs.class);
            assertThat(entries).hasSizeGreaterThan(1);
            assertThat(entries)
                    .allSatisfy(entry ->
                            assertThat(CommandCodec.encode(List.of(entry)))
                                    .hasSizeLessThan(1 << 20));
            assertThat(leader.running()).hasSize(8);
        }
    }

    private void begin(LeaderFixture other) {
        loop =
                new SchedulingLoop(
                        other.state,
                        other.feed,
                        other.proposals,
                        planner,
                        new Plan(other.state),
                        other.time,
                        other.time,
                        SECOND);
    }
}
