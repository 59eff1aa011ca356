package dev.spur.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.spur.engine.job.JobPhase;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Command;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotCodecTest {
    private static byte[] written(ClusterState state) {
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(state.publish(), bytes::write);
        return bytes.toByteArray();
    }

    private static ClusterState read(byte[] bytes) {
        return SnapshotCodec.read(new ByteArrayInputStream(bytes)::read);
    }

    private static ClusterState replayed(List<Command> log) {
        var state = new ClusterState();
        log.forEach(state::apply);
        return state;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void snapshotAndTailEqualFullReplay(long seed) {
        var log = Workload.of(seed, 1500);
        var whole = new ClusterState();
        for (var at = 0; at < log.size(); at += 100) {
            var tail = log.subList(at, Math.min(at + 100, log.size()));

            var restored = read(written(whole));

            for (var command : tail) {
                assertThat(restored.apply(command)).isEqualTo(whole.apply(command));
            }
            assertThat(written(restored)).isEqualTo(written(whole));
        }
    }

    @Test
    void workloadReachesEveryPhase() {
        var state = new ClusterState();
        var phases = new HashSet<Class<?>>();
        for (var command : Workload.of(1, 1500)) {
            state.apply(command);
            state.publish().jobs().forEach(job -> phases.add(job.phase().getClass()));
        }

        assertThat(phases).containsAll(Formats.membersOf(JobPhase.class));
    }

    @Test
    void restoredStateShowsTheSameSnapshot() {
        var state = replayed(Workload.of(6, 1000));

        var restored = read(written(state)).publish();

        assertThat(restored.jobs()).containsExactlyElementsOf(state.publish().jobs());
        assertThat(restored.nodes()).containsExactlyElementsOf(state.publish().nodes());
        assertThat(restored.partitions()).isEqualTo(state.publish().partitions());
        assertThat(restored.nextAlarm()).isEqualTo(state.publish().nextAlarm());
        assertThat(restored.counters()).isEqualTo(state.publish().counters());
    }

    @Test
    void helpersInAnyOrderGiveTheSameState() throws Exception {
        var state = new ClusterState();
        state.apply(Workload.config(Instant.EPOCH));
        for (var i = 0; i < 20_000; i++) {
            state.apply(Workload.submission(i, Instant.EPOCH));
        }
        var bytes = written(state);

        try (var pool = Executors.newFixedThreadPool(3)) {
            var helped =
                    SnapshotCodec.read(
                            new ByteArrayInputStream(bytes)::read,
                            work -> {
                                var begun = CompletableFuture.runAsync(work, pool);
                                return begun::join;
                            });

            assertThat(bytes.length).as("several frames").isGreaterThan(1 << 20);
            assertThat(written(helped)).isEqualTo(bytes);
        }
    }

    @Test
    void whatFollowsTheEndIsRefused() {
        var bytes = written(new ClusterState());

        assertThat(catchThrowable(() -> read(Arrays.copyOf(bytes, bytes.length + 1))))
                .isInstanceOf(CodecException.class);
    }

    @Test
    void emptyStateComesBack() {
        assertThat(read(written(new ClusterState())).publish().jobs()).isEmpty();
    }

    @Test
    void anyFlippedBitIsNoticed() {
        var bytes = written(replayed(Workload.of(1, 200)));
        var random = new Random(1);
        for (var round = 0; round < 2000; round++) {
            var damaged = bytes.clone();
            damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));

            assertThat(catchThrowable(() -> read(damaged))).isInstanceOf(CodecException.class);
        }
    }

    @Test
    void everyCutIsNoticed() {
        var bytes = written(replayed(Workload.of(1, 60)));
        for (var length = 0; length < bytes.length; length++) {
            var cut = Arrays.copyOf(bytes, length);

            assertThat(catchThrowable(() -> read(cut))).isInstanceOf(CodecException.class);
        }
    }

    @Test
    void anythingElseIsNotTakenForAState() {
        assertThatThrownBy(() -> read(new byte[100]))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("no stored state");
    }

    @Test
    void formatFromBeforeTheFirstReleaseIsRefusedInClearWords() {
        var bytes = written(replayed(Workload.of(1, 60)));
        bytes[7] = 2;

        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("stored in format 2, this release reads format 3")
                .hasMessageContaining("begin with an empty state directory");
    }
}
