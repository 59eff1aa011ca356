package dev.spur.engine.limit;

import static dev.spur.engine.fixture.Lab.account;
import static dev.spur.engine.fixture.Lab.flags;
import static dev.spur.engine.fixture.Lab.most;
import static dev.spur.engine.fixture.Lab.ofAccount;
import static dev.spur.engine.fixture.Lab.ofQos;
import static dev.spur.engine.fixture.Lab.ofUser;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.RulesFixture.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.account.AccountSetting;
import dev.spur.engine.account.AccountsChange;
import dev.spur.engine.account.AccountsEntity;
import dev.spur.engine.account.AccountsSelector;
import dev.spur.engine.account.CountLimit;
import dev.spur.engine.account.QosFlag;
import dev.spur.engine.account.TresLimit;
import dev.spur.engine.admission.Admission;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Lab;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.rules.SupposedJob;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.StartCommands;
import dev.spur.engine.state.Result;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.Reason;
import dev.spur.model.fixture.JobFixture;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimitTest {
    private static final int CPU = TresRegistry.CPU;

    private final Heart cluster =
            Lab.set(
                    Heart.with(
                            4,
                            node().cpus(8).memory(4000).gpus("tesla", 4),
                            rules().enforcingAccounts(false).build()));

    private JobFixture bobs() {
        return job().of(1003, "bob");
    }

    private boolean runs(JobId id) {
        return cluster.job(id).phase().startedAt() != null;
    }

    private String waitsFor(JobFixture job) {
        var id = cluster.run(job);
        assertThat(runs(id)).isFalse();
        return cluster.reason(id);
    }

    private static ErrorCode refusal(Result result) {
        assertThat(result).isInstanceOf(Result.Refused.class);
        return ((Result.Refused) result).code();
    }

    private static String message(Result result) {
        return ((Result.Refused) result).message();
    }

    @Test
    void jobIsChargedToTheDefaultAccountAndTheQosNormal() {
        var charge = cluster.job(cluster.submit(job())).terms().charge();

        assertThat(charge.account()).isEqualTo("physics");
        assertThat(charge.association())
                .isEqualTo(Lab.association(cluster, "physics", "alice").id());
        assertThat(charge.qosName()).isEqualTo("normal");
    }

    @Test
    void whoHasNoAssociationIsRefusedInSlurmsWords() {
        assertThat(refusal(cluster.trySubmit(job().of(1009, "eve"))))
                .isEqualTo(ErrorCode.INVALID_ACCOUNT);
        assertThat(refusal(cluster.trySubmit(job().account("chem"))))
                .isEqualTo(ErrorCode.INVALID_ACCOUNT);
        assertThat(refusal(cluster.trySubmit(job().account("nosuch"))))
                .isEqualTo(ErrorCode.INVALID_ACCOUNT);
        assertThat(refusal(cluster.trySubmit(job().qos("nosuch"))))
                .isEqualTo(ErrorCode.INVALID_QOS);
    }

    @Test
    void qosThatTheAssociationDoesNotAllowIsRefused() {
        cluster.accounts(
                ofUser(
                        "alice",
                        new AccountSetting.SetAllowedQos(
                                AccountSetting.Way.SET, List.of("normal"))));

        assertThat(refusal(cluster.trySubmit(job().qos("short")))).isEqualTo(ErrorCode.INVALID_QOS);
        assertThat(cluster.job(cluster.submit(bobs().qos("short"))).terms().charge().qosName())
                .isEqualTo("short");
    }

    @Test
    void whereNothingIsEnforcedUnknownUsersRunAsEver() {
        var free = Lab.set(Heart.with(1, node().cpus(8)));
        free.accounts(ofAccount("physics", most(CountLimit.GRP_JOBS, 0)));

        assertThat(free.job(free.run(job().of(1009, "eve").account("x"))).phase().startedAt())
                .isNotNull();
        assertThat(free.job(free.run(job())).phase().startedAt()).isNotNull();
    }

    @Test
    void associationOfThePartitionComesBeforeThatOfAll() {
        cluster.accounts(
                new AccountsChange.AddUsers(
                        List.of("alice"), List.of("physics"), List.of("debug"), List.of()));

        var charge = cluster.job(cluster.submit(job())).terms().charge();

        assertThat(cluster.snapshot().accounts().associations().get(charge.association()))
                .extracting(one -> one.partition())
                .isEqualTo("debug");
    }

    @Test
    void groupSharesCpusAcrossItsTree() {
        cluster.accounts(
                account("lasers", "physics"),
                Lab.user("carol", "lasers"),
                ofAccount("physics", most(TresLimit.GRP, CPU, 6)));
        cluster.run(job().tasks(4));

        assertThat(waitsFor(job().of(1005, "carol").tasks(4))).isEqualTo("AssocGrpCpuLimit");
        assertThat(runs(cluster.run(job().of(1005, "carol").tasks(2)))).isTrue();
    }

    @Test
    void jobThatALimitKeepsWaitingStandsInNobodysWay() {
        cluster.accounts(ofAccount("physics", most(TresLimit.GRP, CPU, 8)));
        cluster.run(job().tasks(8));
        var blocked = cluster.submit(job().tasks(8));
        var all = cluster.submit(bobs().nodes(3).tasksPerNode(8));

        cluster.schedule();

        assertThat(runs(all)).isTrue();
        assertThat(cluster.reason(blocked)).isEqualTo("AssocGrpCpuLimit");
        assertThat(cluster.planOf(blocked).expectedStart()).isNull();
    }

    @Test
    void numberOfRunningJobsIsLimited() {
        cluster.accounts(
                ofUser("alice", most(CountLimit.MAX_JOBS, 1)),
                ofAccount("chem", most(CountLimit.GRP_JOBS, 1)));
        var first = cluster.run(job());
        cluster.run(bobs());

        assertThat(waitsFor(job())).isEqualTo("AssocMaxJobsLimit");
        assertThat(waitsFor(bobs())).isEqualTo("AssocGrpJobsLimit");

        cluster.finish(first, 0);
        cluster.schedule();

        assertThat(cluster.snapshot().jobs().stream().filter(job -> job.hasNodes()).count())
                .isEqualTo(2);
    }

    @Test
    void passStartsNoMoreThanIsAllowed() {
        cluster.accounts(ofUser("alice", most(CountLimit.MAX_JOBS, 3)));
        for (var i = 0; i < 8; i++) {
            cluster.submit(job());
        }
        cluster.submit(job().array("1-9"));

        cluster.schedule();

        assertThat(cluster.snapshot().jobs().stream().filter(job -> job.hasNodes()).count())
                .isEqualTo(3);
    }

    @Test
    void limitsOfAQosAreForEachUser() {
        cluster.accounts(
                ofQos(
                        "short",
                        most(CountLimit.MAX_JOBS_PER_USER, 1),
                        most(CountLimit.MAX_WALL, 30)));
        var brief = Duration.ofMinutes(20);
        cluster.run(job().qos("short").timeLimit(brief));

        assertThat(waitsFor(job().qos("short").timeLimit(brief)))
                .isEqualTo("QOSMaxJobsPerUserLimit");
        assertThat(runs(cluster.run(bobs().qos("short").timeLimit(brief)))).isTrue();
        assertThat(waitsFor(job().of(1004, "sadmin").qos("short").timeLimit(Duration.ofDays(5))))
                .isEqualTo("QOSMaxWallDurationPerJobLimit");
    }

    @Test
    void reasonsAreSlurmsWords() {
        cluster.accounts(
                ofQos("short", most(TresLimit.MAX_PER_USER, CPU, 2)),
                ofUser("bob", most(CountLimit.MAX_WALL, 10)),
                ofUser("alice", most(TresLimit.MAX_PER_JOB, TresRegistry.NODE, 1)));

        assertThat(waitsFor(job().qos("short").tasks(3))).isEqualTo("QOSMaxCpuPerUserLimit");
        assertThat(waitsFor(bobs())).isEqualTo("AssocMaxWallDurationPerJobLimit");
        assertThat(waitsFor(job().nodes(2))).isEqualTo("AssocMaxNodePerJobLimit");

        cluster.accounts(
                ofQos("short", most(TresLimit.MAX_PER_USER, CPU, -1), most(TresLimit.GRP, CPU, 0)));
        assertThat(waitsFor(job().of(1004, "sadmin").qos("short"))).isEqualTo("QOSGrpCpuLimit");

        var gpu = cluster.snapshot().tres().id("gres/gpu");
        cluster.accounts(ofAccount("physics", most(TresLimit.GRP, gpu, 1)));
        assertThat(waitsFor(job().of(1004, "sadmin").gpus(2))).isEqualTo("AssocGrpGRES");
    }

    @Test
    void qosTakesThePlaceOfWhatTheAssociationSays() {
        cluster.accounts(
                ofUser("alice", most(CountLimit.MAX_JOBS, 0), most(CountLimit.MAX_WALL, 1)),
                ofQos(
                        "short",
                        most(CountLimit.MAX_JOBS_PER_USER, 5),
                        most(CountLimit.MAX_WALL, 120)));

        assertThat(runs(cluster.run(job().qos("short")))).isTrue();
        assertThat(waitsFor(job())).isEqualTo("AssocMaxJobsLimit");
    }

    @Test
    void howManyJobsThereMayBeIsRefusedAtSubmission() {
        cluster.accounts(
                ofUser("alice", most(CountLimit.MAX_SUBMIT_JOBS, 3)),
                ofQos("short", most(CountLimit.MAX_SUBMIT_PER_USER, 1)));
        cluster.submit(job().array("1-2"));

        var tooMany = cluster.trySubmit(job().array("1-2"));
        assertThat(refusal(tooMany)).isEqualTo(ErrorCode.LIMIT_REACHED);
        assertThat(message(tooMany)).isEqualTo("AssocMaxSubmitJobLimit");
        cluster.submit(job());
        cluster.submit(bobs().qos("short"));
        assertThat(message(cluster.trySubmit(bobs().qos("short"))))
                .isEqualTo("QOSMaxSubmitJobPerUserLimit");
    }

    @Test
    void whatIsTooLargeIsRefusedWhereTheQosSaysSoAndWaitsElsewhere() {
        cluster.accounts(
                ofQos("short", most(CountLimit.MAX_WALL, 30), most(TresLimit.MAX_PER_JOB, CPU, 4)));
        assertThat(cluster.trySubmit(job().qos("short").tasks(8)))
                .isInstanceOf(Result.Submitted.class);

        cluster.accounts(ofQos("short", flags(QosFlag.DENY_ON_LIMIT)));

        assertThat(message(cluster.trySubmit(job().qos("short").tasks(8))))
                .isEqualTo("QOSMaxWallDurationPerJobLimit");
        assertThat(
                        message(
                                cluster.trySubmit(
                                        job().qos("short")
                                                .tasks(8)
                                                .timeLimit(Duration.ofMinutes(5)))))
                .isEqualTo("QOSMaxCpuPerJobLimit");
    }

    @Test
    void triedJobIsKeptOutByTheLimitThatWouldKeepItOut() {
        cluster.accounts(ofUser("alice", most(CountLimit.MAX_SUBMIT_JOBS, 1)));
        assertThat(triedIsKeptOutBy(job())).isNull();

        cluster.submit(job());

        assertThat(triedIsKeptOutBy(job())).hasToString("AssocMaxSubmitJobLimit");
        assertThat(message(cluster.trySubmit(job()))).isEqualTo("AssocMaxSubmitJobLimit");
    }

    private @Nullable Reason triedIsKeptOutBy(JobFixture job) {
        var spec = job.spec();
        var admitted = Admission.admit(cluster.snapshot(), Heart.ALICE, spec, cluster.now());
        return SupposedJob.keptOut(
                cluster.snapshot(), spec, (Admission.Admitted) admitted, cluster.now());
    }

    @Test
    void limitThatIsLoweredEndsNothing() {
        var running = cluster.run(job().tasks(8));

        cluster.accounts(ofAccount("physics", most(TresLimit.GRP, CPU, 1)));
        cluster.advance(Duration.ofMinutes(10));
        cluster.schedule();

        assertThat(runs(running)).isTrue();
        assertThat(cluster.job(running).hasNodes()).isTrue();
        assertThat(waitsFor(job())).isEqualTo("AssocGrpCpuLimit");
    }

    @Test
    void startThatWasPlannedBeforeALimitWasLoweredIsNotDone() {
        var id = cluster.submit(job());
        var plan = new BackfillPass().plan(cluster.snapshot(), cluster.now());
        cluster.accounts(ofUser("alice", most(CountLimit.MAX_JOBS, 0)));

        StartCommands.of(cluster.snapshot(), plan, cluster.now()).forEach(cluster::apply);

        assertThat(runs(id)).isFalse();
    }

    @Test
    void minutesThatWereUsedUpKeepJobsWaiting() {
        cluster.accounts(ofAccount("physics", most(TresLimit.GRP_MINUTES, CPU, 80)));
        var id = cluster.run(job().tasks(8));
        cluster.advance(Duration.ofMinutes(11));
        cluster.finish(id, 0);

        assertThat(waitsFor(job())).isEqualTo("AssocGrpCPUMinutesLimit");
    }

    @Test
    void safeStartsOnlyWhatTheMinutesLastFor() {
        var safe = Lab.set(Heart.with(4, node().cpus(8), rules().enforcingAccounts(true).build()));
        safe.accounts(ofAccount("physics", most(TresLimit.GRP_MINUTES, CPU, 100)));

        var tooLong = safe.submit(job().tasks(2));
        var first = safe.submit(job());
        var second = safe.submit(job());
        safe.schedule();

        assertThat(safe.job(first).hasNodes()).isTrue();
        assertThat(safe.job(second).hasNodes()).isFalse();
        assertThat(safe.reason(tooLong)).isEqualTo("AssocGrpCPUMinutesLimit");
        assertThat(safe.reason(second)).isEqualTo("AssocGrpCPUMinutesLimit");

        safe.advance(Duration.ofMinutes(10));
        safe.finish(first, 0);
        safe.schedule();

        assertThat(safe.job(second).hasNodes()).isTrue();
    }

    @Test
    void associationAndQosThatJobsUseAreNotDeleted() {
        var id = cluster.submit(job().qos("short"));
        var alice = new AccountsChange.Delete(AccountsEntity.USER, AccountsSelector.named("alice"));
        var brief = new AccountsChange.Delete(AccountsEntity.QOS, AccountsSelector.named("short"));

        assertThat(refusal(cluster.accounts(alice)))
                .isEqualTo(ErrorCode.JOBS_RUNNING_ON_ASSOCIATION);
        assertThat(refusal(cluster.accounts(brief)))
                .isEqualTo(ErrorCode.JOBS_RUNNING_ON_ASSOCIATION);

        cluster.cancel(id.toString(), Heart.ALICE);

        assertThat(cluster.accounts(alice, brief)).isInstanceOf(Result.AccountsChanged.class);
    }

    @Test
    void whoMovesToAnotherParentCountsThere() {
        cluster.accounts(
                account("lasers", "physics"),
                Lab.user("carol", "lasers"),
                ofAccount("chem", most(TresLimit.GRP, CPU, 6)));
        cluster.run(job().of(1005, "carol").tasks(4));

        cluster.accounts(ofAccount("lasers", new AccountSetting.SetParent("chem")));

        assertThat(waitsFor(bobs().tasks(4))).isEqualTo("AssocGrpCpuLimit");
    }

    @Test
    void coordinatorActsOnTheJobsOfHisAccount() {
        var id = cluster.submit(job());
        assertThat(((Result.PerJob) cluster.hold(id.toString(), Heart.BOB)).answers().getFirst())
                .extracting(Result.Answer::verdict)
                .isEqualTo(Result.Verdict.DENIED);

        cluster.accounts(new AccountsChange.AddCoordinators(List.of("physics"), List.of("bob")));

        assertThat(((Result.PerJob) cluster.hold(id.toString(), Heart.BOB)).answers().getFirst())
                .extracting(Result.Answer::verdict)
                .isEqualTo(Result.Verdict.DONE);
    }

    @Test
    void changedAccountAndQosCountAtOnce() {
        cluster.accounts(ofQos("short", most(CountLimit.GRP_JOBS, 0)));
        var id = cluster.submit(job());

        cluster.update(id, Heart.ALICE, new JobChange.SetQos("short"));
        cluster.schedule();

        assertThat(cluster.reason(id)).isEqualTo("QOSGrpJobsLimit");
        assertThat(cluster.update(id, Heart.ALICE, new JobChange.SetAccount("chem")).code())
                .isEqualTo(ErrorCode.INVALID_ACCOUNT);
    }

    @Test
    void jobThatIsGivenMoreThanItAskedForIsCheckedByWhatItGets() {
        cluster.accounts(ofAccount("physics", most(TresLimit.GRP, CPU, 6)));

        assertThat(waitsFor(job().exclusive())).isEqualTo("AssocGrpCpuLimit");
        assertThat(runs(cluster.run(bobs().exclusive().nodes(4)))).isTrue();
    }
}
