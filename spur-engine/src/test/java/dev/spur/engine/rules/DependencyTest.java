package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.model.JobState;
import org.junit.jupiter.api.Test;

class DependencyTest {
    private final Heart cluster = Heart.with(2, node());

    @Test
    void afterokWaitsForSuccess() {
        var first = cluster.run(job());
        var second = cluster.run(job().dependency("afterok:" + first));
        assertThat(cluster.job(second).reason()).hasToString("Dependency");
        assertThat(cluster.job(second).queueing().dependencies())
                .hasToString("afterok:%s(unfulfilled)".formatted(first));

        cluster.finish(first, 0);
        cluster.schedule();

        assertThat(cluster.job(second).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void failedDependencyKeepsTheJobWaitingForEver() {
        var first = cluster.run(job());
        var second = cluster.run(job().dependency("afterok:" + first));

        cluster.finish(first, 1);
        cluster.schedule();

        assertThat(cluster.job(second).reason()).hasToString("DependencyNeverSatisfied");
    }

    @Test
    void failedDependencyCancelsAJobThatAskedForIt() {
        var first = cluster.run(job());
        var second = cluster.run(job().dependency("afterok:" + first).killOnInvalidDependency());

        cluster.finish(first, 1);

        assertThat(cluster.job(second).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void failureCancelsAChainOfJobsHoweverLong() {
        var first = cluster.submit(job());
        var last = first;
        for (var link = 0; link < 8_000; link++) {
            last = cluster.submit(job().dependency("afterok:" + last).killOnInvalidDependency());
        }

        cluster.cancel(first.toString(), ALICE);

        assertThat(cluster.job(last).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void afternotokWaitsForFailureAndAfteranyForAnyEnd() {
        var first = cluster.run(job());
        var onFailure = cluster.run(job().dependency("afternotok:" + first));
        var onEnd = cluster.run(job().dependency("afterany:" + first));

        cluster.cancel(first.toString(), ALICE);
        cluster.clean(first);
        cluster.schedule();

        assertThat(cluster.job(onFailure).state()).isEqualTo(JobState.RUNNING);
        assertThat(cluster.job(onEnd).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void afterCountsMinutesFromTheStart() {
        var first = cluster.run(job());
        var second = cluster.submit(job().dependency("after:%s+5".formatted(first)));

        cluster.advance(ofMinutes(4));
        assertThat(cluster.job(second).reason()).hasToString("Dependency");
        cluster.advance(ofMinutes(1));

        assertThat(cluster.job(second).queueing().eligibleAt()).isEqualTo(cluster.now());
    }

    @Test
    void minutesAfterAStartCountAnewWhenThatJobIsRequeuedAndStartsAgain() {
        var first = cluster.run(job());
        var second = cluster.submit(job().dependency("after:%s+1".formatted(first)));
        cluster.advance(ofSeconds(30));
        cluster.requeue(first.toString(), ALICE);
        cluster.clean(first);
        cluster.hold(first.toString(), ALICE);

        cluster.apply(new Command.AdvanceTime(cluster.now().plusSeconds(30)));
        assertThat(cluster.snapshot().nextAlarm()).isNull();

        cluster.advance(ofSeconds(60));
        cluster.release(first.toString(), ALICE);
        cluster.schedule();
        cluster.advance(ofSeconds(59));
        assertThat(cluster.job(second).reason()).hasToString("Dependency");
        cluster.advance(ofSeconds(1));
        assertThat(cluster.job(second).queueing().eligibleAt()).isEqualTo(cluster.now());
    }

    @Test
    void satisfiedPartsDisappear() {
        var first = cluster.run(job());
        var second = cluster.run(job());
        var third = cluster.run(job().dependency("afterany:%s:%s".formatted(first, second)));

        cluster.finish(first, 0);

        assertThat(cluster.job(third).queueing().dependencies())
                .hasToString("afterany:%s(unfulfilled)".formatted(second));
    }

    @Test
    void anyOfSeveralIsEnough() {
        var first = cluster.run(job());
        var second = cluster.run(job());
        var third = cluster.run(job().dependency("afterok:%s?afterok:%s".formatted(first, second)));

        cluster.finish(second, 0);

        assertThat(cluster.job(third).queueing().dependencies().isEmpty()).isTrue();
    }

    @Test
    void singletonWaitsForJobsOfItsNameAndUser() {
        var first = cluster.run(job().named("solo"));
        var second = cluster.run(job().named("solo").dependency("singleton"));
        assertThat(cluster.job(second).state()).isEqualTo(JobState.PENDING);

        cluster.finish(first, 1);
        cluster.schedule();

        assertThat(cluster.job(second).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void singletonGoesOnWhenTheOtherIsCalledOtherwise() {
        var first = cluster.run(job().named("solo"));
        var second = cluster.submit(job().named("solo").dependency("singleton"));

        cluster.update(first, ALICE, new JobChange.SetName("duo"));
        cluster.schedule();

        assertThat(cluster.job(second).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void dependencyOnAnArrayNeedsAllItsTasks() {
        var array = cluster.run(job().array("1-2"));
        var after = cluster.submit(job().dependency("afterok:" + array));

        cluster.finish(cluster.task(array, 1).id(), 0);
        assertThat(cluster.job(after).queueing().dependencies().isEmpty()).isFalse();
        cluster.finish(cluster.task(array, 2).id(), 0);

        assertThat(cluster.job(after).queueing().dependencies().isEmpty()).isTrue();
    }

    @Test
    void aftercorrPairsTheTasksOfTwoArrays() {
        var array = cluster.run(job().array("1-3"));
        var after = cluster.submit(job().array("1-3").dependency("aftercorr:" + array));

        cluster.finish(cluster.task(array, 2).id(), 0);
        cluster.finish(cluster.task(array, 3).id(), 1);

        assertThat(cluster.task(after, 1).reason()).hasToString("Dependency");
        assertThat(cluster.task(after, 2).queueing().dependencies().isEmpty()).isTrue();
        assertThat(cluster.task(after, 3).reason()).hasToString("DependencyNeverSatisfied");
    }

    @Test
    void jobThatNobodyKnowsHoldsNobodyBack() {
        var id = cluster.run(job().dependency("afterok:999999"));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }
}
