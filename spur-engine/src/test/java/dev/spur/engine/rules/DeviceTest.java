package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.state.Command;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.GresShare;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.fixture.NodeFixture;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DeviceTest {
    @Test
    void deviceInUseStaysSoWhenItsTypeChanges() {
        var cluster = Heart.configured(config(node().gpus("", 2)));
        cluster.register("node1", node().gpus("", 2));
        var first = cluster.run(job().gpus(2));

        cluster.configure(config(node().gpus("mi300", 2)));
        cluster.register("node1", node().gpus("mi300", 2), new Command.JobOnNode(first, 0));
        var second = cluster.run(job().gpus(2));

        assertThat(cluster.job(first).state()).isEqualTo(JobState.RUNNING);
        assertThat(cluster.job(second).state()).isEqualTo(JobState.PENDING);
        Invariants.check(cluster.snapshot());
        cluster.finish(first, 0);
        cluster.schedule();
        assertThat(devices(cluster, second)).containsExactly("gpu:mi300 0-1");
        Invariants.check(cluster.snapshot());
    }

    @Test
    void typesOfANodeAreNumberedThrough() {
        var both = node().gpus("a100", 2).gpus("h100", 2);
        var cluster = Heart.configured(config(both));
        cluster.register("node1", both);

        var newer = cluster.run(job().gres("gpu:h100:1"));
        var any = cluster.run(job().gpus(3));

        assertThat(devices(cluster, newer)).containsExactly("gpu:h100 2");
        assertThat(devices(cluster, any)).containsExactly("gpu:a100 0-1", "gpu:h100 3");
    }

    @Test
    void devicesHaveTheNumbersThatTheirAgentGivesThem() {
        var cluster = Heart.configured(config(node().gpus("h100", 2).gpus("a100", 2)));
        cluster.register("node1", node().gpus("a100", 2).gpus("h100", 2));

        var id = cluster.run(job().gres("gpu:h100:2"));

        assertThat(devices(cluster, id)).containsExactly("gpu:h100 2-3");
    }

    private static List<String> devices(Heart cluster, JobId id) {
        return Objects.requireNonNull(cluster.job(id).phase().placementOrNull())
                .first()
                .gres()
                .stream()
                .map(DeviceTest::text)
                .toList();
    }

    private static String text(GresShare share) {
        return share.name() + ":" + share.type() + " " + share.indices();
    }

    private static ClusterConfig config(NodeFixture nodes) {
        return new ClusterConfig(
                "test",
                List.of(PartitionSpec.of("debug", true, "ALL")),
                List.of(NodeSpec.of("node1", nodes.shape())),
                ClusterRules.DEFAULTS);
    }
}
