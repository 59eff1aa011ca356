package dev.spur.engine.admission;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.RulesFixture.rules;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Result;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules.EnforcePartitionLimits;
import dev.spur.model.ErrorCode;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.PartitionState;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.notation.TimeLimit;
import dev.spur.model.notation.TresWeights;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Slurm's answers to the same submissions are in the golden files `sbatch_*` and `enforced_*`.
class AdmissionTest {
    private final Heart lenient = cluster(EnforcePartitionLimits.NO);
    private final Heart strict = cluster(EnforcePartitionLimits.ALL);

    @Test
    void whatNoNodeHasIsRefusedAlways() {
        assertThat(refusal(lenient, job().gpus(9))).isEqualTo(ErrorCode.NODE_CONFIG_UNAVAILABLE);
        assertThat(refusal(lenient, job().memoryPerNode(102_400)))
                .isEqualTo(ErrorCode.NODE_CONFIG_UNAVAILABLE);
        assertThat(refusal(lenient, job().gres("fpga:1"))).isEqualTo(ErrorCode.INVALID_GRES);
        assertThat(refusal(lenient, job().constraint("nofeature")))
                .isEqualTo(ErrorCode.INVALID_FEATURE);
        assertThat(refusal(lenient, job().on("nonode"))).isEqualTo(ErrorCode.INVALID_NODE);
        assertThat(refusal(lenient, job().in("nopart"))).isEqualTo(ErrorCode.INVALID_PARTITION);
        assertThat(refusal(lenient, job().array("abc"))).isEqualTo(ErrorCode.INVALID_ARRAY);
    }

    @Test
    void deadlineThatHasPassedAndJobsThatGrowAreRefusedAsSlurmDoes() {
        assertThat(refusal(lenient, job().deadline(lenient.now().minusSeconds(1))))
                .isEqualTo(ErrorCode.INVALID_TIME_LIMIT);
        assertThat(refusal(lenient, job().dependency("expand:1")))
                .isEqualTo(ErrorCode.NOT_SUPPORTED);
    }

    @Test
    void noneOfADeviceThatNobodyHasIsNothing() {
        assertThat(lenient.trySubmit(job().gres("craynetwork:0")))
                .isInstanceOf(Result.Submitted.class);
    }

    @Test
    void whatIsTooLargeWaitsUnlessLimitsAreEnforced() {
        assertThat(reason(job().nodes(100))).isEqualTo("PartitionConfig");
        assertThat(reason(job().nodes(1).cpusPerTask(100))).isEqualTo("PartitionConfig");
        assertThat(reason(job().in("batch").timeLimit(ofDays(5)))).isEqualTo("PartitionTimeLimit");

        assertThat(refusal(strict, job().nodes(100))).isEqualTo(ErrorCode.TOO_MANY_CPUS);
        assertThat(refusal(strict, job().nodes(1).cpusPerTask(100)))
                .isEqualTo(ErrorCode.TOO_MANY_CPUS);
        assertThat(refusal(strict, job().in("batch").timeLimit(ofDays(5))))
                .isEqualTo(ErrorCode.INVALID_TIME_LIMIT);
    }

    @Test
    void whatTheNodesCouldNeverHoldIsRefusedAlways() {
        for (var cluster : List.of(lenient, strict)) {
            assertThat(
                            List.of(
                                    job().cpusPerTask(9),
                                    job().cpusPerTask(16).gpus(1),
                                    job().cpusPerTask(16).gpusOfJob(1),
                                    job().nodes(2).tasks(5).cpusPerTask(3),
                                    job().tasks(20).cpusPerTask(3),
                                    job().cpusPerTask(2).memoryPerCpu(3000),
                                    job().threadsPerCore(3),
                                    job().nodes(1).tmpDisk(999_999_999)))
                    .allSatisfy(job ->
                            assertThat(refusal(cluster, job))
                                    .isEqualTo(ErrorCode.NODE_CONFIG_UNAVAILABLE));
        }
    }

    @Test
    void whatTheNodesLackIsSaid() {
        assertThat(
                        List.of(
                                job().cpusPerTask(9),
                                job().minCpusPerNode(9),
                                job().minCpusPerNode(999_999)))
                .allSatisfy(job ->
                        assertThat(message(job))
                                .isEqualTo("CPU count per node can not be satisfied"));
        assertThat(message(job().tmpDisk(999_999_999)))
                .isEqualTo("Temporary disk specification can not be satisfied");
        assertThat(message(job().memoryPerNode(102_400)))
                .isEqualTo("Memory specification can not be satisfied");
    }

