package dev.spur.testkit.simulated;

import static dev.spur.testkit.simulated.SimulatedJob.job;
import static dev.spur.testkit.simulated.SimulatedNodes.nodes;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.job.JobPhase;
import dev.spur.model.JobState;
import dev.spur.model.notation.Signal;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobLifeSimulationTest {
    private static final Duration KILL_WAIT = Duration.ofSeconds(30);

    @AutoClose private final SimulatedCluster cluster = SimulatedCluster.with(nodes(4).gpus(8));

    @BeforeEach
    void watchOver() {
        cluster.always(Invariants::check);
    }

    @Test
    void aJobRunsItsScriptAndEndsAsTheScriptDoes() {
        var good = cluster.submit(job().gpus(2).runs(Duration.ofMinutes(5)));
        var bad = cluster.submit(job().runs(Duration.ofMinutes(1)).exits(3));

        cluster.advance(Duration.ofMinutes(4));
        assertThat(cluster.state(good)).isEqualTo(JobState.RUNNING);
        assertThat(cluster.state(bad)).isEqualTo(JobState.FAILED);
        cluster.advance(Duration.ofMinutes(2));

        assertThat(cluster.state(good)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.runsOf(good)).hasSize(1);
        assertThat(cluster.runsOf(good).getFirst().gpus().size()).isEqualTo(2);
    }

    /// It is submitted, started, says that it runs and that it has ended: each entry is an fsync.
    @Test
    void aJobOfOneScriptTakesFourEntriesOfTheLog() {
        cluster.advance(Duration.ofMinutes(1));
        var before = cluster.entries();

        var job = cluster.submit(job().runs(Duration.ofSeconds(1)));
        cluster.advance(Duration.ofSeconds(10));

        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.entries() - before).isEqualTo(4);
    }

    /// The end of its script says that nothing is left of it: nobody has to ask.
    @Test
    void aJobOfOneScriptIsOneOrderAndTwoReportsThatAreAcknowledged() {
        cluster.advance(Duration.ofMinutes(1));
        cluster.traffic().clear();

        cluster.submit(job().runs(Duration.ofSeconds(1)));
        cluster.advance(Duration.ofSeconds(10));

        assertThat(cluster.traffic().said())
                .containsExactly(entry(AgentMessage.MessageCase.REPORT, 2));
        assertThat(cluster.traffic().told())
                .containsOnly(
                        entry(ControllerMessage.MessageCase.LAUNCH, 1),
                        entry(ControllerMessage.MessageCase.REPORT_SEEN, 2));
    }

    @Test
    void atTheTimeLimitAJobGetsTermThenKillAfterKillWait() {
        var job =
                cluster.submit(
                        job().limit(Duration.ofMinutes(10))
                                .runs(Duration.ofHours(5))
                                .ignoresTerm());

        cluster.advance(Duration.ofMinutes(12));

        assertThat(cluster.state(job)).isEqualTo(JobState.TIMEOUT);
        var run = cluster.runsOf(job).getFirst();
        assertThat(cluster.signalsTo(job)).containsExactly(Signal.TERM, Signal.KILL);
        var term = run.signals().get(0).at();
        var kill = run.signals().get(1).at();
        assertThat(Duration.between(run.startedAt(), term))
                .isBetween(Duration.ofSeconds(595), Duration.ofSeconds(601));
        assertThat(Duration.between(term, kill)).isEqualTo(KILL_WAIT);
        assertThat(run.endedAt()).isEqualTo(kill);
    }

    @Test
    void aJobThatObeysTermAtItsTimeLimitIsNotKilled() {
        var job = cluster.submit(job().limit(Duration.ofMinutes(10)).runs(Duration.ofHours(5)));

        cluster.advance(Duration.ofMinutes(12));

        assertThat(cluster.state(job)).isEqualTo(JobState.TIMEOUT);
        assertThat(cluster.signalsTo(job)).containsExactly(Signal.TERM);
    }

    @Test
    void aCancelledJobGetsTermAndItsNodesAreFreeWhenItIsGone() {
        var job = cluster.submit(job().cpus(16).runs(Duration.ofHours(5)).ignoresTerm());
        cluster.advance(Duration.ofSeconds(10));

        cluster.cancel(job);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETING);
        cluster.advance(KILL_WAIT);

        assertThat(cluster.state(job)).isEqualTo(JobState.CANCELLED);
        assertThat(cluster.signalsTo(job)).containsExactly(Signal.TERM, Signal.KILL);
        assertThat(cluster.snapshot().nodes()).allMatch(node -> node.usage().isIdle());
    }

    @Test
    void aRequeuedJobKeepsItsIdAndRunsAgainAfterItsFirstRunHasEnded() {
        var job = cluster.submit(job().runs(Duration.ofMinutes(10)).ignoresTerm());
        cluster.advance(Duration.ofMinutes(1));

        cluster.requeue(job);
        cluster.advance(Duration.ofMinutes(20));

        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.job(job).attempts().restarts()).isEqualTo(1);
        var runs = cluster.runsOf(job);
        assertThat(runs).extracting(run -> run.key().attempt()).containsExactly(0, 1);
        assertThat(runs.get(1).startedAt()).isAfter(requireNonNull(runs.get(0).endedAt()));
    }

    @Test
    void aReportOfAnOldAttemptThatArrivesLateChangesNothing() {
        var job = cluster.submit(job().on("node1").runs(Duration.ofMinutes(1)).exits(7));
        cluster.advance(Duration.ofSeconds(50));
        cluster.cutOff("node1"); // its end is not heard of
        cluster.advance(Duration.ofMinutes(3));
        cluster.requeue(job);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETING);

        cluster.heal("node1");
        cluster.advance(Duration.ofSeconds(40));

        assertThat(cluster.state(job)).isEqualTo(JobState.RUNNING);
        assertThat(cluster.job(job).attempt()).isEqualTo(1);
    }

    @Test
    void aDependentJobWaitsForTheChainBeforeIt() {
        var first = cluster.submit(job().runs(Duration.ofMinutes(2)));
        var second =
                cluster.submit(job().runs(Duration.ofMinutes(2)).dependingOn("afterok:" + first));
        var third = cluster.submit(job().exits(1).dependingOn("afterok:" + second));
        var never = cluster.submit(job().dependingOn("afterok:" + third));

        cluster.advance(Duration.ofMinutes(3));
        assertThat(cluster.state(second)).isEqualTo(JobState.RUNNING);
        assertThat(cluster.state(third)).isEqualTo(JobState.PENDING);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(cluster.state(third)).isEqualTo(JobState.FAILED);
        assertThat(cluster.state(never)).isEqualTo(JobState.PENDING);
        assertThat(cluster.job(never).reason().toString()).isEqualTo("DependencyNeverSatisfied");
        assertThat(cluster.runsOf(second).getFirst().startedAt())
                .isAfter(cluster.runsOf(first).getFirst().endedAt());
    }

    @Test
    void anArrayRunsNoMoreTasksAtOnceThanItsThrottleAllows() {
        var most = new int[1];
        cluster.always(snapshot -> {
            Invariants.check(snapshot);
            var running =
                    (int)
                            snapshot.jobs().stream()
                                    .filter(task -> task.phase() instanceof JobPhase.Running)
                                    .count();
            most[0] = Math.max(most[0], running);
        });

        var array = cluster.submit(job().array("0-9%3").runs(Duration.ofMinutes(1)));
        cluster.advance(Duration.ofMinutes(6));

        assertThat(most[0]).isEqualTo(3);
        assertThat(cluster.tasks(array))
                .hasSize(10)
                .allMatch(task -> task.state() == JobState.COMPLETED);
    }

    @Test
    void aLargeJobStartsWhenThePlanSaidAndSmallOnesFillTheGap() {
        var now =
                cluster.submit(
                        job().nodes(2)
                                .cpus(16)
                                .limit(Duration.ofMinutes(30))
                                .runs(Duration.ofMinutes(30)));
        var large = cluster.submit(job().nodes(4).cpus(16).limit(Duration.ofHours(1)));
        var small =
                cluster.submit(
                        job().cpus(16).limit(Duration.ofMinutes(20)).runs(Duration.ofMinutes(20)));
        var tooLong = cluster.submit(job().cpus(16).limit(Duration.ofHours(2)));
        cluster.advance(Duration.ofMinutes(1));

        assertThat(cluster.state(now)).isEqualTo(JobState.RUNNING);
        assertThat(cluster.state(small)).isEqualTo(JobState.RUNNING);
        assertThat(cluster.state(tooLong)).isEqualTo(JobState.PENDING);
        var expected = cluster.expectedStart(large);
        cluster.advance(Duration.ofMinutes(31));

        var started = requireNonNull(cluster.job(large).phase().startedAt());
        assertThat(Duration.between(expected, started).abs()).isLessThan(Duration.ofMinutes(1));
    }
}
