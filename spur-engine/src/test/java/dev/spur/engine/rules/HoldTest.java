package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.LaunchFault;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobState;
import dev.spur.model.StepId;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A hold is lifted by the rank of whoever placed it, in whatever way it is tried.
class HoldTest {
    private final Heart cluster = Heart.with(1, node());

    @Test
    void ownerCannotLiftAnAdministratorsHoldByAPriority() {
        var id = cluster.submit(job());
        cluster.hold(id.toString(), ADMIN);

        assertThat(priority(id, 1).code()).isEqualTo(ErrorCode.JOB_HELD);
        assertThat(cluster.job(id).reason()).hasToString("JobHeldAdmin");
    }

    @Test
    void ownerCannotTurnAnAdministratorsHoldIntoHisOwn() {
        var id = cluster.submit(job());
        cluster.hold(id.toString(), ADMIN);

        cluster.hold(id.toString(), ALICE);
        priority(id, 0);
        userHold(id);

        assertThat(denied(cluster.release(id.toString(), ALICE))).isTrue();
        assertThat(cluster.job(id).reason()).hasToString("JobHeldAdmin");
    }

    @Test
    void administratorsHoldSurvivesWhateverHappensToTheJob() {
        var requeued = cluster.run(job());
        cluster.hold(requeued.toString(), ADMIN);
        cluster.requeue(requeued.toString(), ALICE);
        cluster.clean(requeued);
        assertThat(cluster.job(requeued).reason()).hasToString("JobHeldAdmin");

        var ended = cluster.run(job());
        cluster.hold(ended.toString(), ADMIN);
        cluster.finish(ended, 0);
        cluster.requeue(ended.toString(), ALICE, false, true);
        assertThat(cluster.job(ended).reason()).hasToString("JobHeldAdmin");

        var unlaunched = cluster.run(job());
        cluster.hold(unlaunched.toString(), ADMIN);
        cluster.apply(
                new Command.LaunchFailed(
                        cluster.now(),
                        unlaunched,
                        0,
                        StepId.BATCH,
                        "node1",
                        "no",
                        LaunchFault.NODE));
        cluster.clean(unlaunched);
        assertThat(cluster.job(unlaunched).reason()).hasToString("JobHeldAdmin");
    }

    @Test
    void priorityOfZeroFromItsOwnerIsAHoldThatHeLiftsHimself() {
        var id = cluster.submit(job());

        priority(id, 0);
        assertThat(cluster.job(id).reason()).hasToString("JobHeldUser");
        assertThat(cluster.priority(id)).isZero();

        cluster.release(id.toString(), ALICE);
        assertThat(cluster.job(id).queueing().isHeld()).isFalse();
    }

    @Test
    void priorityOfZeroFromAnAdministratorIsHis() {
        var id = cluster.submit(job());

        cluster.update(id, ADMIN, new JobChange.SetPriority(0));

        assertThat(cluster.job(id).reason()).hasToString("JobHeldAdmin");
    }

    @Test
    void noPriorityReleasesAHeldJobNotEvenRoots() {
        var id = cluster.submit(job().held());

        var answer = cluster.update(id, ADMIN, new JobChange.SetPriority(500));

        assertThat(answer.code().text())
                .isEqualTo("Job is in held state, pending scheduler release");
        assertThat(cluster.job(id).queueing().isHeld()).isTrue();
    }

    @Test
    void holdOfARunningJobCountsWhenItIsRequeued() {
        var id = cluster.run(job());

        assertThat(done(cluster.hold(id.toString(), ALICE))).isTrue();
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
        cluster.requeue(id.toString(), ALICE);
        assertThat(done(cluster.hold(id.toString(), ALICE))).isTrue();
        cluster.clean(id);
        cluster.schedule();

        assertThat(cluster.job(id).reason()).hasToString("JobHeldUser");
    }

    @Test
    void releaseOfARunningJobLiftsTheHoldThatWaitsForIt() {
        var id = cluster.run(job());
        cluster.hold(id.toString(), ALICE);

        assertThat(done(cluster.release(id.toString(), ALICE))).isTrue();
        assertThat(done(cluster.release(id.toString(), ALICE))).isTrue();
        cluster.requeue(id.toString(), ALICE);
        cluster.clean(id);
        cluster.schedule();

        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void jobThatIsOverCannotBeHeld() {
        var id = cluster.run(job());
        cluster.endScript(id, 0);
        assertThat(answer(cluster.hold(id.toString(), ALICE)).code())
                .isEqualTo(ErrorCode.ALREADY_DONE);
        cluster.clean(id);
        assertThat(answer(cluster.release(id.toString(), ALICE)).code())
                .isEqualTo(ErrorCode.ALREADY_DONE);
    }

    @Test
    void priorityOfARunningJobIsKeptForWhenItWaitsAgain() {
        var id = cluster.run(job());

        assertThat(priority(id, 1).verdict()).isEqualTo(Result.Verdict.DONE);
        assertThat(cluster.priority(id)).isEqualTo(1);
    }

    @Test
    void jobPutAsideAsSpecialExitIsShownSoUntilItIsReleased() {
        var id = cluster.run(job());
        cluster.requeue(id.toString(), ALICE, true, true);
        cluster.clean(id);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.SPECIAL_EXIT);
        assertThat(cluster.job(id).phase().baseState()).isEqualTo(JobState.PENDING);
        assertThat(cluster.job(id).reason()).hasToString("JobHeldUser");

        cluster.release(id.toString(), ALICE);
        cluster.schedule();
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void jobThatWaitsOrSoonWaitsAgainCannotBeRequeued() {
        var id = cluster.run(job());
        cluster.requeue(id.toString(), ALICE);
        assertThat(answer(cluster.requeue(id.toString(), ALICE, true, false)).code())
                .isEqualTo(ErrorCode.JOB_PENDING);
        cluster.clean(id);
        assertThat(answer(cluster.requeue(id.toString(), ALICE, true, false)).code())
                .isEqualTo(ErrorCode.JOB_PENDING);
        assertThat(cluster.job(id).queueing().isHeld()).isFalse();
    }

    @Test
    void cancelledJobStillSaysWhyItWaited() {
        var id = cluster.submit(job().held());

        cluster.cancel(id.toString(), ALICE);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.CANCELLED);
        assertThat(cluster.job(id).reason()).hasToString("JobHeldUser");
    }

    private Result.Answer priority(JobId id, long number) {
        return cluster.update(id, ALICE, new JobChange.SetPriority(number));
    }

    private void userHold(JobId id) {
        cluster.apply(
                new Command.HoldJobs(cluster.now(), "", ALICE, List.of(JobSelector.of(id)), true));
    }

    private static boolean done(Result result) {
        return answer(result).verdict() == Result.Verdict.DONE;
    }

    private static boolean denied(Result result) {
        return answer(result).verdict() == Result.Verdict.DENIED;
    }

    private static Result.Answer answer(Result result) {
        return ((Result.PerJob) result).answers().getFirst();
    }
}
