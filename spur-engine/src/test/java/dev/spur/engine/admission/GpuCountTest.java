package dev.spur.engine.admission;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.demand.Demand;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.NodeShare;
import dev.spur.model.fixture.JobFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

/// GPUs asked for per job, node and task at once. Slurm's answers are from the same requests on
/// nodes of 8 CPUs and 4 GPUs.
class GpuCountTest {
    private final Heart heart = Heart.with(8, node().gpus("tesla", 4));

    @Test
    void gpusPerJobAndPerNodeAreTheSameGpus() {
        var id = heart.run(job().nodes(2).gpusOfJob(8).gpus(4));

        assertThat(gpus(id)).containsExactly(4L, 4L);
    }

    @Test
    void gpusPerJobAndPerNodeSayHowManyNodesThereAre() {
        var id = heart.run(job().gpusOfJob(6).gpus(2));

        assertThat(gpus(id)).containsExactly(2L, 2L, 2L);
    }

    @Test
    void gpusPerNodeAndPerTaskAreTheSameGpus() {
        var id = heart.run(job().nodes(2).tasks(4).gpus(4).gpusPerTask(2));

        assertThat(gpus(id)).containsExactly(4L, 4L);
        assertThat(cpus(id)).containsExactly(2, 2);
    }

    @Test
    void gpusPerNodeAndPerTaskSayHowManyTasksThereAre() {
        var id = heart.run(job().nodes(2).gpus(4).gpusPerTask(2));

        assertThat(demand(id).tasks()).isEqualTo(4);
        assertThat(cpus(id)).containsExactly(2, 2);
    }

    @Test
    void gpusPerJobAndPerTaskAreTheSameGpus() {
        var id = heart.run(job().nodes(2).tasks(4).gpusOfJob(8).gpusPerTask(2));

        assertThat(gpus(id)).containsExactly(4L, 4L);
    }

    @Test
    void gpusPerJobAndPerTaskSayHowManyTasksThereAre() {
        var four = heart.run(job().gpusOfJob(4).gpusPerTask(1));
        var two = heart.run(job().gpusOfJob(4).gpusPerTask(2));

        assertThat(demand(four).tasks()).isEqualTo(4);
        assertThat(gpus(four)).containsExactly(4L);
        assertThat(cpus(four)).containsExactly(4);
        assertThat(demand(two).tasks()).isEqualTo(2);
        assertThat(gpus(two)).containsExactly(4L);
    }

    @Test
    void gpusOfTheWholeJobTakeAsManyNodesAsTheyNeed() {
        assertThat(gpus(heart.run(job().gpusOfJob(5)))).hasSize(2).contains(3L, 2L);
    }

    @Test
    void cpusOfGpusDecideHowManyNodesTheyNeed() {
        assertThat(cpus(heart.run(job().gpusOfJob(2).cpusPerGpu(8)))).containsExactly(8, 8);
        assertThat(cpus(heart.run(job().gpusOfJob(4).cpusPerGpu(3)))).containsExactly(6, 6);
    }

    @Test
    void memoryOfTheCpusOfGpusDecidesToo() {
        var id = heart.run(job().gpusOfJob(4).cpusPerGpu(2).memoryPerCpu(1000));

        assertThat(gpus(id)).containsExactly(2L, 2L);
        assertThat(shares(id)).extracting(NodeShare::memoryMebibytes).containsOnly(4000L);
    }

    @Test
    void tasksPerGpuSayHowManyTasksThereAre() {
        var ofJob = heart.run(job().gpusOfJob(2).tasksPerGpu(2));
        var ofNode = heart.run(job().nodes(2).gpus(2).tasksPerGpu(3));

        assertThat(demand(ofJob).tasks()).isEqualTo(4);
        assertThat(cpus(ofJob)).containsExactly(4);
        assertThat(demand(ofNode).tasks()).isEqualTo(12);
        assertThat(cpus(ofNode)).containsExactly(6, 6);
    }

    @Test
    void tasksAndTasksPerGpuSayHowManyGpusThereAre() {
        var id = heart.run(job().tasks(6).tasksPerGpu(2));

        assertThat(gpus(id)).containsExactly(3L);
    }

    @Test
    void theCpusOfATaskFollowFromItsGpus() {
        var id = heart.run(job().tasks(2).gpusPerTask(2).cpusPerGpu(2));

        assertThat(demand(id).cpusPerTask()).isEqualTo(4);
        assertThat(cpus(id)).containsExactly(8);
    }

    @Test
    void aTypeThatIsSaidOnceHoldsForAllOfThem() {
        var id = heart.run(job().gres("gpu:tesla:2").gpusPerTask(1));

        assertThat(gpus(id)).containsExactly(2L);
        assertThat(demand(id).tasks()).isEqualTo(2);
    }

    @Test
    void contradictoryCountsAreRefused() {
        assertThat(
                        refusals(
                                job().gpusOfJob(1).nodes(2),
                                job().gpusPerTask(1).tasks(2).gpusOfJob(1),
                                job().gpusOfJob(4).gpusPerTask(2).tasks(1),
                                job().gpusOfJob(3).gpusPerTask(2).nodes(1),
                                job().gpus(2).gpusOfJob(1),
                                job().gpus(2).gpusOfJob(3),
                                job().gpus(2).gpusOfJob(4).nodes(1),
                                job().gpusPerTask(1).gpus(2).tasksPerNode(1).nodes(1),
                                job().gpusPerTask(1).cpusPerGpu(1).cpusPerTask(2).nodes(1),
                                job().gpusPerTask(1).gpus(1).tasks(2).nodes(1),
                                job().gpusPerTask(1).tasksPerGpu(1),
                                job().tasksPerGpu(1)))
                .containsOnly(ErrorCode.INVALID_GRES);
    }

    @Test
    void moreGpusThanAnybodyHasAreRefused() {
        assertThat(
                        refusals(
                                job().gpus(5),
                                job().nodes(1).gpusOfJob(5),
                                job().gpusOfJob(33),
                                job().gpusOfJob(Integer.MAX_VALUE),
                                job().gpus(Integer.MAX_VALUE).cpusPerGpu(16_000)))
                .containsOnly(ErrorCode.NODE_CONFIG_UNAVAILABLE);
    }

    private List<ErrorCode> refusals(JobFixture... jobs) {
        return List.of(jobs).stream()
                .map(job ->
                        switch (heart.trySubmit(job)) {
                            case Result.Refused refused -> refused.code();
                            case Result other ->
                                    throw new AssertionError(job.request() + ": " + other);
                        })
                .toList();
    }

    private Demand demand(JobId id) {
        return heart.job(id).terms().demand();
    }

    private List<NodeShare> shares(JobId id) {
        var placement = heart.job(id).phase().placementOrNull();
        return placement == null ? List.of() : placement.nodes();
    }

    private List<Integer> cpus(JobId id) {
        return shares(id).stream().map(share -> share.cpus().size()).toList();
    }

    private List<Long> gpus(JobId id) {
        return shares(id).stream().map(share -> share.gres().getFirst().count()).toList();
    }
}
