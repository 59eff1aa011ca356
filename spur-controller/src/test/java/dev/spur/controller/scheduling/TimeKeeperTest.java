package dev.spur.controller.scheduling;

import static dev.spur.model.fixture.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.raft.BusyException;
import dev.spur.engine.state.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimeKeeperTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir private Path directory;

    private LeaderFixture leader;
    private TimeKeeper keeper;

    @BeforeEach
    void begin() throws IOException {
        leader = new LeaderFixture(directory, 1);
        keeper =
                new TimeKeeper(
                        leader.state, leader.feed, leader.proposals, leader.time, leader.time);
    }

    @Test
    void aLeaderSaysFirstThatItTookOver() throws Exception {
        try (var _ = keeper.lead(1)) {
            assertThat(leader.log.proposed(Command.LeaderTookOver.class)).hasSize(1);
        }
    }

    @Test
    void aJobThatWaitsForATimeIsToldWhenItHasCome() throws Exception {
        try (var _ = keeper.lead(1)) {
            var id = leader.submit(job().begin(leader.time.instant().plus(MINUTE)));

            leader.time.advance(MINUTE.minusSeconds(1));
            assertThat(leader.job(id).queueing().notBefore()).isNotNull();

            leader.time.advance(Duration.ofSeconds(2));
            assertThat(leader.job(id).queueing().notBefore()).isNull();
        }
    }

    @Test
    void nobodyIsToldThatTimePassesWhileNothingWaitsForIt() throws Exception {
        try (var _ = keeper.lead(1)) {
            leader.time.settle();
            var before = leader.log.proposed(Command.AdvanceTime.class).size();

            leader.time.advance(MINUTE.multipliedBy(60));

            assertThat(leader.log.proposed(Command.AdvanceTime.class).size() - before)
                    .isLessThan(3);
        }
    }

    @Test
    void anEarlierAlarmIsNotMissedBehindALaterOne() throws Exception {
        try (var _ = keeper.lead(1)) {
            leader.submit(job().begin(leader.time.instant().plus(MINUTE.multipliedBy(10))));
            leader.time.settle();
            var soon = leader.submit(job().begin(leader.time.instant().plus(MINUTE)));

            leader.time.advance(MINUTE.plusSeconds(1));

            assertThat(leader.job(soon).queueing().notBefore()).isNull();
        }
    }

    @Test
    void whatCouldNotBeRecordedIsSaidAgain() throws Exception {
        try (var _ = keeper.lead(1)) {
            var id = leader.submit(job().begin(leader.time.instant().plus(MINUTE)));
            leader.log.fail(new BusyException());
            leader.time.advance(MINUTE.multipliedBy(2));

            leader.log.mend();
            leader.time.advance(MINUTE);

            assertThat(leader.job(id).queueing().notBefore()).isNull();
        }
    }

    @Test
    void whoLeadsNoLongerSaysNothing() throws Exception {
        try (var _ = keeper.lead(1)) {
            leader.submit(job().begin(leader.time.instant().plus(MINUTE)));
            leader.time.settle();
        }
        var before = leader.log.proposed(Command.AdvanceTime.class).size();

        leader.time.advance(MINUTE.multipliedBy(5));

        assertThat(leader.log.proposed(Command.AdvanceTime.class)).hasSize(before);
    }
}
