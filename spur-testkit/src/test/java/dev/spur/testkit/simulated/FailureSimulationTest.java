package dev.spur.testkit.simulated;

import static dev.spur.testkit.simulated.SimulatedJob.job;
import static dev.spur.testkit.simulated.SimulatedNodes.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Invariants;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FailureSimulationTest {
    @AutoClose private final SimulatedCluster cluster = SimulatedCluster.with(nodes(2));

    @BeforeEach
    void watchOver() {
        cluster.always(Invariants::check);
    }

    @Test
    void aNodeThatRebootsLosesItsJobsWhichRunAgainOrFailAsTheyWereSubmitted() {
        var again = cluster.submit(job().on("node1").runs(Duration.ofMinutes(10)));
        var once = cluster.submit(job().on("node1").runs(Duration.ofMinutes(10)).noRequeue());
        var elsewhere = cluster.submit(job().on("node2").runs(Duration.ofMinutes(10)));
        cluster.advance(Duration.ofMinutes(1));

        cluster.reboot("node1");
        cluster.advance(Duration.ofMinutes(15));

        assertThat(cluster.state(again)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.runsOf(again)).hasSize(2);
        assertThat(cluster.state(once)).isEqualTo(JobState.NODE_FAIL);
        assertThat(cluster.runsOf(once)).hasSize(1);
        assertThat(cluster.runsOf(elsewhere)).hasSize(1);
        assertThat(cluster.state(elsewhere)).isEqualTo(JobState.COMPLETED);
    }

    /// The timer's thread would fail the simulation if it did it itself.
    @Test
    void oldScriptsAreCollectedAndTheTimerNeverWaitsForTheDisk() {
        var forgetful = SimulatedRules.of(false).withMinJobAge(60);
        try (var busy = SimulatedCluster.with(nodes(2), forgetful, 1)) {
            for (var i = 0; i < 100; i++) {
                busy.submit(job().runs(Duration.ofSeconds(10)));
            }

            busy.advance(Duration.ofHours(1));

            var blobs = busy.disk("controller1").root().resolve("blobs");
            assertThat(blobs.resolve("segment-00000001.blobs")).doesNotExist();
        }
    }

    /// Else an answer that comes late would count as told by an empty state, and the job as lost.
    @Test
    void whatWasToldIsNotOlderBecauseTheOnlyControllerReadsItsLogAgain() {
        cluster.submit(job().runs(Duration.ofMinutes(10)));
        var told = cluster.newestRevision();
        var at = cluster.newestTime();

        cluster.failControllers();
        cluster.restartControllers();

        assertThat(cluster.snapshot().revision()).isLessThan(told);
        assertThat(cluster.newestRevision()).isEqualTo(told);
        assertThat(cluster.newestTime()).isEqualTo(at);
    }

    @Test
    void aNodeThatIsCutOffKeepsItsJobAndNothingRunsTwice() {
        var job = cluster.submit(job().on("node1").runs(Duration.ofMinutes(10)));
        cluster.advance(Duration.ofMinutes(1));

        cluster.cutOff("node1");
        cluster.advance(Duration.ofMinutes(5));
        assertThat(cluster.snapshot().node("node1").orElseThrow().responds()).isFalse();
        assertThat(cluster.state(job)).isEqualTo(JobState.RUNNING);
        cluster.heal("node1");
        cluster.advance(Duration.ofMinutes(6));

        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.runsOf(job)).hasSize(1);
    }

    @Test
    void underLeaseKillTheJobOfALostNodeIsEndedThereBeforeItRunsElsewhere() {
        try (var leased = SimulatedCluster.with(nodes(2).leaseKill())) {
            leased.always(Invariants::check);
            var job = leased.submit(job().runs(Duration.ofMinutes(30)).ignoresTerm());
            leased.advance(Duration.ofMinutes(1));
            var node = leased.runsOf(job).getFirst().node();

            leased.cutOff(node);
            leased.advance(Duration.ofMinutes(10));

            assertThat(leased.runsOf(job)).hasSize(2);
            assertThat(leased.runsOf(job).getFirst().endedAt())
                    .isBefore(leased.runsOf(job).getLast().startedAt());
            assertThat(leased.runsOf(job).getLast().node()).isNotEqualTo(node);
        }
    }

    @Test
    void underLeaseKillAJobIsEndedAlsoWhenItsAgentIsDead() {
        try (var leased = SimulatedCluster.with(nodes(2).leaseKill())) {
            leased.always(Invariants::check);
            var job = leased.submit(job().runs(Duration.ofMinutes(30)));
            leased.advance(Duration.ofMinutes(1));
            var node = leased.runsOf(job).getFirst().node();

            leased.killAgent(node);
            leased.advance(Duration.ofMinutes(10));

            assertThat(leased.runsOf(job)).hasSize(2);
            assertThat(leased.state(job)).isEqualTo(JobState.RUNNING);
        }
    }

    @Test
    void underLeaseKillJobsOfNodesThatAnswerGoOn() {
        try (var leased = SimulatedCluster.with(nodes(1).leaseKill())) {
            var job = leased.submit(job().runs(Duration.ofMinutes(55)));
            leased.advance(Duration.ofHours(1));

            assertThat(leased.state(job)).isEqualTo(JobState.COMPLETED);
            assertThat(leased.runsOf(job)).hasSize(1);
        }
    }

    @Test
    void underLeaseKillAnOutageOfTheControllerLongerThanTheLeaseCostsARequeue() {
        try (var leased = SimulatedCluster.with(nodes(1).leaseKill())) {
            var job = leased.submit(job().runs(Duration.ofMinutes(20)));
            leased.advance(Duration.ofMinutes(1));

            leased.failControllers();
            leased.advance(Duration.ofMinutes(10));
            leased.restartControllers();
            leased.advance(Duration.ofMinutes(30));

            assertThat(leased.runsOf(job)).hasSize(2);
            assertThat(leased.state(job)).isEqualTo(JobState.COMPLETED);
        }
    }

    @Test
    void aJobWhoseLaunchNeverReachedItsNodeHasNotHadItsTime() {
        cluster.cutOff("node1");
        var again = cluster.submit(job().on("node1").limit(Duration.ofMinutes(2)));
        var once = cluster.submit(job().on("node1").limit(Duration.ofMinutes(2)).noRequeue());
        cluster.advance(Duration.ofMinutes(10));

        assertThat(cluster.state(again)).isEqualTo(JobState.PENDING);
        assertThat(cluster.state(once)).isEqualTo(JobState.NODE_FAIL);
        cluster.heal("node1");
        cluster.advance(Duration.ofMinutes(5));
        assertThat(cluster.state(again)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.runs()).hasSize(1);
    }

    @Test
    void aJobThatTwoControllersInARowWereAboutToEndIsEndedAndItsNodeStaysInService() {
        var job = cluster.submit(job().on("node1").runs(Duration.ofHours(5)).ignoresTerm());
        cluster.advance(Duration.ofMinutes(1));
        cluster.cutOff("node1");
        cluster.requeue(job);
        for (var crash = 0; crash < 2; crash++) {
            cluster.failControllers();
            cluster.advance(Duration.ofMinutes(20));
            cluster.restartControllers();
            cluster.advance(Duration.ofSeconds(1));
        }

        cluster.heal("node1");
        cluster.advance(Duration.ofMinutes(5));

        assertThat(cluster.snapshot().node("node1").orElseThrow().draining()).isFalse();
        assertThat(cluster.runsOf(job)).hasSize(2);
        assertThat(cluster.state(job)).isEqualTo(JobState.RUNNING);
    }

    @Test
    void aJobThatEndsWhileItsNodeIsCutOffEndsWhenTheNodeIsBack() {
        var job = cluster.submit(job().on("node1").runs(Duration.ofMinutes(2)).exits(5));
        cluster.advance(Duration.ofMinutes(1));

        cluster.cutOff("node1");
        cluster.advance(Duration.ofMinutes(20));
        cluster.heal("node1");
        cluster.advance(Duration.ofMinutes(1));

        assertThat(cluster.state(job)).isEqualTo(JobState.FAILED);
        assertThat(cluster.runsOf(job)).hasSize(1);
    }

    @Test
    void anAgentThatIsKilledFindsItsJobsAgain() {
        var runsOn = cluster.submit(job().on("node1").runs(Duration.ofMinutes(5)));
        var endsMeanwhile = cluster.submit(job().on("node1").runs(Duration.ofSeconds(61)).exits(2));
        cluster.advance(Duration.ofSeconds(60));

        cluster.restartAgent("node1");
        cluster.advance(Duration.ofMinutes(6));

        assertThat(cluster.state(runsOn)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.state(endsMeanwhile)).isEqualTo(JobState.FAILED);
        assertThat(cluster.runs()).hasSize(2);
    }

    @Test
    void runningJobsDoNotNoticeThatTheControllerIsAway() {
        var job = cluster.submit(job().runs(Duration.ofMinutes(2)));
        cluster.advance(Duration.ofMinutes(1));

        cluster.failControllers();
        cluster.advance(Duration.ofMinutes(30));
        cluster.restartControllers();
        cluster.advance(Duration.ofMinutes(1));

        assertThat(cluster.state(job)).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.runsOf(job)).hasSize(1);
    }

    @Test
    void aSubmitThatTheControllerDidNotAnswerIsAskedAgainAndMakesOneJob() {
        cluster.failControllers();
        var answer = cluster.submitting(job());
        cluster.advance(Duration.ofMinutes(1));
        cluster.restartControllers();
        cluster.advance(Duration.ofMinutes(2));

        assertThat(cluster.state(answer.join())).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.snapshot().jobs().size()).isEqualTo(1);
    }

    /// The same life, with a crash after its first step, its second, and so on.
    @Test
    void aControllerThatDiesAfterAnyStepLosesNothingThatItAcknowledged() {
        for (var steps = 0; dieAfter(steps); steps++) {
            assertThat(steps).isLessThan(2_000);
        }
    }

    /// False when the life was over before the crash.
    private static boolean dieAfter(int steps) {
        try (var cluster = SimulatedCluster.with(nodes(1))) {
            cluster.always(Invariants::check);
            var good = cluster.submitting(job().runs(Duration.ofSeconds(1)));
            var bad = cluster.submitting(job().runs(Duration.ofSeconds(2)).exits(4));
            var last = true;
            for (var step = 0; step < steps && last; step++) {
                last = cluster.step(Duration.ofSeconds(3));
                last &= !isOver(good, cluster) || !isOver(bad, cluster);
            }

            cluster.failControllers();
            cluster.advance(Duration.ofSeconds(5));
            cluster.restartControllers();
            cluster.advance(Duration.ofSeconds(60));

            assertThat(cluster.state(good.join())).isEqualTo(JobState.COMPLETED);
            assertThat(cluster.state(bad.join())).isEqualTo(JobState.FAILED);
            assertThat(cluster.snapshot().jobs().size()).isEqualTo(2);
            assertThat(cluster.runs()).hasSize(2);
            return last;
        }
    }

    private static boolean isOver(CompletableFuture<JobId> job, SimulatedCluster cluster) {
        return job.isDone() && cluster.job(job.join()).isEnded();
    }
}
