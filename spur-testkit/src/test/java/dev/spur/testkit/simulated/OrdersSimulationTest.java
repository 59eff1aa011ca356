package dev.spur.testkit.simulated;

import static dev.spur.testkit.simulated.SimulatedJob.job;
import static dev.spur.testkit.simulated.SimulatedNodes.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.access.Failures;
import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobState;
import dev.spur.model.notation.Signal;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What was decided reaches the nodes, whoever was away when it was.
class OrdersSimulationTest {
    private static final Actor ROOT = Users.ROOT.actor();
    private static final Signal STOP = new Signal(19);
    private static final Signal CONT = new Signal(18);

    @AutoClose private final SimulatedCluster cluster = SimulatedCluster.with(nodes(2));

    @BeforeEach
    void watchOver() {
        cluster.always(Invariants::check);
    }

    @Test
    void limitThatIsRaisedWhileTheAgentIsAwayIsObeyed() {
        var job = shortJob();

        cluster.cutOff("node1");
        raiseLimit(job);
        cluster.advance(Duration.ofMinutes(2));
        cluster.heal("node1");
        cluster.advance(Duration.ofMinutes(40));

        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.runsOf(job)).hasSize(1);
    }

    @Test
    void limitThatIsRaisedBeforeTheControllerDiesIsToldByTheNextOne() {
        var job = shortJob();

        cluster.cutOff("node1");
        raiseLimit(job);
        cluster.failControllers();
        cluster.restartControllers();
        cluster.heal("node1");
        cluster.advance(Duration.ofMinutes(40));

        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void limitIsNeverShorterThanAskedFor() {
        var job =
                cluster.submit(
                        job().on("node1").runs(Duration.ofHours(1)).limit(Duration.ofMinutes(1)));

        cluster.advance(Duration.ofMinutes(5));

        assertThat(cluster.state(job)).isEqualTo(JobState.TIMEOUT);
        var run = cluster.runsOf(job).getFirst();
        assertThat(Duration.between(run.startedAt(), run.endedAt()))
                .isGreaterThanOrEqualTo(Duration.ofMinutes(1).minusMillis(20));
        assertThat(Duration.between(cluster.job(job).phase().startedAt(), run.endedAt()))
                .isGreaterThanOrEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void suspendedJobStaysSuspendedWhenAgentAndControllerAreRestarted() {
        var job = shortJob();
        suspend(job);
        cluster.advance(Duration.ofMinutes(1));

        cluster.restartAgent("node1");
        cluster.advance(Duration.ofMinutes(10));
        cluster.failControllers();
        cluster.advance(Duration.ofMinutes(1));
        cluster.restartControllers();
        cluster.advance(Duration.ofMinutes(60));

        assertThat(cluster.state(job)).isEqualTo(JobState.SUSPENDED);
        assertThat(cluster.signalsTo(job)).isNotEmpty().containsOnly(STOP);
    }

    @Test
    void jobThatIsSuspendedWhileItsAgentIsAwayStandsStillWhenItIsBackAndGoesOnLater() {
        var job = shortJob();
        cluster.cutOff("node1");
        suspend(job);
        cluster.advance(Duration.ofMinutes(2));
        cluster.heal("node1");
        cluster.advance(Duration.ofMinutes(60));
        assertThat(cluster.signalsTo(job)).containsExactly(STOP);

        decide(at -> new Command.ResumeJobs(at, "", ROOT, List.of(JobSelector.of(job))));
        raiseLimit(job);
        cluster.advance(Duration.ofMinutes(40));

        assertThat(cluster.signalsTo(job)).containsExactly(STOP, CONT);
        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void jobThatIsRequeuedAgainAndAgainNeverRunsTwiceAtOnce() {
        var job = cluster.submit(job().runs(Duration.ofHours(5)).ignoresTerm());
        for (var run = 0; run < 5; run++) {
            cluster.advance(Duration.ofMinutes(1));
            cluster.requeue(job);
            cluster.restartAgent("node1");
            cluster.restartAgent("node2");
            cluster.advance(Duration.ofMinutes(3));
        }

        assertThat(cluster.runsOf(job)).hasSize(6);
    }

    /// On node1, for 30 minutes, with a limit of 10.
    private JobId shortJob() {
        var job =
                cluster.submit(
                        job().on("node1")
                                .runs(Duration.ofMinutes(30))
                                .limit(Duration.ofMinutes(10)));
        cluster.advance(Duration.ofMinutes(1));
        return job;
    }

    private void raiseLimit(JobId job) {
        decide(at ->
                new Command.UpdateJobs(
                        at,
                        "",
                        ROOT,
                        List.of(JobSelector.of(job)),
                        List.of(new JobChange.SetTimeLimit(TimeLimit.ofMinutes(60)))));
    }

    private void suspend(JobId job) {
        decide(at -> new Command.SuspendJobs(at, "", ROOT, List.of(JobSelector.of(job)), true));
    }

    private void decide(Function<Instant, Command> command) {
        cluster.await(
                cluster.<Result>ask(
                        Users.ROOT,
                        (life, reply) ->
                                Failures.answer(reply, () -> life.proposals().decide(command))));
    }
}
