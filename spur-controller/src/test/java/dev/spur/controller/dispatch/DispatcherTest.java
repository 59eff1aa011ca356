package dev.spur.controller.dispatch;

import static dev.spur.model.fixture.JobFixture.job;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.JobTerms;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.TerminateJob;
import dev.spur.controller.agent.OneThreadController;
import dev.spur.controller.agent.PretendChannel;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.StepId;
import dev.spur.model.notation.TimeLimit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DispatcherTest {
    @TempDir Path directory;
    @AutoClose private OneThreadController controller;
    private PretendChannel node1;

    @BeforeEach
    void start() throws IOException {
        controller = new OneThreadController(directory);
        node1 = controller.connect("node1");
    }

    @Test
    void scriptIsLaunchedWhenItsJobStarts() {
        var id = controller.run(job().on("node1").timeLimit(ofMinutes(10)));

        assertThat(launches(node1))
                .singleElement()
                .satisfies(launch -> {
                    assertThat(launch.getJobId()).isEqualTo(id.value());
                    assertThat(launch.getAttempt()).isZero();
                    assertThat(launch.getRemainingMillis()).isEqualTo(600_000);
                });
    }

    @Test
    void agentThatMissedALaunchGetsItWhenItIsBack() {
        node1.hangUp();
        var id = controller.run(job().on("node1"));

        controller.connect(node1);

        assertThat(launches(node1))
                .extracting(StepLaunch::getJobId)
                .containsExactly((int) id.value());
    }

    @Test
    void scriptThatANodeHasIsNotSentAgainUnlessItIsOfAnEarlierAttempt() {
        var id = begun();
        controller.apply(at ->
                new Command.RequeueJobs(at, "", Heart.ADMIN, selected(id), false, false, false));
        node1.gone(id, 0);
        controller.schedule();
        node1.take(_ -> true, message -> message);

        node1.hangUp();
        controller.connect(node1.has(id, 0, StepId.BATCH));
        assertThat(launches(node1)).extracting(StepLaunch::getAttempt).containsExactly(1);
        node1.hangUp();
        controller.connect(node1.has(id, 1, StepId.BATCH));

        assertThat(launches(node1)).isEmpty();
    }

    @Test
    void limitThatWasChangedWhileTheAgentWasAwayIsToldWhenItIsBack() {
        var id = begun();
        node1.hangUp();
        controller.apply(at ->
                new Command.UpdateJobs(
                        at,
                        "",
                        Heart.ADMIN,
                        selected(id),
                        List.of(new JobChange.SetTimeLimit(TimeLimit.ofMinutes(90)))));
        controller.advance(ofMinutes(5));

        controller.connect(node1.has(id, 0, StepId.BATCH));

        assertThat(terms(node1))
                .singleElement()
                .satisfies(terms -> {
                    assertThat(terms.getRemainingMillis()).isEqualTo(ofMinutes(85).toMillis());
                    assertThat(terms.getSuspended()).isFalse();
                });
    }

    @Test
    void suspensionIsToldAtOnceAndAgainToAnAgentThatConnects() {
        var id = begun();

        controller.apply(at -> new Command.SuspendJobs(at, "", Heart.ADMIN, selected(id), true));
        assertThat(terms(node1)).extracting(JobTerms::getSuspended).containsExactly(true);
        node1.hangUp();
        controller.connect(node1.has(id, 0, StepId.BATCH));
        assertThat(terms(node1))
                .singleElement()
                .satisfies(terms -> {
                    assertThat(terms.getSuspended()).isTrue();
                    assertThat(terms.getRemainingMillis()).isEqualTo(-1);
                });
        controller.advance(ofMinutes(30));
        controller.apply(at -> new Command.ResumeJobs(at, "", Heart.ADMIN, selected(id)));

        assertThat(terms(node1))
                .singleElement()
                .satisfies(terms -> {
                    assertThat(terms.getSuspended()).isFalse();
                    assertThat(terms.getRemainingMillis()).isEqualTo(ofMinutes(60).toMillis());
                });
    }

    /// Otherwise both would have the same CPUs for a moment.
    @Test
    void whoStandsStillIsToldBeforeWhoGoesOn() {
        var first = begun();
        var second = begun();
        controller.apply(at -> new Command.SuspendJobs(at, "", Heart.ADMIN, selected(first), true));
        node1.take(_ -> true, message -> message);
        node1.hangUp();
        controller.apply(
                at -> new Command.SuspendJobs(at, "", Heart.ADMIN, selected(second), true));
        controller.apply(at -> new Command.ResumeJobs(at, "", Heart.ADMIN, selected(first)));

        controller.connect(node1.has(first, 0, StepId.BATCH).has(second, 0, StepId.BATCH));

        assertThat(terms(node1))
                .extracting(JobTerms::getJobId, JobTerms::getSuspended)
                .containsExactly(
                        tuple((int) second.value(), true), tuple((int) first.value(), false));
    }

    @Test
    void cancelledStepIsEndedAlsoByAnAgentThatWasAway() {
        var id = begun();
        controller.apply(
                at -> new Command.CreateStep(at, "", Heart.ALICE, id, StepRequest.of("step")));
        node1.hangUp();
        controller.cancel(id + ".0");

        controller.connect(node1.has(id, 0, StepId.BATCH, new StepId(0)));

        assertThat(terminations(node1))
                .singleElement()
                .satisfies(end -> {
                    assertThat(end.getStepId()).isZero();
                    assertThat(end.hasStepId()).isTrue();
                });
    }

    @Test
    void nextLeaderTellsWhatTheLastOneCouldNot() {
        var id = begun();
        node1.hangUp();
        controller.cancel(id.toString());

        controller.leadAnew();
        controller.connect(node1.has(id, 0, StepId.BATCH));

        assertThat(terminations(node1))
                .singleElement()
                .extracting(TerminateJob::getJobId, TerminateJob::getAttempt)
                .containsExactly((int) id.value(), 0);
    }

    @Test
    void launchThatWaitedForItsAgentToReadIsNotSentWhenItsJobWasCancelledMeanwhile() {
        node1.reads(false);
        var id = controller.run(job().on("node1"));
        controller.cancel(id.toString());

        node1.reads(true);

        assertThat(launches(node1)).isEmpty();
        assertThat(terminations(node1)).hasSize(1);
    }

    @Test
    void termsThatWaitedForTheirAgentToReadAreTheOnesInForce() {
        var id = begun();
        node1.reads(false);
        controller.apply(at -> new Command.SuspendJobs(at, "", Heart.ADMIN, selected(id), true));
        controller.apply(at -> new Command.ResumeJobs(at, "", Heart.ADMIN, selected(id)));
        controller.apply(at ->
                new Command.UpdateJobs(
                        at,
                        "",
                        Heart.ADMIN,
                        selected(id),
                        List.of(new JobChange.SetTimeLimit(TimeLimit.ofMinutes(90)))));

        node1.reads(true);

        assertThat(terms(node1))
                .isNotEmpty()
                .allSatisfy(terms -> {
                    assertThat(terms.getSuspended()).isFalse();
                    assertThat(terms.getRemainingMillis()).isEqualTo(ofMinutes(90).toMillis());
                });
    }

    /// A job whose script runs on node1.
    private JobId begun() {
        var id = controller.run(job().on("node1"));
        node1.started(id, 0, 1);
        node1.take(_ -> true, message -> message);
        return id;
    }

    private static List<StepLaunch> launches(PretendChannel agent) {
        return agent.take(
                ControllerMessage::hasLaunch,
                message -> {
                    try {
                        return StepLaunch.parseFrom(message.getLaunch().getLaunch());
                    } catch (InvalidProtocolBufferException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    private static List<JobTerms> terms(PretendChannel agent) {
        return agent.take(ControllerMessage::hasTerms, ControllerMessage::getTerms);
    }

    private static List<TerminateJob> terminations(PretendChannel agent) {
        return agent.take(ControllerMessage::hasTerminate, ControllerMessage::getTerminate);
    }

    private static List<JobSelector> selected(JobId id) {
        return List.of(JobSelector.of(id));
    }
}
