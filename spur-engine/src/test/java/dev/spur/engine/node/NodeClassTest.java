package dev.spur.engine.node;

import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.fixture.Heart;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.NodeShape;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeClassTest {
    private final Heart cluster =
            Heart.configured(
                    new ClusterConfig(
                            "test",
                            List.of(PartitionSpec.of("debug", true, "ALL")),
                            List.of(NodeSpec.of("node[1-4]", NodeShape.UNSTATED)),
                            ClusterRules.DEFAULTS));

    @Test
    void nodesThatAreAlikeAreOneClassAndFollowTheirNodesWhenThoseChange() {
        cluster.register("node3", node().cpus(4));
        cluster.register("node2", node().cpus(8));
        cluster.register("node4", node().cpus(8));
        cluster.register("node1", node().cpus(4));
        assertThat(members()).containsExactly("0,2", "1,3");

        cluster.register("node1", node().cpus(8));
        assertThat(members()).containsExactly("0-1,3", "2");
        cluster.register("node3", node().cpus(8));
        assertThat(members()).containsExactly("0-3");
    }

    @Test
    void stateThatWasReadAgainHasTheSameClassesInTheSameOrder() {
        cluster.register("node4", node().cpus(2));
        cluster.register("node1", node().cpus(4));
        cluster.register("node4", node().cpus(8));

        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(cluster.snapshot(), bytes::write);
        var copy = SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read);

        assertThat(copy.snapshot().nodeClasses()).isEqualTo(cluster.snapshot().nodeClasses());
    }

    private List<String> members() {
        return cluster.snapshot().nodeClasses().stream()
                .map(nodes -> nodes.members().toString())
                .toList();
    }
}