    @Test
    void moreNamedNodesThanNodesAreRefused() {
        assertThat(refusal(lenient, job().on("node[1-3]").nodes(2)))
                .isEqualTo(ErrorCode.INVALID_NODE_COUNT);
    }

    @Test
    void aShortestTimeBeyondTheLimitIsRefused() {
        assertThat(refusal(lenient, job().timeLimit(ofMinutes(20)).atLeast(ofMinutes(30))))
                .isEqualTo(ErrorCode.INVALID_TIME_MIN);
    }

    @Test
    void hintsAreHonouredOrRefused() {
        var id = lenient.submit(job().hint("nomultithread"));

        assertThat(lenient.job(id).terms().demand().threadsPerCore()).isEqualTo(1);
        assertThat(refusal(lenient, job().hint("memory_bound"))).isEqualTo(ErrorCode.NOT_SUPPORTED);
    }

    @Test
    void whatWouldBeIgnoredIsRefused() {
        assertThat(refusal(lenient, job().noKill())).isEqualTo(ErrorCode.NOT_SUPPORTED);
    }

    @Test
    void timeLimitDefaultsToThePartitions() {
        var id = lenient.submit(job().in("batch").anyTime());

        assertThat(lenient.job(id).terms().timeLimit()).isEqualTo(TimeLimit.ofMinutes(24 * 60));
    }

    @Test
    void tasksAndNodesFollowFromEachOther() {
        var byNodes = lenient.submit(job().nodes(3));
        var byTasks = lenient.submit(job().tasks(10));
        var perNode = lenient.submit(job().nodes(2).tasksPerNode(4));
        var spread = lenient.submit(job().tasks(10).tasksPerNode(4));

        assertThat(lenient.job(byNodes).terms().demand().tasks()).isEqualTo(3);
        assertThat(lenient.job(byTasks).terms().demand().minNodes()).isEqualTo(1);
        assertThat(lenient.job(perNode).terms().demand().tasks()).isEqualTo(8);
        assertThat(lenient.job(spread).terms().demand().minNodes()).isEqualTo(3);
    }

    @Test
    void onlyOperatorsGetAheadByANegativeNiceValue() {
        assertThat(refusal(lenient, job().nice(-1))).isEqualTo(ErrorCode.INVALID_NICE);
    }

    @Test
    void absurdNumbersAreRefused() {
        assertThat(refusal(lenient, job().tasks(Integer.MAX_VALUE)))
                .isEqualTo(ErrorCode.BAD_TASK_COUNT);
        assertThat(refusal(lenient, job().nodes(-1))).isEqualTo(ErrorCode.INVALID_NODE_COUNT);
        assertThat(refusal(lenient, job().cpusPerTask(1 << 30))).isEqualTo(ErrorCode.TOO_MANY_CPUS);
    }

    private static ErrorCode refusal(Heart cluster, JobFixture job) {
        return ((Result.Refused) cluster.trySubmit(job)).code();
    }

    private String message(JobFixture job) {
        return ((Result.Refused) lenient.trySubmit(job)).message();
    }

    private String reason(JobFixture job) {
        return lenient.reason(lenient.run(job));
    }

    /// The cluster on which the golden files were recorded.
    private static Heart cluster(EnforcePartitionLimits enforce) {
        var fixture = node().gpus("tesla", 4).features("f1", "fast");
        var nodes =
                new NodeSpec("node[1-8]", Map.of(), fixture.shape(), List.of("f1", "fast"), 1, "");
        var heart =
                Heart.configured(
                        new ClusterConfig(
                                "test",
                                List.of(
                                        partition("debug", true, TimeLimit.UNLIMITED),
                                        partition("batch", false, TimeLimit.ofMinutes(24 * 60))),
                                List.of(nodes),
                                rules().enforcing(enforce).build()));
        for (var i = 1; i <= 8; i++) {
            heart.register("node" + i, fixture);
        }
        return heart;
    }

    private static PartitionSpec partition(String name, boolean isDefault, TimeLimit maxTime) {
        return new PartitionSpec(
                name,
                isDefault,
                PartitionState.UP,
                "node[1-8]",
                Map.of(),
                maxTime,
                null,
                0,
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                1,
                1,
                "OFF",
                100,
                0,
                0,
                0,
                "NO",
                false,
                false,
                0,
                0,
                "",
                TresWeights.NONE);
    }
}
