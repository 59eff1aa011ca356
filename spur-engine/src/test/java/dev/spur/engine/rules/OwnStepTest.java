package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import org.junit.jupiter.api.Test;

/// A job that `srun` made for its own step ends with it, also if `srun` is not there any more.
class OwnStepTest {
    private final Heart cluster = Heart.with(1, node());

    @Test
    void jobWhoseStepIsOverEndsAsTheStepDidIfSrunDoesNotComeBack() {
        var id = cluster.run(job().ownStep());
        var step = step(id);
        started(id, step);
        ended(id, step, 3);

        cluster.advance(ofMinutes(4));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
        cluster.advance(ofMinutes(1));
        cluster.clean(id);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.FAILED);
    }

    @Test
    void jobWhoseStepRunsGoesOn() {
        var id = cluster.run(job().ownStep().timeLimit(ofHours(10)));
        started(id, step(id));

        cluster.advance(ofHours(5));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void jobInWhichNoStepWasEverStartedEnds() {
        var none = cluster.run(job().ownStep());
        var created = cluster.run(job().ownStep());
        step(created);

        cluster.advance(ofMinutes(5));

        assertThat(cluster.job(none).state()).isEqualTo(JobState.COMPLETING);
        assertThat(cluster.job(created).state()).isEqualTo(JobState.COMPLETING);
    }

    @Test
    void allocationOfSallocWaitsForItsUser() {
        var id = cluster.run(job().allocation().timeLimit(ofHours(10)));

        cluster.advance(ofHours(5));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    private Step step(JobId id) {
        return ((Result.StepCreated) cluster.step(id, StepRequest.of("step"))).step();
    }

    private void started(JobId id, Step step) {
        cluster.apply(new Command.StepStarted(cluster.now(), id, 0, step.id(), "node1"));
    }

    private void ended(JobId id, Step step, int code) {
        cluster.apply(
                new Command.StepEnded(
                        cluster.now(),
                        id,
                        0,
                        step.id(),
                        "node1",
                        cluster.end(new ExitStatus(code, 0))));
    }
}
