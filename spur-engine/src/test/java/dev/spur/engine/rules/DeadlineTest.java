package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import dev.spur.model.PendingReason;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// `--deadline`: a job that could not end by then does not start.
class DeadlineTest {
    private final Heart cluster = Heart.with(1, node());

    @Test
    void jobWithoutATimeLimitRunsUntilItsDeadlineAtMost() {
        var id = cluster.run(job().anyTime().deadline(in(10)));

        assertThat(cluster.job(id).terms().timeLimit()).isEqualTo(TimeLimit.ofMinutes(10));
        assertThat(endOf(id)).isEqualTo(in(10));
    }

    @Test
    void jobThatStartsLateRunsForTheTimeThatIsLeft() {
        var first = busy(ofMinutes(4).plusSeconds(30));
        var id = cluster.submit(job().anyTime().deadline(in(10)));

        cluster.advance(ofMinutes(4).plusSeconds(30));
        cluster.finish(first, 0);
        cluster.schedule();

        assertThat(cluster.job(id).terms().timeLimit()).isEqualTo(TimeLimit.ofMinutes(5));
        assertThat(endOf(id)).isBeforeOrEqualTo(Heart.START.plus(ofMinutes(10)));
    }

    @Test
    void timeLimitIsLoweredToTheDeadlineIfTimeMinAllows() {
        var id = cluster.run(job().timeLimit(ofMinutes(20)).atLeast(ofMinutes(2)).deadline(in(10)));

        assertThat(cluster.job(id).terms().timeLimit()).isEqualTo(TimeLimit.ofMinutes(10));
    }

    @Test
    void jobThatNeedsMoreTimeThanIsLeftNeverStarts() {
        var id = cluster.submit(job().timeLimit(ofMinutes(5)).deadline(in(1)));

        cluster.schedule();
        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
        cluster.advance(ofSeconds(0));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.DEADLINE);
        assertThat(cluster.job(id).reason().code()).isEqualTo(PendingReason.DEADLINE);
    }

    @Test
    void waitingJobEndsWhenItsLeastTimeNoLongerFits() {
        busy(ofMinutes(60));
        var fixed = cluster.submit(job().timeLimit(ofMinutes(4)).deadline(in(10)));
        var flexible =
                cluster.submit(
                        job().timeLimit(ofMinutes(4)).atLeast(ofMinutes(2)).deadline(in(10)));

        cluster.advance(ofMinutes(6));
        assertThat(cluster.job(fixed).state()).isEqualTo(JobState.PENDING);
        cluster.advance(ofSeconds(1));
        assertThat(cluster.job(fixed).state()).isEqualTo(JobState.DEADLINE);
        assertThat(cluster.job(flexible).state()).isEqualTo(JobState.PENDING);
        cluster.advance(ofMinutes(2));
        assertThat(cluster.job(flexible).state()).isEqualTo(JobState.DEADLINE);
    }

    /// The first one's end dooms the second, whose own time has come in the same moment.
    @Test
    void jobThatIsDoomedInTheMomentOfItsDeadlineEndsOnce() {
        busy(ofMinutes(60));
        var first = cluster.submit(job().timeLimit(ofMinutes(4)).deadline(in(10)));
        var second =
                cluster.submit(
                        job().timeLimit(ofMinutes(4))
                                .deadline(in(10))
                                .dependency("afterok:" + first)
                                .killOnInvalidDependency());
        cluster.takeEvents();

        cluster.advance(ofMinutes(7));

        assertThat(cluster.takeEvents())
                .filteredOn(Event.JobEnded.class::isInstance)
                .extracting(event -> ((Event.JobEnded) event).job().id())
                .containsOnlyOnce(second);
        assertThat(cluster.job(second).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void leastTimeThatIsLongerThanUntilTheDeadlineIsRefused() {
        var answer = cluster.trySubmit(job().atLeast(ofMinutes(120)).deadline(in(60)));

        assertThat(answer)
                .isInstanceOfSatisfying(
                        Result.Refused.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_TIME_MIN));
    }

    @Test
    void deadlineThatHasPassedIsRefused() {
        var answer = cluster.trySubmit(job().timeLimit(ofMinutes(1)).deadline(in(-1)));

        assertThat(answer)
                .isInstanceOfSatisfying(
                        Result.Refused.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_TIME_LIMIT));
    }

    private JobId busy(Duration time) {
        return cluster.run(job().exclusive().timeLimit(time.plusMinutes(1)));
    }

    private Instant in(int minutes) {
        return cluster.now().plus(ofMinutes(minutes));
    }

    private Instant endOf(JobId id) {
        return Objects.requireNonNull(((JobPhase.Running) cluster.job(id).phase()).deadline());
    }
}
