package dev.spur.testkit.simulated;

import dev.spur.api.v1.Record;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.RecordNumber;
import dev.spur.testkit.simulated.disk.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;

/// Applies every entry that any controller applies, once, and never fails: what it has recorded is
/// what a database must have been told.
final class UninterruptedReplica {
    private final Spool spool;
    private final ClusterReplica replica;
    private long applied;

    UninterruptedReplica() {
        try {
            var root = new SimulatedDisk(new Random(0)).root();
            var state = new ReplicatedState();
            spool = Spool.open(root.resolve("spool"));
            replica =
                    new ClusterReplica(
                            state,
                            BlobStore.open(root.resolve("blobs")),
                            spool,
                            new EventFeed(state, _ -> {}));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whoever is the first to apply an entry.
    void apply(long index, List<Proposal> entry) {
        if (index > applied) {
            applied = index;
            replica.apply(index, entry);
        }
    }

    List<Record> records() {
        try {
            return spool.recordsBehind(RecordNumber.NONE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
