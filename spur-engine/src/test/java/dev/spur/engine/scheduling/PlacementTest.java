package dev.spur.engine.scheduling;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.NodeShare;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.fixture.NodeFixture;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private final Heart heart = Heart.with(4, node().gpus("tesla", 4));

    @Test
    void tasksWithoutANumberOfNodesGoWhereAllOfThemFit() {
        heart.run(job().on("node1").tasks(6));

        var id = heart.run(job().tasks(4));

        assertThat(heart.nodesOf(id)).containsExactly("node2");
    }

    @Test
    void tasksTakeFewNodesIfOneIsNotEnough() {
        heart.run(job().on("node1").tasks(6));

        var id = heart.run(job().tasks(12));

        assertThat(heart.nodesOf(id)).containsExactly("node2", "node3");
        assertThat(cpus(id)).containsExactly(8, 4);
    }

    @Test
    void aNumberOfNodesIsKeptToAndEveryNodeHasATask() {
        var id = heart.run(job().nodes(3).tasks(8));

        assertThat(heart.nodesOf(id)).containsExactly("node1", "node2", "node3");
        assertThat(cpus(id)).containsExactly(6, 1, 1);
    }

    @Test
    void aRangeOfNodesTakesAsManyAsItMay() {
        var id = heart.run(job().nodes(2, 3).tasks(3));

        assertThat(heart.nodesOf(id)).hasSize(3);
    }

    @Test
    void aRangeOfNodesTakesAllThatAreFreeUpToTheMost() {
        var all = heart.run(job().nodes(2, 4));
        heart.finish(begun(all), 0);
        heart.run(job().on("node3").exclusive());

        var three = heart.run(job().nodes(2, 4));
        var two = heart.run(job().nodes(2, 4).tasksPerNode(4).exclusive());

        assertThat(heart.nodesOf(all)).hasSize(4);
        assertThat(heart.nodesOf(three)).containsExactly("node1", "node2", "node4");
        assertThat(heart.job(two).isPending()).isTrue();
    }

    @Test
    void aRangeOfNodesDelaysNobody() {
        heart.run(job().on("node[1-2]").nodes(2).exclusive().timeLimit(ofHours(1)));
        var first = heart.run(job().on("node[1-3]").nodes(3).exclusive().timeLimit(ofHours(1)));

        var wide = heart.run(job().nodes(1, 4).timeLimit(ofHours(2)));

        assertThat(heart.job(first).isPending()).isTrue();
        assertThat(heart.nodesOf(wide)).containsExactly("node4");
    }

    @Test
    void preferredNodesAreTakenIfTheyAreFree() {
        var mixed = with(spec("node[1-3]", node(), 1), spec("node4", node(), 1, "fast"));

        var first = mixed.run(job().prefer("fast").exclusive());
        var second = mixed.run(job().prefer("fast").exclusive());

        assertThat(mixed.nodesOf(first)).containsExactly("node4");
        assertThat(mixed.nodesOf(second)).containsExactly("node1");
    }

    @Test
    void preferredNodesAreTakenBesideReservationsToo() {
        var mixed = with(spec("node[1-3]", node(), 1), spec("node4", node(), 1, "fast"));
        mixed.run(job().on("node1").exclusive());
        mixed.run(job().on("node1").exclusive());

        var id = mixed.run(job().prefer("fast"));

        assertThat(mixed.nodesOf(id)).containsExactly("node4");
    }

    @Test
    void aHintAgainstThreadsGivesEveryTaskACoreOfItsOwn() {
        var threads = Heart.with(1, node().cpus(8).threadsPerCore(2));

        var id = threads.run(job().tasks(3).hint("nomultithread"));

        assertThat(shares(threads, id).getFirst().cpus()).hasToString("0-5");
    }

    @Test
    void tasksPerNodeAreKeptTo() {
        var id = heart.run(job().nodes(2).tasksPerNode(3));

        assertThat(cpus(id)).containsExactly(3, 3);
    }

    @Test
    void everyNodeHasCpusForItsTasksPerNodeEvenIfThereAreFewer() {
        var id = heart.run(job().nodes(2).tasks(4).tasksPerNode(3));

        assertThat(cpus(id)).containsExactly(3, 3);
    }

    @Test
    void tasksOfSeveralCpusFillNodesToo() {
        var id = heart.run(job().nodes(2).tasks(4).cpusPerTask(2));

        assertThat(cpus(id)).containsExactly(6, 2);
    }

    @Test
    void aJobThatWantsToBeSpreadTakesAsManyNodesAsItMay() {
        var id = heart.run(job().tasks(5).spread());

        assertThat(cpus(id)).containsExactly(2, 1, 1, 1);
    }

    @Test
    void oneCpuOfANodeIsEnoughForTasksThatMayShareIt() {
        var id = heart.run(job().nodes(2).tasks(20).overcommit());

        assertThat(cpus(id)).containsExactly(1, 1);
    }

    @Test
    void theCpusOfATaskAreOnOneNode() {
        heart.run(job().on("node1").tasks(5));

        var id = heart.run(job().cpusPerTask(4));

        assertThat(heart.nodesOf(id)).containsExactly("node2");
    }

    @Test
    void memoryIsNotGivenTwice() {
        heart.run(job().on("node1").memoryPerNode(3000));

        var id = heart.run(job().memoryPerNode(2000));

        assertThat(heart.nodesOf(id)).containsExactly("node2");
    }

    @Test
    void memoryPerCpuLimitsTheTasksOfANode() {
        var id = heart.run(job().tasks(4).memoryPerCpu(2000));

        assertThat(cpus(id)).containsExactly(2, 2);
        assertThat(shares(id)).extracting(NodeShare::memoryMebibytes).containsOnly(4000L);
    }

    @Test
    void devicesHaveIndicesOfTheirOwn() {
        var first = heart.run(job().on("node1").gpus(2));
        var second = heart.run(job().on("node1").gpus(1));

        assertThat(devices(first)).containsExactly("0-1");
        assertThat(devices(second)).containsExactly("2");
    }

    @Test
    void devicesThatAreTakenSendTheJobElsewhere() {
        heart.run(job().on("node1").gpus(3));

        var id = heart.run(job().gpus(2));

        assertThat(heart.nodesOf(id)).containsExactly("node2");
    }

    @Test
    void devicesOfTheWholeJobAreSpreadOverItsNodes() {
        var id = heart.run(job().nodes(2).gpusOfJob(6));

        assertThat(devices(id)).containsExactly("0-2", "0-2");
    }

    @Test
    void devicesOfTheWholeJobFollowWhatNodesHaveLeft() {
        heart.run(job().on("node1").gpus(3));

        var id = heart.run(job().on("node[1-2]").nodes(2).gpusOfJob(5));

        assertThat(devices(id)).containsExactly("3", "0-3");
    }

    @Test
    void anExclusiveJobHasAllCpusAndDevicesAndTheMemoryItAskedFor() {
        var id = heart.run(job().exclusive().memoryPerNode(100));

        assertThat(cpus(id)).containsExactly(8);
        assertThat(devices(id)).containsExactly("0-3");
        assertThat(shares(id)).extracting(NodeShare::memoryMebibytes).containsExactly(100L);
    }

    @Test
    void anExclusiveJobHasTheMemoryOfAllItsCpus() {
        var id = heart.run(job().exclusive().memoryPerCpu(100));
        var most = heart.run(job().exclusive().memoryPerCpu(1000));

        assertThat(shares(id)).extracting(NodeShare::memoryMebibytes).containsExactly(800L);
        assertThat(shares(most)).extracting(NodeShare::memoryMebibytes).containsExactly(4000L);
    }

    @Test
    void anExclusiveJobSharesWithNobody() {
        heart.run(job().on("node1"));

        var exclusive = heart.run(job().exclusive());
        var other = heart.run(job().on("node2"));

        assertThat(heart.nodesOf(exclusive)).containsExactly("node2");
        assertThat(heart.job(other).isPending()).isTrue();
    }

    @Test
    void wholeCoresAreGiven() {
        var threads = Heart.with(1, node().cpus(8).threadsPerCore(2));

        var first = threads.run(job());
        var second = threads.run(job().tasks(3));

        assertThat(shares(threads, first).getFirst().cpus()).hasToString("0-1");
        assertThat(shares(threads, second).getFirst().cpus()).hasToString("2-5");
    }

    @Test
    void featuresDecideWhere() {
        var mixed =
                with(
                        spec("node[1-2]", node(), 1, "old"),
                        spec("node[3-4]", node(), 1, "new", "fast"));

        var both = mixed.run(job().constraint("new&fast"));
        var either = mixed.run(job().constraint("fast|old"));

        assertThat(mixed.nodesOf(both)).containsExactly("node3");
        assertThat(mixed.nodesOf(either)).containsExactly("node1");
    }

    @Test
    void lighterNodesAreTakenFirst() {
        var weighted = with(spec("node[1-3]", node(), 10), spec("node4", node(), 1));

        var first = weighted.run(job().nodes(1).exclusive());
        var second = weighted.run(job().nodes(1).exclusive());

        assertThat(weighted.nodesOf(first)).containsExactly("node4");
        assertThat(weighted.nodesOf(second)).containsExactly("node1");
    }

    @Test
    void namedNodesArePartOfTheJobAndExcludedOnesAreNot() {
        var id = heart.run(job().nodes(2).on("node3").notOn("node1"));

        assertThat(heart.nodesOf(id)).containsExactly("node2", "node3");
    }

    private JobId begun(JobId id) {
        heart.begin(id);
        return id;
    }

    private List<NodeShare> shares(JobId id) {
        return shares(heart, id);
    }

    private static List<NodeShare> shares(Heart heart, JobId id) {
        var placement = heart.job(id).phase().placementOrNull();
        return placement == null ? List.of() : placement.nodes();
    }

    private List<Integer> cpus(JobId id) {
        return shares(id).stream().map(share -> share.cpus().size()).toList();
    }

    private List<String> devices(JobId id) {
        return shares(id).stream()
                .map(share -> share.gres().getFirst().indices().toString())
                .toList();
    }

    private static NodeSpec spec(
            String names, NodeFixture fixture, int weight, String... features) {
        return new NodeSpec(names, Map.of(), fixture.shape(), List.of(features), weight, "");
    }

    private static Heart with(NodeSpec... specs) {
        var heart =
                Heart.configured(
                        new ClusterConfig(
                                "test",
                                List.of(PartitionSpec.of("debug", true, "ALL")),
                                List.of(specs),
                                ClusterRules.DEFAULTS));
        for (var i = 1; i <= 4; i++) {
            heart.register("node" + i, node());
        }
        return heart;
    }
}
