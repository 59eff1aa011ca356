package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.RulesFixture.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.model.JobState;
import org.junit.jupiter.api.Test;

class JobArrayTest {
    private final Heart cluster = Heart.with(1, node().cpus(4));

    @Test
    void startedTasksGetTheirOwnIdsAndTheLastOneKeepsTheArrays() {
        var array = cluster.run(job().array("1-4"));

        assertThat(cluster.snapshot().jobs().stream().map(Job::shownId))
                .containsExactly(array + "_4", array + "_1", array + "_2", array + "_3");
        assertThat(cluster.task(array, 4).id()).isEqualTo(array);
    }

    @Test
    void waitingTasksAreOneRecord() {
        var array = cluster.run(job().array("1-1000"));

        assertThat(cluster.job(array).shownId()).isEqualTo(array + "_[5-1000]");
        assertThat(cluster.snapshot().jobs().size()).isEqualTo(5);
    }

    @Test
    void throttleLimitsHowManyRunAtOnce() {
        var array = cluster.run(job().array("1-10%2"));

        assertThat(cluster.job(array).shownId()).isEqualTo(array + "_[3-10%2]");
        assertThat(cluster.reason(array)).isEqualTo("JobArrayTaskLimit");

        cluster.finish(cluster.task(array, 1).id(), 0);
        cluster.schedule();
        assertThat(cluster.job(array).shownId()).isEqualTo(array + "_[4-10%2]");
    }

    @Test
    void cancellingOneWaitingTaskLeavesTheOthers() {
        var array = cluster.run(job().array("1-10%2"));

        cluster.cancel(array + "_5", ALICE);

        assertThat(cluster.job(array).shownId()).isEqualTo(array + "_[3-4,6-10%2]");
        assertThat(cluster.task(array, 5).state()).isEqualTo(JobState.CANCELLED);
        assertThat(cluster.task(array, 5).shownId()).isEqualTo(array + "_5");
    }

    @Test
    void cancellingTheArrayCancelsEveryTask() {
        var array = cluster.run(job().array("1-10"));

        cluster.cancel(array.toString(), ALICE);

        assertThat(cluster.snapshot().jobs().stream().map(job -> job.phase().baseState()))
                .containsOnly(JobState.CANCELLED);
    }

    /// The end of the one dooms the other, which is about to be cancelled itself.
    @Test
    void taskThatWaitsForAnotherOfItsArrayEndsOnceWhenTheArrayIsCancelled() {
        var array = cluster.submit(job().array("1-3").killOnInvalidDependency());
        cluster.hold(array + "_1", ALICE);
        cluster.hold(array + "_2", ALICE);
        var first = cluster.task(array, 1).id();
        var second = cluster.task(array, 2).id();
        cluster.update(second, ALICE, new JobChange.SetDependency("afterok:" + first));
        cluster.takeEvents();

        cluster.cancel(array.toString(), ALICE);

        assertThat(cluster.takeEvents())
                .filteredOn(Event.JobEnded.class::isInstance)
                .extracting(event -> ((Event.JobEnded) event).job().id())
                .containsOnlyOnce(second);
        assertThat(cluster.snapshot().array(array))
                .hasValueSatisfying(ledger -> assertThat(ledger.started()).isEqualTo(3));
    }

    @Test
    void heldTasksAreSplitOffTogether() {
        var array = cluster.submit(job().array("1-10"));

        cluster.hold(array + "_[2-4]", ALICE);

        assertThat(cluster.task(array, 3).shownId()).isEqualTo(array + "_[2-4]");
        assertThat(cluster.task(array, 3).reason()).hasToString("JobHeldUser");
        assertThat(cluster.task(array, 5).queueing().isHeld()).isFalse();
    }

    @Test
    void arrayOfAMillionTasksIsOneSmallRecord() {
        var big = Heart.with(1, node(), rules().maxArraySize(1_000_001).build());

        var array = big.submit(job().array("0-999999"));
        big.schedule();

        assertThat(big.job(array).shownId()).isEqualTo(array + "_[8-999999]");
    }

    @Test
    void requeuedTaskStaysItsOwnRecord() {
        var array = cluster.run(job().array("1-10"));
        var task = cluster.task(array, 2).id();

        cluster.requeue(array + "_2", ALICE);
        cluster.finish(task, 0);

        assertThat(cluster.job(task).state()).isEqualTo(JobState.PENDING);
        assertThat(cluster.job(task).shownId()).isEqualTo(array + "_2");
    }

    @Test
    void indicesBeyondMaxArraySizeAreRefused() {
        assertThat(cluster.trySubmit(job().array("1-1001"))).isInstanceOf(Result.Refused.class);
    }
}
