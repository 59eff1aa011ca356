package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.engine.fixture.Heart.BOB;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.RulesFixture.rules;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.Usage;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.LaunchFault;
import dev.spur.engine.step.StepEnd;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobState;
import dev.spur.model.Outcome;
import dev.spur.model.StepId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class JobLifecycleTest {
    private final Heart cluster = Heart.with(2, node());

    @Test
    void jobRunsAndEndsWithTheCodeOfItsScript() {
        var id = cluster.run(job());
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);

        cluster.endScript(id, 0);
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);

        cluster.clean(id);
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void scriptThatFailsMakesTheJobFail() {
        var id = cluster.run(job());

        cluster.finish(id, 3);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.FAILED);
        assertThat(cluster.job(id).reason()).hasToString("NonZeroExitCode");
        assertThat(((JobPhase.Ended) cluster.job(id).phase()).outcome().exit()).hasToString("3:0");
    }

    @Test
    void nodesAreFreedOneByOneAsTheySayThatTheyAreClean() {
        var id = cluster.run(job().nodes(2).tasksPerNode(8));
        cluster.endScript(id, 0);

        cluster.apply(new Command.JobGone(cluster.now(), id, 0, "node1"));

        assertThat(cluster.node("node1").usage()).isEqualTo(Usage.NONE);
        assertThat(cluster.node("node2").usage().cpus()).isEqualTo(IndexSet.range(0, 8));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
    }

    @Test
    void scriptThatWasTheLastOfItsJobEndsItAtOnce() {
        var id = cluster.run(job());

        endScriptAndAll(id, 3);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.FAILED);
        assertThat(cluster.node("node1").usage()).isEqualTo(Usage.NONE);
    }

    @Test
    void jobWhoseScriptLeftNothingBehindWaitsForItsOtherNodes() {
        var id = cluster.run(job().nodes(2).tasksPerNode(8));

        endScriptAndAll(id, 0);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        assertThat(cluster.node("node1").usage()).isEqualTo(Usage.NONE);
        assertThat(cluster.node("node2").usage().completing()).isEqualTo(1);
    }

    @Test
    void cancelledJobIsOverWithTheEndOfItsLastStep() {
        var id = cluster.run(job());
        cluster.cancel(id.toString(), ALICE);

        endScriptAndAll(id, 7);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.CANCELLED);
        assertThat(((JobPhase.Ended) cluster.job(id).phase()).outcome().exit()).hasToString("7:0");
        assertThat(cluster.node("node1").usage()).isEqualTo(Usage.NONE);
    }

    /// An agent that was restarted says it again, and may know more by then.
    @Test
    void nodeIsCleanAlsoIfTheEndThatSaysSoIsKnown() {
        var id = cluster.run(job());
        cluster.endScript(id, 0);

        endScriptAndAll(id, 0);
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETED);

        assertThat(endScriptAndAll(id, 0)).isInstanceOf(Result.Ignored.class);
    }

    @Test
    void requeuedJobWaitsAgainWithTheEndOfItsLastStep() {
        var id = cluster.run(job());
        cluster.requeue(id.toString(), ALICE);

        endScriptAndAll(id, 0);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
        assertThat(cluster.job(id).attempts().restarts()).isEqualTo(1);
    }

    private Result endScriptAndAll(JobId id, int code) {
        return cluster.endScript(id, cluster.end(new ExitStatus(code, 0)), true);
    }

    @Test
    void retryOfASubmissionReturnsTheSameJob() {
        var submit = new Command.SubmitJob(cluster.now(), "r", ALICE, job().spec(), null, null);

        var first = cluster.apply(submit);
        var again = cluster.apply(submit);

        assertThat(again).isEqualTo(first);
        assertThat(cluster.snapshot().jobs().size()).isEqualTo(1);
    }

    @Test
    void cancellingAPendingJobEndsItAtOnce() {
        var id = cluster.submit(job());

        cluster.cancel(id.toString(), ALICE);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void cancelledRunningJobCompletesAndStaysCancelledWhateverItsScriptReturns() {
        var id = cluster.run(job());

        cluster.cancel(id.toString(), ALICE);
        cluster.finish(id, 0);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.CANCELLED);
        assertThat(((JobPhase.Ended) cluster.job(id).phase()).outcome().by())
                .isEqualTo(ALICE.uid());
    }

    @Test
    void cancelledJobTellsHowItsScriptEnded() {
        var killed = cluster.run(job());
        cluster.begin(killed);
        var trapping = cluster.run(job());
        cluster.begin(trapping);

        cluster.cancel(killed.toString(), Heart.ALICE);
        cluster.endScript(killed, cluster.end(new ExitStatus(0, 15)));
        cluster.clean(killed);
        cluster.cancel(trapping.toString(), Heart.ALICE);
        cluster.finish(trapping, 4);

        assertThat(outcome(killed).state()).isEqualTo(JobState.CANCELLED);
        assertThat(outcome(killed).exit()).isEqualTo(new ExitStatus(0, 15));
        assertThat(outcome(trapping).state()).isEqualTo(JobState.CANCELLED);
        assertThat(outcome(trapping).exit()).isEqualTo(new ExitStatus(4, 0));
    }

    @Test
    void jobThatTookTooLongTellsHowItsScriptEnded() {
        var ended = cluster.run(job().timeLimit(ofMinutes(1)));
        cluster.begin(ended);
        var backstop = cluster.run(job().timeLimit(ofMinutes(1)));
        cluster.begin(backstop);

        cluster.endScript(ended, timedOut(new ExitStatus(0, 15)));
        cluster.clean(ended);
        cluster.advance(ofMinutes(3));
        cluster.endScript(backstop, timedOut(new ExitStatus(4, 0)));
        cluster.clean(backstop);

        assertThat(outcome(ended).state()).isEqualTo(JobState.TIMEOUT);
        assertThat(outcome(ended).exit()).isEqualTo(new ExitStatus(0, 15));
        assertThat(outcome(backstop).state()).isEqualTo(JobState.TIMEOUT);
        assertThat(outcome(backstop).exit()).isEqualTo(new ExitStatus(4, 0));
    }

    private StepEnd timedOut(ExitStatus exit) {
        return new StepEnd(exit, false, true, false, 0, 0, 0, cluster.now(), cluster.now(), "");
    }

    private Outcome outcome(JobId id) {
        return ((JobPhase.Ended) cluster.job(id).phase()).outcome();
    }

    @Test
    void nobodyElseMayCancel() {
        var id = cluster.run(job());

        var answer = ((Result.PerJob) cluster.cancel(id.toString(), BOB)).answers().getFirst();

        assertThat(answer.verdict()).isEqualTo(Result.Verdict.DENIED);
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void requeuedJobKeepsItsIdAndIgnoresReportsOfTheOldAttempt() {
        var id = cluster.run(job());
        cluster.requeue(id.toString(), ALICE);
        cluster.finish(id, 1);
        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);

        cluster.schedule();
        var stale =
                cluster.apply(
                        new Command.StepEnded(
                                cluster.now(),
                                id,
                                0,
                                StepId.BATCH,
                                "node1",
                                cluster.end(new ExitStatus(1, 0))));

        assertThat(stale).isInstanceOf(Result.Ignored.class);
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
        assertThat(cluster.job(id).attempts().restarts()).isEqualTo(1);
    }

    @Test
    void jobThatEndedInTimeEndsAsItsScriptDidAlsoIfThatIsHeardAfterTheTimeLimit() {
        var id = cluster.run(job().timeLimit(ofMinutes(10)));
        cluster.begin(id);
        cluster.advance(ofMinutes(5));
        var end = cluster.end(ExitStatus.SUCCESS);
        cluster.advance(ofMinutes(10));

        cluster.endScript(id, end);
        cluster.clean(id);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void jobThatItsNodeDidNotEndAtItsTimeLimitIsEndedByTheController() {
        var id = cluster.run(job().timeLimit(ofMinutes(10)));
        cluster.begin(id);

        cluster.advance(ofMinutes(10));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
        cluster.advance(ofMinutes(2));

        assertThat(cluster.job(id).phase().baseState()).isEqualTo(JobState.TIMEOUT);
    }

    @Test
    void outOfMemoryIsShownAsSlurmShowsIt() {
        var id = cluster.run(job());

        cluster.endScript(
                id,
                new StepEnd(
                        new ExitStatus(0, 9),
                        true,
                        false,
                        false,
                        0,
                        0,
                        0,
                        cluster.now(),
                        cluster.now(),
                        ""));
        cluster.clean(id);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.OUT_OF_MEMORY);
        assertThat(((JobPhase.Ended) cluster.job(id).phase()).outcome().exit())
                .hasToString("0:125");
    }

    @Test
    void endedJobIsForgottenAfterMinJobAge() {
        var id = cluster.run(job());
        cluster.finish(id, 0);

        cluster.advance(ofSeconds(299));
        assertThat(cluster.snapshot().job(id)).isPresent();
        cluster.advance(ofSeconds(1));

        assertThat(cluster.snapshot().job(id)).isEmpty();
    }

    @Test
    void jobWithABeginTimeWaitsForIt() {
        var id = cluster.run(job().begin(cluster.now().plusSeconds(60)));
        assertThat(cluster.job(id).reason()).hasToString("BeginTime");

        cluster.advance(ofSeconds(60));
        cluster.schedule();

        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void jobThatCouldNotBeLaunchedWaitsTwiceAsLongEachTimeAndIsHeldAfterTheFifth() {
        var id = cluster.run(job());
        var pauses = new ArrayList<Duration>();
        for (var attempt = 0; attempt < 5; attempt++) {
            assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
            cluster.apply(
                    new Command.LaunchFailed(
                            cluster.now(),
                            id,
                            attempt,
                            StepId.BATCH,
                            "node1",
                            "no space",
                            LaunchFault.PASSING));
            cluster.clean(id);
            pauses.add(Duration.between(cluster.now(), cluster.job(id).queueing().notBefore()));
            cluster.advance(ofMinutes(5));
            cluster.schedule();
        }

        assertThat(pauses)
                .containsExactly(
                        ofSeconds(5), ofSeconds(10), ofSeconds(20), ofSeconds(40), ofSeconds(80));
        assertThat(cluster.job(id).reason()).hasToString("JobHoldMaxRequeue");
        assertThat(cluster.job(id).attempts().restarts()).isZero();
    }

    @Test
    void jobThatCanBeLaunchedNowhereEndsWithTheReasonAndCostsNoNode() {
        var id = cluster.run(job());

        cluster.apply(
                new Command.LaunchFailed(
                        cluster.now(),
                        id,
                        0,
                        StepId.BATCH,
                        "node1",
                        "a text holds a NUL: \0",
                        LaunchFault.LAUNCH));
        cluster.clean(id);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.FAILED);
        assertThat(cluster.job(id).reason()).hasToString("JobLaunchFailure:a_text_holds_a_NUL:_?");
        assertThat(cluster.node("node1").isSchedulable()).isTrue();
    }

    @Test
    void newJobTakesThePlaceOfTheOneThatEndedFirst() {
        var small = Heart.with(1, node(), rules().maxJobCount(3).build());
        var waiting = small.submit(job().held());
        var first = small.run(job());
        var second = small.run(job());
        small.finish(second, 0);
        small.advance(ofSeconds(1));
        small.finish(first, 0);

        var next = small.submit(job().held());
        assertThat(jobsOf(small)).containsExactly(waiting, first, next);
        var last = small.submit(job().held());
        assertThat(jobsOf(small)).containsExactly(waiting, next, last);

        assertThat(small.trySubmit(job()))
                .isEqualTo(
                        new Result.Refused(
                                ErrorCode.TOO_MANY_JOBS,
                                "the cluster holds 3 jobs, its maximum. Wait until some have ended"
                                        + " and try again"));
    }

    @Test
    void dependencyOnAJobThatIsForgottenByItsOwnSubmissionStillCounts() {
        var small = Heart.with(1, node(), rules().maxJobCount(1).build());
        var failed = small.run(job());
        small.finish(failed, 1);

        var id = small.submit(job().dependency("afterok:" + failed));

        assertThat(small.job(id).reason()).hasToString("DependencyNeverSatisfied");
    }

    private static List<JobId> jobsOf(Heart heart) {
        return heart.snapshot().jobs().stream().map(Job::id).toList();
    }

    @Test
    void usersReleaseTheirOwnHoldButNotAnAdministrators() {
        var id = cluster.submit(job().held());
        assertThat(cluster.job(id).reason()).hasToString("JobHeldUser");
        cluster.release(id.toString(), ALICE);
        assertThat(cluster.job(id).queueing().isHeld()).isFalse();

        cluster.hold(id.toString(), ADMIN);
        var answer = ((Result.PerJob) cluster.release(id.toString(), ALICE)).answers().getFirst();

        assertThat(cluster.job(id).reason()).hasToString("JobHeldAdmin");
        assertThat(answer.verdict()).isEqualTo(Result.Verdict.DENIED);
    }

    @Test
    void suspendedTimeDoesNotCount() {
        var id = cluster.run(job().timeLimit(ofMinutes(10)));
        cluster.advance(ofMinutes(1));
        cluster.apply(new Command.SuspendJobs(cluster.now(), "", ADMIN, selectors(id), true));
        cluster.advance(ofMinutes(30));
        cluster.apply(new Command.ResumeJobs(cluster.now(), "", ADMIN, selectors(id)));

        assertThat(cluster.job(id).runTime(cluster.now())).isEqualTo(ofMinutes(1));
        assertThat(((JobPhase.Running) cluster.job(id).phase()).deadline())
                .isEqualTo(cluster.now().plus(ofMinutes(9)));
    }

    @Test
    void staleStartIsIgnoredAndChangesNothing() {
        var first = cluster.submit(job().nodes(2).tasksPerNode(8));
        var second = cluster.submit(job().nodes(2).tasksPerNode(8));
        cluster.schedule();
        var placement = cluster.job(first).phase().placementOrNull();

        var result =
                cluster.apply(
                        new Command.StartJobs(
                                cluster.now(),
                                List.of(
                                        new Command.JobStart(
                                                second, Objects.requireNonNull(placement), 0))));

        assertThat(((Result.Started) result).jobs()).isEmpty();
        assertThat(cluster.job(second).state()).isEqualTo(JobState.PENDING);
    }

    private static List<JobSelector> selectors(JobId id) {
        return List.of(JobSelector.of(id));
    }
}
