package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.StepEnd;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import org.junit.jupiter.api.Test;

/// A job runs again only when every node has said that nothing of its last run is left.
class AttemptTest {
    private final Heart cluster = Heart.with(2, node());

    @Test
    void requeuedJobBeginsAgainWhenEveryNodeIsClean() {
        var id = cluster.run(job().nodes(2).tasksPerNode(8));
        cluster.begin(id);

        cluster.requeue(id.toString(), Heart.ALICE);
        cluster.endScript(id, 0);
        gone(id, 0, "node1");
        cluster.schedule();
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        gone(id, 0, "node2");
        cluster.schedule();

        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
        assertThat(cluster.job(id).attempt()).isEqualTo(1);
    }

    @Test
    void nodeThatRegistersWithoutAJobItIsToEndHasNotSaidThatNothingIsLeft() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        cluster.requeue(id.toString(), Heart.ALICE);

        cluster.register("node1", node());
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        gone(id, 0, "node1");

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobWhoseScriptWasLostWaitsForTheEndOfItsOtherSteps() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.endScript(id, lost());
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        gone(id, 0, "node1");

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobOfANodeThatAnswersAndIsTakenDownIsEndedThereFirst() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.change("node1", new NodeChange.Down("smoke"));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        gone(id, 0, "node1");

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobThatANodeIsEndingWaitsForThatAlsoWhenTheNodeIsTakenDown() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        cluster.requeue(id.toString(), Heart.ALICE);

        cluster.change("node1", new NodeChange.Down("smoke"));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        gone(id, 0, "node1");

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobThatItsNodeCannotEndDoesNotRunAgainUntilAnAdministratorTakesTheNodeDown() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        cluster.requeue(id.toString(), Heart.ALICE);

        cluster.advance(ofMinutes(60));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        assertThat(cluster.node("node1").note().text()).isEqualTo("Kill task failed");
        cluster.change("node1", new NodeChange.Down("stuck"));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void stepBelongsToTheAttemptThatMadeIt() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        cluster.requeue(id.toString(), Heart.ALICE);
        cluster.clean(id);
        cluster.schedule();

        var created = cluster.step(id, StepRequest.of("step"));

        assertThat(created)
                .isInstanceOfSatisfying(
                        Result.StepCreated.class, step -> assertThat(step.attempt()).isEqualTo(1));
    }

    private void gone(JobId id, int attempt, String node) {
        cluster.apply(new Command.JobGone(cluster.now(), id, attempt, node));
    }

    private StepEnd lost() {
        var end = cluster.end(ExitStatus.SUCCESS);
        return new StepEnd(
                end.exit(),
                false,
                false,
                true,
                0,
                0,
                0,
                end.startedAt(),
                end.endedAt(),
                "the step supervisor was killed");
    }
}
