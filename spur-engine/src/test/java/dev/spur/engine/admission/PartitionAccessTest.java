package dev.spur.engine.admission;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.PartitionFixture.partition;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.MemoryRequest;
import dev.spur.model.NodeShare;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionState;
import dev.spur.model.Role;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.fixture.PartitionFixture;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Whom and what a partition lets in, when a job is submitted and when it is changed.
class PartitionAccessTest {
    private static final Actor ROOT = ADMIN;
    private static final Actor OPERATOR =
            new Actor(1010, "olga", "login", Role.OPERATOR, Actor.Origin.DOOR);

    private final Heart cluster = Heart.configured(config());

    private static ClusterConfig config(PartitionFixture... others) {
        return new ClusterConfig(
                "test",
                Stream.concat(
                                Stream.of(
                                        partition("debug"),
                                        partition("project")
                                                .notDefault()
                                                .allowGroups("physics", "x"),
                                        partition("open").notDefault().allowGroups("ALL"),
                                        partition("paid").notDefault().allowAccounts("chem"),
                                        partition("unpaid").notDefault().denyAccounts("chem"),
                                        partition("quick").notDefault().denyQos("long"),
                                        partition("lean").notDefault().maxMemoryPerNode(1000),
                                        partition("fair").notDefault().maxMemoryPerCpu(500)),
                                Stream.of(others))
                        .map(PartitionFixture::spec)
                        .toList(),
                List.of(NodeSpec.of("node[1-2]", node().shape())),
                ClusterRules.DEFAULTS);
    }

    PartitionAccessTest() {
        cluster.register("node1", node());
        cluster.register("node2", node());
    }

    @Test
    void partitionIsOpenToMembersOfItsGroupsOnly() {
        assertThat(submit(ALICE, job().in("project")))
                .isEqualTo(
                        new Result.Refused(
                                ErrorCode.GROUP_NOT_PERMITTED,
                                "partition project is for the groups physics,x"));
        assertThat(submit(ALICE.withGroups(List.of("x")), job().in("project")))
                .isInstanceOf(Result.Submitted.class);
        assertThat(submit(ALICE, job().in("open"))).isInstanceOf(Result.Submitted.class);
    }

    @Test
    void rootsOwnJobsRunEverywhere() {
        assertThat(submit(ROOT, job().of(0, "root").in("project")))
                .isInstanceOf(Result.Submitted.class);
    }

    @Test
    void jobIsMovedIntoAPartitionByThoseWhoMayUseItOnly() {
        var id = cluster.submit(job().held());

        assertThat(move(id, ALICE, "project")).isEqualTo(ErrorCode.GROUP_NOT_PERMITTED);
        assertThat(cluster.job(id).terms().partitions()).containsExactly("debug");
        assertThat(move(id, OPERATOR, "project")).isNull();
        assertThat(cluster.job(id).terms().partitions()).containsExactly("project");
    }

    @Test
    void jobThatIsInStaysInWhateverItsOwnerChanges() {
        var id = cluster.submit(job().held());
        move(id, OPERATOR, "project");

        assertThat(error(cluster.update(id, ALICE, new JobChange.SetName("renamed")))).isNull();
        cluster.configure(config(partition("closed").notDefault()));
        move(id, ALICE, "closed");
        cluster.configure(config(partition("closed").notDefault().state(PartitionState.DRAIN)));

        assertThat(error(cluster.update(id, ALICE, new JobChange.SetName("again")))).isNull();
        assertThat(cluster.job(id).spec().name()).isEqualTo("again");
        assertThat(move(cluster.submit(job().held()), ALICE, "closed"))
                .isEqualTo(ErrorCode.PARTITION_NOT_AVAILABLE);
    }

    @Test
    void operatorsChangeJobsOfOthers() {
        var id = cluster.submit(job().held());

        assertThat(error(cluster.update(id, OPERATOR, new JobChange.SetNice(-5)))).isNull();
        assertThat(error(cluster.update(id, ALICE, new JobChange.SetName("renamed")))).isNull();
    }

    @Test
    void accountsAndQosAreLetInOrKeptOutWhenTheyChangeToo() {
        assertThat(refusal(submit(ALICE, job().in("paid")))).isEqualTo(ErrorCode.INVALID_ACCOUNT);
        assertThat(refusal(submit(ALICE, job().account("chem").in("unpaid"))))
                .isEqualTo(ErrorCode.INVALID_ACCOUNT);
        var paid = cluster.submit(job().account("chem").in("paid").held());
        assertThat(error(cluster.update(paid, ALICE, new JobChange.SetAccount("other"))))
                .isEqualTo(ErrorCode.INVALID_ACCOUNT);
        var quick = cluster.submit(job().in("quick").held());
        assertThat(error(cluster.update(quick, ALICE, new JobChange.SetQos("long"))))
                .isEqualTo(ErrorCode.INVALID_QOS);
    }

