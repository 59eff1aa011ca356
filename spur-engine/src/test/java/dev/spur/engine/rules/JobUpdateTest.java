package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.engine.fixture.Heart.BOB;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.CloudRules;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.Role;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class JobUpdateTest {
    private final Heart cluster = Heart.with(1, node());

    @Test
    void changesOfAPendingJobAreAdmittedAgain() {
        var id = cluster.submit(job().held());

        update(
                id,
                ALICE,
                new JobChange.SetTimeLimit(TimeLimit.ofMinutes(20)),
                new JobChange.SetName("renamed"));
        var refused = update(id, ALICE, new JobChange.SetPartitions(List.of("nowhere")));

        assertThat(cluster.job(id).terms().timeLimit()).isEqualTo(TimeLimit.ofMinutes(20));
        assertThat(cluster.job(id).spec().name()).isEqualTo("renamed");
        assertThat(refused.verdict()).isEqualTo(Result.Verdict.REFUSED);
    }

    @Test
    void runningJobsTimeMayBeCutByItsOwnerAndExtendedByAnOperator() {
        var id = cluster.run(job().timeLimit(ofMinutes(60)));

        assertThat(update(id, ALICE, new JobChange.SetTimeLimit(TimeLimit.ofMinutes(90))).verdict())
                .isEqualTo(Result.Verdict.DENIED);
        update(id, ALICE, new JobChange.SetTimeLimit(TimeLimit.ofMinutes(30)));
        assertThat(deadline(id)).isEqualTo(cluster.now().plus(ofMinutes(30)));
        update(id, ADMIN, new JobChange.SetTimeLimit(TimeLimit.ofMinutes(90)));
        assertThat(deadline(id)).isEqualTo(cluster.now().plus(ofMinutes(90)));
    }

    @Test
    void theCloudItselfLetsJobsOfItsUsersLastLongerAndDoesNothingElseToThem() {
        var plain = Heart.with(1, node()).snapshot().config();
        var clouded =
                Heart.configured(
                        new ClusterConfig(
                                plain.clusterName(),
                                plain.partitions(),
                                plain.nodes(),
                                plain.rules(),
                                plain.admins(),
                                plain.operators(),
                                plain.jobVisibility(),
                                new CloudRules(200_000, 299_999, "/home/spur-cloud")));
        clouded.register("node1", node());
        var theirs = clouded.run(job().of(200_001, "carol").timeLimit(ofMinutes(60)));
        var others = clouded.run(job().timeLimit(ofMinutes(60)));
        var cloud = new Actor(200_000, "spur-cloud", "edge", Role.USER, Actor.Origin.CLOUD);
        var carol = new Actor(200_001, "carol", "edge", Role.USER, Actor.Origin.CLOUD);
        var impostor = new Actor(200_000, "spur-cloud", "edge", Role.USER, Actor.Origin.TOKEN);
        var longer = new JobChange.SetTimeLimit(TimeLimit.ofMinutes(90));

        assertThat(clouded.update(theirs, cloud, longer).verdict()).isEqualTo(Result.Verdict.DONE);
        assertThat(clouded.job(theirs).terms().timeLimit()).isEqualTo(TimeLimit.ofMinutes(90));
        assertThat(clouded.update(others, cloud, longer).verdict())
                .isEqualTo(Result.Verdict.DENIED);
        assertThat(
                        clouded.update(
                                        theirs,
                                        carol,
                                        new JobChange.SetTimeLimit(TimeLimit.ofMinutes(99)))
                                .verdict())
                .isEqualTo(Result.Verdict.DENIED);
        assertThat(clouded.update(theirs, impostor, longer).verdict())
                .isEqualTo(Result.Verdict.DENIED);
        assertThat(clouded.update(theirs, cloud, longer, new JobChange.SetName("x")).verdict())
                .isEqualTo(Result.Verdict.DENIED);
    }

    @Test
    void strangersMayChangeNothing() {
        var id = cluster.submit(job());

        var answer = update(id, BOB, new JobChange.SetName("mine"));

        assertThat(answer.verdict()).isEqualTo(Result.Verdict.DENIED);
        assertThat(answer.code()).isEqualTo(ErrorCode.INVALID_USER); // as Slurm says it here
    }

    @Test
    void numberOfCpusIsMetWithTasksAndNotMultipliedByThem() {
        var id = cluster.submit(job().tasks(1).cpusPerTask(2).held());

        update(id, ALICE, new JobChange.SetCpus(8));

        assertThat(cluster.job(id).terms().demand().cpus()).isEqualTo(8);
        assertThat(cluster.job(id).terms().demand().tasks()).isEqualTo(4);
    }

    @Test
    void changeThatNoPartitionCouldEverServeIsRefused() {
        var id = cluster.submit(job().held());

        var answer = update(id, ALICE, new JobChange.SetCpus(999));

        assertThat(answer.code()).isEqualTo(ErrorCode.PARTITION_CONFIG_UNAVAILABLE);
        assertThat(cluster.job(id).terms().demand().cpus()).isEqualTo(1);
    }

    @Test
    void throttleOfAnArrayCanChangeWhileItRuns() {
        var array = cluster.run(job().array("1-8%2"));

        update(array, ALICE, new JobChange.SetArrayThrottle(3));
        cluster.schedule();

        assertThat(cluster.job(array).shownId()).isEqualTo(array + "_[4-8%3]");
    }

    private Instant deadline(JobId id) {
        return Objects.requireNonNull(((JobPhase.Running) cluster.job(id).phase()).deadline());
    }

    private Result.Answer update(JobId id, Actor actor, JobChange... changes) {
        return cluster.update(id, actor, changes);
    }
}
