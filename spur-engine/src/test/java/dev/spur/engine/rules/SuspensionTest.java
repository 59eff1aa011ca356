package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobState;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SuspensionTest {
    private final Heart cluster = Heart.with(1, node().cpus(8).memory(8000));

    @AfterEach
    void nothingIsGivenTwice() {
        Invariants.check(cluster.snapshot());
    }

    @Test
    void othersMayHaveTheCpusButNotTheMemoryOfAJobThatStandsStill() {
        var first = cluster.run(job().cpusPerTask(8).memoryPerNode(5000));
        suspend(first);

        var small = cluster.submit(job().cpusPerTask(8).memoryPerNode(2000));
        var large = cluster.submit(job().cpusPerTask(1).memoryPerNode(4000));
        cluster.schedule();

        assertThat(cluster.job(small).state()).isEqualTo(JobState.RUNNING);
        assertThat(cluster.job(large).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aNodeOfWhichAllJobsStandStillHasNoCpuInUse() {
        var id = cluster.run(job().cpusPerTask(8));

        suspend(id);

        assertThat(cluster.node("node1").usage().cpus().isEmpty()).isTrue();
        assertThat(cluster.node("node1").usage().jobs()).isEqualTo(1);
    }

    @Test
    void itGoesOnOnlyWhenNobodyElseHasItsCpus() {
        var first = cluster.run(job().cpusPerTask(8).memoryPerNode(1000));
        suspend(first);
        var second = cluster.run(job().cpusPerTask(8).memoryPerNode(1000));

        assertThat(resume(first, Heart.ADMIN))
                .returns(Result.Verdict.REFUSED, Result.Answer::verdict)
                .returns(ErrorCode.NODES_BUSY, Result.Answer::code);

        cluster.finish(second, 0);
        assertThat(resume(first, Heart.ADMIN).verdict()).isEqualTo(Result.Verdict.DONE);
        assertThat(cluster.job(first).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void itsEndTakesNoCpuFromThoseWhoHaveThemNow() {
        var first = cluster.run(job().cpusPerTask(8).memoryPerNode(1000));
        suspend(first);
        var second = cluster.run(job().cpusPerTask(8).memoryPerNode(1000));

        cluster.cancel(first.toString(), Heart.ADMIN);
        Invariants.check(cluster.snapshot());
        cluster.clean(first);

        assertThat(cluster.job(second).state()).isEqualTo(JobState.RUNNING);
        assertThat(cluster.node("node1").usage().cpus().size()).isEqualTo(8);
    }

    @Test
    void limitThatIsChangedWhileItStandsStillCountsWhenItGoesOn() {
        var start = cluster.now();
        var id = cluster.run(job().timeLimit(Duration.ofHours(1)));
        cluster.advance(Duration.ofMinutes(10));
        suspend(id);
        cluster.update(id, Heart.ADMIN, new JobChange.SetTimeLimit(TimeLimit.ofMinutes(180)));
        cluster.advance(Duration.ofMinutes(20));

        resume(id, Heart.ADMIN);

        assertThat(cluster.job(id).deadline())
                .isEqualTo(start.plus(Duration.ofHours(3)).plus(Duration.ofMinutes(20)));
    }

    @Test
    void onlyOperatorsStopAJobAndLetItGoOn() {
        var id = cluster.run(job());

        assertThat(suspend(id, Heart.ALICE).verdict()).isEqualTo(Result.Verdict.DENIED);
        suspend(id);
        assertThat(resume(id, Heart.ALICE).verdict()).isEqualTo(Result.Verdict.DENIED);
    }

    @Test
    void whatDoesNotRunCannotBeStoppedAndWhatIsStoppedStaysSo() {
        var running = cluster.run(job().cpusPerTask(8));
        var waiting = cluster.submit(job().cpusPerTask(8));

        assertThat(suspend(waiting, Heart.ADMIN).code()).isEqualTo(ErrorCode.JOB_PENDING);
        assertThat(resume(running, Heart.ADMIN).code()).isEqualTo(ErrorCode.JOB_NOT_SUSPENDED);
        suspend(running);
        suspend(running);
        assertThat(cluster.job(running).state()).isEqualTo(JobState.SUSPENDED);
        cluster.finish(running, 0);
        assertThat(suspend(running, Heart.ADMIN).code()).isEqualTo(ErrorCode.ALREADY_DONE);
    }

    @Test
    void aJobThatIsRequeuedWhileItStandsStillIsHeld() {
        var id = cluster.run(job().requeue(true));
        suspend(id);
        cluster.requeue(id.toString(), Heart.ALICE);
        cluster.clean(id);

        assertThat(cluster.job(id).queueing().isHeld()).isTrue();
    }

    @Test
    void thoseThatDoNotRunAreLeftAloneWhenOnlyTheIncompleteAreRequeued() {
        var id = cluster.run(job().requeue(true));
        cluster.finish(id, 0);

        cluster.apply(
                new Command.RequeueJobs(
                        cluster.now(),
                        "",
                        Heart.ALICE,
                        List.of(JobSelector.of(id)),
                        false,
                        false,
                        true));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void jobsPutFirstComeBeforeTheOthersOfTheirUserAndNobodyElseWaitsLonger() {
        cluster.run(job().cpusPerTask(8).timeLimit(Duration.ofHours(1)));
        var one = cluster.submit(job().cpusPerTask(8));
        var other = cluster.submit(job().cpusPerTask(8));
        var last = cluster.submit(job().cpusPerTask(8));
        var before = List.of(priority(one), priority(other), priority(last));

        cluster.apply(
                new Command.TopJobs(cluster.now(), "", Heart.ADMIN, List.of(JobSelector.of(last))));

        assertThat(List.of(priority(last), priority(one), priority(other))).isEqualTo(before);
    }

    @Test
    void thousandsArePutFirstInTheOrderInWhichTheyAreNamed() {
        var all = new ArrayList<JobId>();
        for (var i = 0; i < 3_000; i++) {
            all.add(cluster.submit(job().cpusPerTask(8)));
        }
        var named = all.subList(1_000, 3_000).reversed();

        cluster.apply(
                new Command.TopJobs(
                        cluster.now(),
                        "",
                        Heart.ADMIN,
                        named.stream().map(JobSelector::of).toList()));

        var order = new ArrayList<JobId>(named);
        order.addAll(all.subList(0, 1_000));
        all.sort(Comparator.comparingLong(this::priority).reversed());
        assertThat(all).isEqualTo(order);
    }

    @Test
    void usersDoNotPutJobsFirst() {
        cluster.run(job().cpusPerTask(8));
        var id = cluster.submit(job().cpusPerTask(8));

        var answer =
                cluster.apply(
                        new Command.TopJobs(
                                cluster.now(), "", Heart.ALICE, List.of(JobSelector.of(id))));

        assertThat(((Result.PerJob) answer).answers().getFirst().verdict())
                .isEqualTo(Result.Verdict.DENIED);
    }

    private long priority(JobId id) {
        return cluster.priority(id);
    }

    private void suspend(JobId id) {
        assertThat(suspend(id, Heart.ADMIN).verdict()).isEqualTo(Result.Verdict.DONE);
    }

    private Result.Answer suspend(JobId id, Actor actor) {
        var command =
                new Command.SuspendJobs(
                        cluster.now(), "", actor, List.of(JobSelector.of(id)), true);
        return ((Result.PerJob) cluster.apply(command)).answers().getFirst();
    }

    private Result.Answer resume(JobId id, Actor actor) {
        var command = new Command.ResumeJobs(cluster.now(), "", actor, List.of(JobSelector.of(id)));
        return ((Result.PerJob) cluster.apply(command)).answers().getFirst();
    }
}
