package dev.spur.engine.scheduling;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.Job;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.site.Site;
import dev.spur.engine.state.Command;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// Priorities may change as time passes, with nobody changing anything.
class QueueOrderTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final Heart heart = Heart.with(1, node());

    /// A number that was set counts for the first hour only.
    private static final class ForAnHour implements PriorityPolicy {
        @Override
        public long priority(Job job, Site site, Instant now) {
            var given = job.queueing().standing().given();
            return given == null ? 10 : now.isBefore(job.submittedAt().plus(HOUR)) ? given : 1;
        }

        @Override
        public boolean isSteady() {
            return false;
        }
    }

    @Test
    void queueFollowsThePresentPrioritiesWithoutAnEntryInTheLog() {
        var policy = new ForAnHour();
        var pass = new BackfillPass(BackfillPass.Bounds.DEFAULTS, _ -> policy);
        heart.run(job().exclusive().timeLimit(HOUR.multipliedBy(5)));
        var urgent = heart.submit(job().exclusive().priority(20));
        var other = heart.submit(job().exclusive());
        var entries = heart.log().size();

        heart.schedule(pass);
        assertThat(heart.planOf(urgent).expectedStart())
                .isBefore(heart.planOf(other).expectedStart());

        heart.advance(HOUR);
        heart.schedule(pass);
        assertThat(heart.planOf(other).expectedStart())
                .isBefore(heart.planOf(urgent).expectedStart());
        assertThat(heart.log().subList(entries, heart.log().size()))
                .as("time passes, and nothing else is recorded")
                .allMatch(Command.AdvanceTime.class::isInstance);
    }

    @Test
    void jobIsAskedForOnlyWhenItChangesIfItsPriorityIsSteady() {
        var policy =
                new PriorityPolicy() {
                    int asked;

                    @Override
                    public long priority(Job job, Site site, Instant now) {
                        asked++;
                        return 1;
                    }

                    @Override
                    public boolean isSteady() {
                        return true;
                    }
                };
        var pass = new BackfillPass(BackfillPass.Bounds.DEFAULTS, _ -> policy);
        heart.run(job().exclusive());
        for (var i = 0; i < 100; i++) {
            heart.submit(job().exclusive());
        }
        pass.plan(heart.snapshot(), heart.now());
        assertThat(policy.asked).isEqualTo(100);

        heart.submit(job().exclusive());
        pass.plan(heart.snapshot(), heart.now());

        assertThat(policy.asked).isEqualTo(101);
    }
}
