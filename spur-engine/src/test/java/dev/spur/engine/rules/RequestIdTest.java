package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.engine.fixture.Heart.BOB;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.credential.IssuedJoinToken;
import dev.spur.engine.credential.IssuedToken;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.Role;
import dev.spur.model.fixture.JobFixture;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestIdTest {
    private static final int MANY = 5_000;

    private final Heart cluster = Heart.with(1, node());

    @Test
    void requestThatIsSentAgainIsAnsweredAgainAndActsOnce() {
        var first = submit("1", ALICE, job());
        var second = submit("1", ALICE, job());

        assertThat(second).isEqualTo(first);
        assertThat(cluster.snapshot().jobs().stream()).hasSize(1);
    }

    @Test
    void idThatAnotherUserTookIsFree() {
        var ofAlice = submit("1", ALICE, job());
        var ofBob = submit("1", BOB, job().of(BOB.uid(), BOB.userName()));

        assertThat(ofBob).isInstanceOf(Result.Submitted.class).isNotEqualTo(ofAlice);
        assertThat(cluster.job(((Result.Submitted) ofBob).job()).spec().owner().uid())
                .isEqualTo(BOB.uid());
    }

    @Test
    void idThatWasTakenForAnotherKindOfRequestIsRefused() {
        var job = ((Result.Submitted) submit("1", ALICE, job())).job();

        var result = cancel("1", ALICE, List.of(JobSelector.of(job)));

        assertThat(result)
                .isEqualTo(
                        new Result.Refused(
                                ErrorCode.INVALID_REQUEST,
                                "the request id 1 was used before, to submit a job."
                                        + " Every request needs an id of its own"));
        assertThat(cluster.job(job).isPending()).isTrue();
    }

    @Test
    void idThatIsForgottenDoesNotMakeATokenGoodAgainThatWasRevoked() {
        assertThat(createToken()).isEqualTo(Result.DONE);
        cluster.apply(new Command.RevokeToken(cluster.now(), "2", ALICE, "token"));
        cluster.advance(RememberedRequests.KEPT_FOR.plusHours(2));

        assertThat(createToken())
                .isEqualTo(
                        new Result.Refused(
                                ErrorCode.INVALID_REQUEST,
                                "the request id 1 made a token before."
                                        + " Every request needs an id of its own"));
        assertThat(cluster.snapshot().credentials().tokens().values())
                .singleElement()
                .matches(IssuedToken::revoked);
    }

    @Test
    void idThatIsForgottenDoesNotMakeAJoinTokenGoodAgainThatWasUsed() {
        assertThat(createJoinToken()).isEqualTo(Result.DONE);
        cluster.apply(new Command.UseJoinToken(cluster.now(), "hash", "node9", "key"));
        cluster.advance(RememberedRequests.KEPT_FOR.plusHours(2));

        assertThat(createJoinToken()).isInstanceOf(Result.Refused.class);
        assertThat(cluster.snapshot().credentials().joinTokens().values())
                .singleElement()
                .matches(IssuedJoinToken::isUsed);
    }

    private Result createToken() {
        var until = cluster.now().plus(Duration.ofDays(300));
        var token =
                new IssuedToken(
                        "token", ALICE.uid(), "alice", Role.USER, cluster.now(), until, false);
        return cluster.apply(new Command.CreateToken(cluster.now(), "1", ALICE, token));
    }

    private Result createJoinToken() {
        var until = cluster.now().plus(Duration.ofDays(300));
        var token = new IssuedJoinToken("hash", "compute", "", cluster.now(), until, "", "");
        return cluster.apply(new Command.CreateJoinToken(cluster.now(), "1", ADMIN, token));
    }

    @Test
    void answerAboutVeryManyJobsIsRememberedInFewBytes() {
        var jobs = new ArrayList<JobSelector>();
        for (var i = 0; i < MANY; i++) {
            jobs.add(JobSelector.of(cluster.submit(job().held())));
        }
        jobs.add(JobSelector.of(new JobId(4711_000)));
        var answer = cancel("", ALICE, jobs);
        var before = bytesOfState();

        var unknown = cancel("again", ADMIN, jobs);
        assertThat(bytesOfState() - before).isLessThan(MANY);
        assertThat(cancel("again", ADMIN, jobs)).isEqualTo(unknown).isNotEqualTo(answer);
    }

    @Test
    void requestsOfOneUserMakeNobodyElsesBeForgotten() {
        var first = submit("1", BOB, job().of(BOB.uid(), BOB.userName()));
        for (var i = 0; i < 201_000; i++) {
            cancel("id " + i, ALICE, List.of());
        }

        assertThat(submit("1", BOB, job().of(BOB.uid(), BOB.userName()))).isEqualTo(first);
        assertThat(cluster.snapshot().requests().size()).isLessThan(21_000);
    }

    @Test
    void whoAsksAboutSeveralJobsAtATimeDoesNotFillTheMemory() {
        var jobs = new ArrayList<JobSelector>();
        for (var i = 0; i < 100; i++) {
            jobs.add(JobSelector.of(cluster.submit(job().held())));
        }
        cancel("", ALICE, jobs);
        var before = bytesOfState();

        for (var i = 0; i < 100; i++) {
            cancel("request " + i, ALICE, jobs);
        }

        assertThat((bytesOfState() - before) / 100).isLessThan(200);
    }

    @Test
    void idOfManyJobsMeansNothingToOtherJobs() {
        var jobs = new ArrayList<JobSelector>();
        for (var i = 0; i < 200; i++) {
            jobs.add(JobSelector.of(cluster.submit(job().held())));
        }
        cancel("1", ALICE, jobs);

        assertThat(cancel("1", ALICE, jobs.subList(0, 3))).isInstanceOf(Result.Refused.class);
    }

    @Test
    void stepThatIsAskedForAgainIsTheSameStep() {
        var job = cluster.run(job().allocation());

        var first = step("1", job);

        assertThat(first).isInstanceOf(Result.StepCreated.class);
        assertThat(step("1", job)).isEqualTo(first);
        assertThat(cluster.job(job).steps().live()).hasSize(1);
    }

    @Test
    void stepThatEndedBeforeItsAnswerArrivedIsToldAllTheSame() {
        var job = cluster.run(job());
        var first = (Result.StepCreated) step("1", job);

        cluster.endStep(job, first.step());

        assertThat(cluster.job(job).steps().find(first.step().id())).isEmpty();
        assertThat(((Result.StepCreated) step("1", job)).step().id()).isEqualTo(first.step().id());
    }

    @Test
    void stepOfAnEarlierAttemptIsNotHandedOutAgain() {
        var job = cluster.run(job());
        step("1", job);
        cluster.requeue(job.toString(), ALICE);
        cluster.clean(job);
        cluster.schedule();
        step("2", job);

        assertThat(step("1", job))
                .isEqualTo(
                        new Result.Refused(ErrorCode.ALREADY_DONE, "step 1.0 has ended already"));
    }

    @Test
    void stepThatFoundNoRoomWasNotAnsweredYet() {
        var job = cluster.run(job().allocation());
        var first = (Result.StepCreated) step("1", job);

        assertThat(step("2", job)).isInstanceOf(Result.StepBusy.class);
        cluster.endStep(job, first.step());

        assertThat(step("2", job)).isInstanceOf(Result.StepCreated.class);
    }

    @Test
    void whoWaitsForRoomDoesNotPushOutWhatHeWasAnsweredBefore() {
        var job = cluster.run(job().allocation());
        step("1", job);
        var before = cluster.snapshot().requests().size();

        step("2", job);

        assertThat(cluster.snapshot().requests().size()).isEqualTo(before);
    }

    private Result submit(String id, Actor actor, JobFixture job) {
        return cluster.apply(
                new Command.SubmitJob(cluster.now(), id, actor, job.spec(), null, null));
    }

    private Result cancel(String id, Actor actor, List<JobSelector> jobs) {
        return cluster.apply(new Command.CancelJobs(cluster.now(), id, actor, jobs));
    }

    private Result step(String id, JobId job) {
        return cluster.apply(
                new Command.CreateStep(cluster.now(), id, ALICE, job, StepRequest.of("step")));
    }

    private int bytesOfState() {
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(cluster.snapshot(), bytes::write);
        return bytes.size();
    }
}
