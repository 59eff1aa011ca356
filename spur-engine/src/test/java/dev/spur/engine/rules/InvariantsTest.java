package dev.spur.engine.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.codec.CommandCodec;
import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.fixture.RandomLife;
import dev.spur.engine.node.Usage;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Snapshot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InvariantsTest {
    private static final int STEPS = 1_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void resourcesAreNeverGivenTwiceNorLost(long seed) {
        var life = new RandomLife(seed);

        var used = 0;
        for (var i = 0; i < STEPS; i++) {
            var before = life.cluster().snapshot();
            life.step();
            var after = life.cluster().snapshot();
            Invariants.check(after);
            Invariants.checkStarts(before, after);
            used += after.reservations().list().isEmpty() ? 0 : 1;
        }
        assertThat(used).as("moments with reservations").isPositive();
        life.windDown();

        assertThat(life.cluster().snapshot().nodes())
                .allSatisfy(node -> assertThat(node.usage()).isEqualTo(Usage.NONE));
        assertThat(life.cluster().snapshot().jobs())
                .allSatisfy(job -> assertThat(job.isEnded()).isTrue());
    }

    /// Of all that was decided, a replica has the bytes and nothing else; some begin with a
    /// snapshot.
    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23})
    void aReplicaThatReadsTheLogAgreesByteForByte(long seed) {
        var life = new RandomLife(seed);
        for (var i = 0; i < STEPS; i++) {
            life.step();
        }
        var log = life.cluster().log();
        var half = log.size() / 2;

        var whole = new ClusterState();
        read(log.subList(0, half)).forEach(whole::apply);
        whole.publish();
        var restored = SnapshotCodec.read(new ByteArrayInputStream(bytes(whole.snapshot()))::read);
        read(log.subList(half, log.size()))
                .forEach(command -> {
                    assertThat(restored.apply(command)).isEqualTo(whole.apply(command));
                });

        assertThat(bytes(whole.publish())).isEqualTo(bytes(life.cluster().snapshot()));
        assertThat(bytes(restored.publish())).isEqualTo(bytes(life.cluster().snapshot()));
    }

    private static List<Command> read(List<Command> written) {
        return written.stream()
                .flatMap(each -> CommandCodec.decode(CommandCodec.encode(List.of(each))).stream())
                .toList();
    }

    private static byte[] bytes(Snapshot state) {
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(state, bytes::write);
        return bytes.toByteArray();
    }
}
