package dev.spur.engine.tres;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobTres;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.Tres;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TresTest {
    private static TresVector vector(Map<Integer, Long> amounts) {
        return TresVector.of(new TreeMap<>(amounts));
    }

    @Test
    void amountsAreAddedAndTakenAwayByNumber() {
        var one = vector(Map.of(1, 4L, 2, 400L));
        var other = vector(Map.of(2, 100L, 1001, 2L));

        assertThat(one.plus(other)).hasToString("1=4,2=500,1001=2");
        assertThat(one.plus(other).minus(other)).isEqualTo(one);
        assertThat(one.minus(one)).isEqualTo(TresVector.ZERO);
        assertThat(other.get(1)).isZero();
    }

    @Test
    void sumThatNoNumberCanHoldFails() {
        var sum = vector(Map.of(1, TresVector.MOST));
        for (var i = 0; i < 20; i++) {
            sum = sum.plus(sum);
        }
        var most = sum;

        assertThatThrownBy(() -> most.plus(most)).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void onlyWhatHasABoundCanBeBeyondIt() {
        var bounds = vector(Map.of(1, 4L, 1001, 2L));

        assertThat(vector(Map.of(1, 4L, 2, 9_999L, 1001, 2L)).firstBeyond(bounds)).isZero();
        assertThat(vector(Map.of(1, 4L, 1001, 3L)).firstBeyond(bounds)).isEqualTo(1001);
    }

    @Test
    void whatTheNodesHaveIsRegisteredAndNamedAsInSlurm() {
        var cluster = Heart.with(1, node().gpus("tesla", 4));
        var registry = cluster.snapshot().tres();

        var job = cluster.job(cluster.submit(job().tasks(2).gres("gpu:tesla:2")));
        var counted = registry.vector(JobTres.of(job));

        assertThat(registry.others()).containsExactly("gres/gpu", "gres/gpu:tesla");
        assertThat(registry.id("gres/gpu:tesla")).isEqualTo(1002);
        assertThat(counted.get(TresRegistry.CPU)).isEqualTo(2);
        assertThat(counted.get(1001)).isEqualTo(2);
        assertThat(registry.named(counted)).isEqualTo(JobTres.of(job));
    }

    @Test
    void numbersAreThoseOfSlurm() {
        var registry = new TresRegistry(List.of("gres/gpu"));

        assertThat(List.of("cpu", "mem", "energy", "node", "billing", "fs/disk", "gres/gpu"))
                .extracting(registry::id)
                .containsExactly(1, 2, 3, 4, 5, 6, 1001);
        for (var id : List.of(1, 8, 1001)) {
            assertThat(registry.name(id).map(registry::id)).contains(id);
        }
        assertThat(List.of(-1, 0, 9, 1000, 1002))
                .allSatisfy(id -> assertThat(registry.name(id)).isEmpty());
        assertThat(registry.id("gres/fpga")).isZero();
    }

    @Test
    void whatNoNodeEverHadIsLeftOut() {
        var registry = new TresRegistry(List.of("gres/gpu"));
        var counted = registry.vector(new Tres(1, 0, 1, 1, Map.of("gres/fpga", 3L)));

        assertThat(counted).hasToString("1=1,4=1,5=1");
    }

    @Test
    void numbersStayWhenDevicesGoAndWhenTheControllerRestarts() {
        var cluster = Heart.with(1, node().gpus("tesla", 4));
        cluster.configure(
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node1", node().shape())),
                        ClusterRules.DEFAULTS));

        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(cluster.snapshot(), bytes::write);
        var restored = SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read);

        assertThat(restored.snapshot().tres().id("gres/gpu:tesla")).isEqualTo(1002);
        assertThat(restored.snapshot().tres()).isEqualTo(cluster.snapshot().tres());
    }

    @Test
    void requestOfMoreThanCanBeCountedIsCountedAsMoreThanThereIs() {
        var asked = new TreeMap<String, Long>(Map.of("gres/gpu", Long.MAX_VALUE));

        var counted =
                new TresRegistry(List.of("gres/gpu"))
                        .vector(new Tres(1, Long.MAX_VALUE, 1, 1, asked));

        assertThat(counted.get(TresRegistry.MEM)).isEqualTo(TresVector.MOST);
        assertThat(counted.get(1001)).isEqualTo(TresVector.MOST);
    }
}
