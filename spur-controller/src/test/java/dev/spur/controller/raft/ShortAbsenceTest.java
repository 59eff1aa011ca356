package dev.spur.controller.raft;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A controller that was away for a moment only, during which the others wrote a snapshot.
@Timeout(120)
class ShortAbsenceTest {
    private static final int SNAPSHOT_EVERY = 400;

    /// More than a file of the log has, so that without those that are kept some would be gone;
    /// fewer than the tenth that is kept.
    private static final int MISSED = 25;

    @TempDir Path directory;

    private final Map<Integer, CountingReplica> replicas = new HashMap<>();
    private int leader;

    @Test
    void itIsSentTheEntriesThatItMissedAndNoSnapshot() throws Exception {
        var limits = new RaftConfig.Limits(1000, 1 << 20, SNAPSHOT_EVERY, 16 << 10);
        try (var quorum =
                new RealQuorum<>(directory, 3, limits, CountingReplica.CODEC, this::replica)) {
            for (var i = 0; i < SNAPSHOT_EVERY - MISSED; i++) {
                propose(quorum);
            }
            var away = (leader + 1) % 3;
            quorum.stop(away);
            while (quorum.firstEntryOf(leader) == 0) {
                propose(quorum);
            }

            quorum.start(away);
            quorum.stop(3 - leader - away);
            propose(quorum); // now there is no majority without the one that was away

            // Of its own, from when it stopped; the leader's has at least as many as it is written
            // after.
            assertThat(requireNonNull(replicas.get(away)).restored)
                    .isLessThanOrEqualTo(SNAPSHOT_EVERY - MISSED);
            assertThat(quorum.failures()).isEmpty();
        }
    }

    private CountingReplica replica(int number) {
        var replica = new CountingReplica();
        replicas.put(number, replica);
        return replica;
    }

    /// On a busy machine another may lead meanwhile.
    private void propose(RealQuorum<String, Integer> quorum) throws Exception {
        var written = false;
        while (!written) {
            written =
                    quorum.log(leader)
                            .propose("x".repeat(1_000))
                            .handle((_, failure) -> failure == null)
                            .get(30, TimeUnit.SECONDS);
            leader = written ? leader : quorum.leader();
        }
    }
}