    @Test
    void nobodyGetsMoreMemoryOfANodeThanThePartitionAllows() {
        assertThat(refusal(submit(ALICE, job().in("lean").memoryPerNode(1001))))
                .isEqualTo(ErrorCode.INVALID_TASK_MEMORY);
        assertThat(refusal(submit(ALICE, job().in("lean").memoryPerCpu(600).cpusPerTask(2))))
                .isEqualTo(ErrorCode.INVALID_TASK_MEMORY);
        assertThat(refusal(submit(ALICE, job().in("lean").allMemory())))
                .isEqualTo(ErrorCode.INVALID_TASK_MEMORY);
        var id = cluster.submit(job().in("lean").memoryPerNode(1000).held());
        assertThat(
                        error(
                                cluster.update(
                                        id,
                                        ALICE,
                                        new JobChange.SetMemory(new MemoryRequest.PerNode(1001)))))
                .isEqualTo(ErrorCode.INVALID_TASK_MEMORY);
    }

    @Test
    void memoryOfGpusIsMemoryOfTheNodeThatHasThem() {
        var gpus = Heart.configured(withGpus());
        gpus.register("node1", node().gpus("tesla", 4));

        assertThat(refusal(submit(gpus, job().in("lean").gpus(2).memoryPerGpu(501))))
                .isEqualTo(ErrorCode.INVALID_TASK_MEMORY);
        assertThat(refusal(submit(gpus, job().in("lean").gpusOfJob(4).memoryPerGpu(300))))
                .isEqualTo(ErrorCode.INVALID_TASK_MEMORY);
        assertThat(
                        refusal(
                                submit(
                                        gpus,
                                        job().in("lean")
                                                .tasks(2)
                                                .gpusPerTask(2)
                                                .memoryPerGpu(300))))
                .isEqualTo(ErrorCode.INVALID_TASK_MEMORY);
        assertThat(submit(gpus, job().in("lean").gpus(2).memoryPerGpu(500)))
                .isInstanceOf(Result.Submitted.class);
    }

    private static ClusterConfig withGpus() {
        return new ClusterConfig(
                "test",
                List.of(partition("lean").maxMemoryPerNode(1000).spec()),
                List.of(NodeSpec.of("node1", node().gpus("tesla", 4).shape())),
                ClusterRules.DEFAULTS);
    }

    @Test
    void tasksAreSpreadSoThatNoNodeGivesMoreMemoryThanAllowed() {
        var id = cluster.run(job().in("lean").tasks(4).memoryPerCpu(400));

        assertThat(Objects.requireNonNull(cluster.job(id).phase().placementOrNull()).nodes())
                .extracting(NodeShare::memoryMebibytes)
                .containsExactly(800L, 800L);
        assertThat(refusal(submit(ALICE, job().in("lean").nodes(1).tasks(4).memoryPerCpu(400))))
                .isEqualTo(ErrorCode.INVALID_TASK_MEMORY);
    }

    @Test
    void whoeverWantsMoreMemoryForEachCpuGetsMoreCpus() {
        var perCpu = cluster.run(job().in("fair").memoryPerCpu(1200));
        var perNode = cluster.run(job().in("fair").memoryPerNode(1100));

        assertThat(cluster.job(perCpu).phase().placementOrNull())
                .satisfies(placement -> {
                    assertThat(placement.cpus()).isEqualTo(3);
                    assertThat(placement.memoryMebibytes()).isEqualTo(1200);
                });
        assertThat(cluster.job(perNode).phase().placementOrNull())
                .satisfies(placement -> {
                    assertThat(placement.cpus()).isEqualTo(3);
                    assertThat(placement.memoryMebibytes()).isEqualTo(1100);
                });
    }

    private Result submit(Actor actor, JobFixture job) {
        return submit(cluster, actor, job);
    }

    private static Result submit(Heart heart, JobFixture job) {
        return submit(heart, ALICE, job);
    }

    private static Result submit(Heart heart, Actor actor, JobFixture job) {
        return heart.apply(new Command.SubmitJob(heart.now(), "", actor, job.spec(), null, null));
    }

    private @Nullable ErrorCode move(JobId id, Actor actor, String partition) {
        return error(cluster.update(id, actor, new JobChange.SetPartitions(List.of(partition))));
    }

    private static ErrorCode refusal(Result result) {
        return ((Result.Refused) result).code();
    }

    private static @Nullable ErrorCode error(Result.Answer answer) {
        return answer.verdict() == Result.Verdict.DONE ? null : answer.code();
    }
}
