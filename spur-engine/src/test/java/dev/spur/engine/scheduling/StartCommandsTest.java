package dev.spur.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.codec.CommandCodec;
import dev.spur.engine.state.Command;
import dev.spur.model.GresShare;
import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.NodeShare;
import dev.spur.model.Placement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartCommandsTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aStartIsNeverLargerThanItIsTakenFor(long seed) {
        var random = new Random(seed);
        var shares = new ArrayList<NodeShare>();
        for (var i = 0; i < 1 + random.nextInt(500); i++) {
            var gres = new ArrayList<GresShare>();
            for (var kind = 0; kind < random.nextInt(3); kind++) {
                gres.add(
                        new GresShare(
                                text(random),
                                text(random),
                                random.nextLong() >>> 1,
                                indices(random)));
            }
            shares.add(
                    new NodeShare(
                            i + text(random), indices(random), random.nextLong() >>> 1, gres));
        }
        var placement = new Placement(text(random), shares);
        var start = new Command.JobStart(JobId.of(1), placement, Integer.MAX_VALUE);

        var bytes =
                CommandCodec.encode(List.of(new Command.StartJobs(Instant.MAX, List.of(start))));

        assertThat(bytes.length).isLessThanOrEqualTo((int) StartCommands.bytes(placement) + 64);
    }

    private static String text(Random random) {
        return "\u4e2d".repeat(random.nextInt(200));
    }

    private static IndexSet indices(Random random) {
        var bits = new BitSet();
        for (var i = 0; i < random.nextInt(300); i++) {
            bits.set(random.nextInt(1_000));
        }
        return IndexSet.of(bits);
    }
}
