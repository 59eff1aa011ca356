package dev.spur.controller.scheduling;

import static dev.spur.model.fixture.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.job.JobTerms;
import dev.spur.engine.scheduling.BackfillPass;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForecastsTest {
    @TempDir private Path directory;

    private LeaderFixture leader;
    private Forecasts forecasts;
    private JobTerms oneCpu;

    @BeforeEach
    void begin() throws IOException {
        leader = new LeaderFixture(directory, 2);
        forecasts = new Forecasts(leader.state, BackfillPass.Bounds.DEFAULTS);
        oneCpu = leader.job(leader.submit(job().held())).terms();
    }

    @Test
    void aJobStartsBehindThoseThatWait() {
        leader.submit(job().nodes(2).exclusive().timeLimit(Duration.ofHours(2)));

        var trial = forecasts.trial(oneCpu, leader.time.instant());

        assertThat(trial.start()).isEqualTo(leader.time.instant().plus(Duration.ofHours(2)));
    }

    @Test
    void whoAsksAgainAndAgainIsAnsweredFromOnePlan() {
        for (var i = 0; i < 3_000; i++) {
            leader.submit(job().nodes(1 + i % 2).timeLimit(Duration.ofMinutes(10 + i)));
        }

        for (var i = 0; i < 100; i++) {
            leader.submit(job());
            forecasts.trial(oneCpu, leader.time.instant());
            leader.time.advance(Duration.ofMillis(1));
        }

        assertThat(forecasts.made()).isEqualTo(1);
    }

    @Test
    void aLaterQuestionSeesWhatHasChanged() {
        assertThat(forecasts.trial(oneCpu, leader.time.instant()).start())
                .isEqualTo(leader.time.instant());
        leader.submit(job().nodes(2).exclusive().timeLimit(Duration.ofHours(2)));
        leader.time.advance(Duration.ofMillis(10));

        var trial = forecasts.trial(oneCpu, leader.time.instant());

        assertThat(trial.start()).isAfter(leader.time.instant().plus(Duration.ofHours(1)));
    }
}
