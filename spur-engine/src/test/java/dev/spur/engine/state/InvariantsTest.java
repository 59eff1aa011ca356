package dev.spur.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.fixture.RandomLife;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InvariantsTest {
    private static final int STEPS = 1_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void resourcesAreNeverGivenTwiceNorLost(long seed) {
        var life = new RandomLife(seed);

        for (var i = 0; i < STEPS; i++) {
            life.step();
            Invariants.check(life.cluster().snapshot());
        }
        life.windDown();

        assertThat(life.cluster().snapshot().nodes())
                .allSatisfy(node -> assertThat(node.usage()).isEqualTo(Usage.NONE));
        assertThat(life.cluster().snapshot().jobs())
                .allSatisfy(job -> assertThat(job.isEnded()).isTrue());
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22})
    void twoReplicasThatApplyTheSameLogAgree(long seed) {
        var life = new RandomLife(seed);
        for (var i = 0; i < STEPS; i++) {
            life.step();
        }

        var replica = new ClusterState();
        life.cluster().log().forEach(replica::apply);
        var copy = replica.publish();

        var original = life.cluster().snapshot();
        assertThat(copy.counters()).isEqualTo(original.counters());
        assertThat(copy.jobs()).containsExactlyElementsOf(original.jobs());
        assertThat(copy.nodes()).containsExactlyElementsOf(original.nodes());
        assertThat(copy.arrays()).containsExactlyElementsOf(original.arrays());
    }
}
