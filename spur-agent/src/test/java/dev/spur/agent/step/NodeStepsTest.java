package dev.spur.agent.step;

import static dev.spur.api.v1.StepReportKind.STEP_ENDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.JobTerms;
import dev.spur.api.v1.TerminateCause;
import dev.spur.api.v1.TerminateJob;
import dev.spur.model.StepId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeStepsTest {
    private static final StepId FIRST = new StepId(0);
    private static final StepKey SCRIPT = new StepKey(1, StepId.BATCH, 0);

    @TempDir Path directory;
    private Instant now = Instant.parse("2026-11-15T12:00:00Z");
    private final InstantSource clock = () -> now;
    private final SimulatedLauncher machine = new SimulatedLauncher(clock);
    private final Outbox outbox = new Outbox(0);
    private final EndedJobs ended = EndedJobs.inMemory(clock);
    private final NodeSteps steps = new NodeSteps(machine, outbox, ended, clock, Runnable::run);
    private final List<AgentMessage> said = new ArrayList<>();

    @BeforeEach
    void connect() {
        outbox.connected(said::add);
    }

    @Test
    void jobIsGoneWhenTheLastOfItsStepsHasEnded() throws Exception {
        machine.obedient(false);
        steps.launchBatch(StepPlans.script("").plan());
        steps.launch(StepPlans.command("srun").plan(), new StepReader());

        steps.terminate(requeue(0));
        machine.finish(SCRIPT, 0, 15);
        assertThat(said).noneMatch(NodeStepsTest::saysThatNothingIsLeft);
        machine.finish(new StepKey(1, FIRST, 0), 0, 15);

        assertThat(said).last().matches(NodeStepsTest::saysThatNothingIsLeft);
        assertThat(said).noneMatch(AgentMessage::hasJobGone);
    }

    @Test
    void largeScriptsBeginOneAfterTheOther() {
        var later = new ArrayList<Runnable>();
        var busy = new NodeSteps(machine, outbox, ended, clock, later::add);

        busy.launchBatch(StepPlans.script("#".repeat(1 << 20)).job(1).plan());
        assertThat(machine.running()).hasSize(1);
        busy.launchBatch(StepPlans.script("").job(2).plan());

        assertThat(machine.running()).hasSize(1);
        later.forEach(Runnable::run);
        assertThat(machine.running()).hasSize(2);
    }

    @Test
    void endOfAScriptThatWasAloneSaysThatNothingIsLeft() {
        steps.launchBatch(StepPlans.script("").plan());

        machine.finish(SCRIPT, 0, 0);

        assertThat(said).last().matches(NodeStepsTest::saysThatNothingIsLeft);
    }

    /// Until the controller asks, for it has not heard that of its job's other nodes.
    @Test
    void endOfAStepLeavesItsJobAsItIs() throws Exception {
        steps.launch(StepPlans.command("srun").plan(), new StepReader());

        machine.finish(new StepKey(1, FIRST, 0), 0, 0);

        assertThat(said).last().matches(message -> message.getReport().getKind() == STEP_ENDED);
        assertThat(said).noneMatch(NodeStepsTest::saysThatNothingIsLeft);
    }

    @Test
    void lastStepThatEndsAfterTheScriptSaysThatNothingIsLeft() throws Exception {
        steps.launchBatch(StepPlans.script("").plan());
        steps.launch(StepPlans.command("srun").plan(), new StepReader());

        machine.finish(SCRIPT, 0, 0);
        assertThat(said).noneMatch(NodeStepsTest::saysThatNothingIsLeft);
        machine.finish(new StepKey(1, FIRST, 0), 0, 0);

        assertThat(said).last().matches(NodeStepsTest::saysThatNothingIsLeft);
    }

    @Test
    void nothingBeginsAfterItWasSaidThatNothingIsLeft() {
        steps.launchBatch(StepPlans.script("").plan());
        machine.finish(SCRIPT, 0, 0);

        assertThatThrownBy(() -> steps.launch(StepPlans.command("late").plan(), new StepReader()))
                .isInstanceOf(LaunchException.class)
                .hasMessage("job 1 has ended on this node");
    }

    /// Its launch may have been under way for minutes, or somebody has kept it.
    @Test
    void nothingBeginsOfAJobThatEndedInAFormerLifeOfTheAgent() {
        var file = directory.resolve("ended-jobs");
        var before =
                new NodeSteps(machine, outbox, EndedJobs.open(file, clock), clock, Runnable::run);
        before.terminate(requeue(0));

        var next =
                new NodeSteps(machine, outbox, EndedJobs.open(file, clock), clock, Runnable::run);
        next.adoptAll();

        assertThatThrownBy(() -> next.launch(StepPlans.command("late").plan(), new StepReader()))
                .isInstanceOf(LaunchException.class)
                .hasMessage("job 1 has ended on this node");
    }

    /// A leader that has not heard of the end yet gives the order again.
    @Test
    void scriptThatHasEndedIsNotAFailedLaunchIfItIsOrderedAgain() {
        steps.launchBatch(StepPlans.script("").plan());
        machine.finish(SCRIPT, 0, 0);

        steps.launchBatch(StepPlans.script("").plan());

        assertThat(said).noneMatch(AgentMessage::hasLaunchFailed);
        assertThat(machine.running()).isEmpty();
    }

    /// Its processes do not die for hours, while small jobs come and go.
    @Test
    void stepThatTakesLongToEndIsNotForgottenForManyThatEnd() throws Exception {
        steps.launchBatch(StepPlans.script("").plan());
        steps.launch(StepPlans.command("srun").plan(), new StepReader());
        machine.finish(SCRIPT, 0, 0);
        for (var job = 2; job < 20_000; job++) {
            steps.terminate(TerminateJob.newBuilder().setJobId(job).build());
            now = now.plusSeconds(1);
        }

        machine.finish(new StepKey(1, FIRST, 0), 0, 9);

        assertThat(said).last().matches(NodeStepsTest::saysThatNothingIsLeft);
    }

    @Test
    void agentThatWasRestartedSaysAgainThatNothingIsLeft() {
        steps.launchBatch(StepPlans.script("").plan());
        machine.finish(SCRIPT, 0, 0);
        said.clear();

        restarted();

        assertThat(said).last().matches(NodeStepsTest::saysThatNothingIsLeft);
    }

    /// Whichever of the two is found first.
    @Test
    void agentThatWasRestartedDoesNotSayThatNothingIsLeftWhileAStepRuns() throws Exception {
        steps.launchBatch(StepPlans.script("").plan());
        steps.launch(StepPlans.command("srun").plan(), new StepReader());
        machine.finish(SCRIPT, 0, 0);
        said.clear();

        restarted();
        assertThat(said).noneMatch(NodeStepsTest::saysThatNothingIsLeft);
        machine.finish(new StepKey(1, FIRST, 0), 0, 0);

        assertThat(said).last().matches(NodeStepsTest::saysThatNothingIsLeft);
    }

    @Test
    void stepOfTheNextAttemptIsNotTheOneOfTheFormer() throws Exception {
        var former = steps.launch(StepPlans.command("first").plan(), new StepReader());
        steps.terminate(requeue(0));

        assertThat(steps.find(new StepKey(1, FIRST, 1), new StepReader())).isEmpty();
        var next = steps.launch(StepPlans.command("second").attempt(1).plan(), new StepReader());

        assertThat(next.key()).isNotEqualTo(former.key());
        assertThat(steps.find(former.key(), new StepReader())).isPresent();
        assertThat(machine.running())
                .singleElement()
                .extracting(plan -> plan.arguments().getFirst())
                .isEqualTo("second");
    }

    @Test
    void nextAttemptDoesNotBeginWhileAStepOfTheFormerRuns() throws Exception {
        machine.obedient(false);
        steps.launch(StepPlans.command("first").plan(), new StepReader());
        steps.terminate(requeue(0));

        steps.launchBatch(StepPlans.script("").attempt(1).plan());

        assertThat(said)
                .filteredOn(AgentMessage::hasLaunchFailed)
                .singleElement()
                .extracting(message -> message.getLaunchFailed().getReason())
                .isEqualTo("another run of job 1 has not ended on this node yet");
        assertThat(machine.running()).hasSize(1);
    }

    @Test
    void stepOfAnAttemptThatWasEndedHereIsRefusedAlsoIfNothingOfItEverRan() {
        steps.terminate(requeue(0));

        assertThatThrownBy(() -> steps.launch(StepPlans.command("late").plan(), new StepReader()))
                .isInstanceOf(LaunchException.class)
                .hasMessage("job 1 has ended on this node");
        assertThat(said).filteredOn(AgentMessage::hasJobGone).hasSize(1);
    }

    @Test
    void leaseThatComesWhileAStepIsLaunchedCountsForIt() throws Exception {
        var end = clock.instant().plusSeconds(300);
        var leases =
                new StepReader() {
                    @Override
                    public void changed(StepStatus status) {
                        steps.lease(end);
                    }
                };

        var step = steps.launch(StepPlans.command("srun").plan(), leases);

        assertThat(machine.leaseEnd(step.key())).isEqualTo(end);
    }

    @Test
    void nothingBeginsThatCouldNotEndWithinTheLease() {
        steps.lease(clock.instant().plusSeconds(60));
        var slow = StepPlans.command("slow").killWait(Duration.ofSeconds(60)).plan();

        assertThatThrownBy(() -> steps.launch(slow, new StepReader()))
                .isInstanceOf(LaunchException.class)
                .hasMessageContaining("has not heard of its controller");
    }

    @Test
    void stepsOfASuspendedJobAreStoppedAndContinuedOnceHoweverOftenItIsSaid() {
        steps.launchBatch(StepPlans.script("").plan());

        steps.goOn(terms(true));
        steps.goOn(terms(true));
        steps.goOn(terms(false));
        steps.goOn(terms(false));

        assertThat(machine.signalsTo(SCRIPT)).containsExactly(19, 18);
    }

    @Test
    void stepThatBeginsInASuspendedJobStandsStill() {
        steps.goOn(terms(true));

        steps.launchBatch(StepPlans.script("").plan());

        assertThat(machine.signalsTo(SCRIPT)).containsExactly(19);
    }

    /// Launches take their time, and `srun` carries some itself.
    @Test
    void limitThatWasRaisedOrLiftedBeforeAStepBeganCountsForIt() throws Exception {
        var launchedWith = StepPlans.command("srun").timeLimit(Duration.ofMinutes(1)).plan();
        steps.goOn(JobTerms.newBuilder().setJobId(1).setRemainingMillis(3_600_000).build());
        steps.launch(launchedWith, new StepReader());
        assertThat(machine.timeLeftOf(launchedWith.key())).isEqualTo(Duration.ofHours(1));

        steps.goOn(terms(true));
        var another = StepPlans.script("").timeLimit(Duration.ofMinutes(1)).plan();
        steps.launchBatch(another);
        assertThat(machine.timeLeftOf(another.key())).isNull();
    }

    /// The job may have been taken from the node while it was away.
    @Test
    void whatWasSaidOfAJobWithoutStepsCountsNoLongerThanTheConnection() throws Exception {
        steps.goOn(JobTerms.newBuilder().setJobId(1).setRemainingMillis(3_600_000).build());

        steps.connecting();

        var plan = StepPlans.command("srun").timeLimit(Duration.ofMinutes(1)).plan();
        steps.launch(plan, new StepReader());
        assertThat(machine.timeLeftOf(plan.key())).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void whatWasSaidOfAJobWithAStepCountsForItsNextAlsoAfterAReconnection() throws Exception {
        steps.launchBatch(StepPlans.script("").plan());
        steps.goOn(JobTerms.newBuilder().setJobId(1).setRemainingMillis(3_600_000).build());

        steps.connecting();

        var plan = StepPlans.command("srun").timeLimit(Duration.ofMinutes(1)).plan();
        steps.launch(plan, new StepReader());
        assertThat(machine.timeLeftOf(plan.key())).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void agentThatWasRestartedLearnsWhetherAStepStandsStill() {
        steps.launchBatch(StepPlans.script("").plan());
        var next = restarted();

        next.goOn(terms(false));
        next.goOn(terms(true));

        assertThat(machine.signalsTo(SCRIPT)).containsExactly(18, 19);
    }

    @Test
    void stepThatIsToEndHearsItOnce() throws Exception {
        machine.obedient(false);
        steps.launch(StepPlans.command("srun").plan(), new StepReader());

        steps.terminate(requeue(0));
        steps.terminate(requeue(0));

        assertThat(machine.terminationsOf(new StepKey(1, FIRST, 0))).isEqualTo(1);
    }

    private NodeSteps restarted() {
        var next = new NodeSteps(machine, outbox, ended, clock, Runnable::run);
        next.adoptAll();
        return next;
    }

    private static boolean saysThatNothingIsLeft(AgentMessage message) {
        return message.getReport().getKind() == STEP_ENDED && message.getReport().getNothingLeft();
    }

    private static JobTerms terms(boolean suspended) {
        return JobTerms.newBuilder()
                .setJobId(1)
                .setRemainingMillis(-1)
                .setSuspended(suspended)
                .build();
    }

    private static TerminateJob requeue(int attempt) {
        return TerminateJob.newBuilder()
                .setJobId(1)
                .setAttempt(attempt)
                .setCause(TerminateCause.TERMINATE_REQUEUE)
                .setKillWaitSeconds(30)
                .build();
    }

    /// Somebody who reads a step's streams and never says that he has read all.
    private static class StepReader implements StepListener {
        @Override
        public void changed(StepStatus status) {}

        @Override
        public void lost(String because) {}
    }
}
