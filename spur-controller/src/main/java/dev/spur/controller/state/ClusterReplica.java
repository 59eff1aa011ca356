package dev.spur.controller.state;

import dev.spur.controller.accounting.Recorder;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.raft.Replica;
import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.NumberedEvent;
import dev.spur.engine.state.Result;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Applies log entries: keeps the blobs, folds the commands in, publishes once, writes down what
/// accounting wants to know, says that there is news.
public final class ClusterReplica implements Replica<Proposal, Result> {
    private final ReplicatedState state;
    private final BlobStore blobs;
    private final Spool spool;
    private final Recorder recorder;
    private final EventFeed feed;

    public ClusterReplica(ReplicatedState state, BlobStore blobs, Spool spool, EventFeed feed) {
        this.state = state;
        this.blobs = blobs;
        this.spool = spool;
        this.recorder = new Recorder(spool);
        this.feed = feed;
    }

    @Override
    public List<Result> apply(long index, List<Proposal> entry) {
        state.enter(index);
        var results = new ArrayList<Result>(entry.size());
        var events = new ArrayList<NumberedEvent>();
        for (var proposal : entry) {
            for (var blob : proposal.blobs()) {
                blobs.put(blob.ref().sha256(), blob.bytes());
            }
            var applied = state.apply(proposal.command());
            results.add(applied.result());
            events.addAll(applied.events());
        }
        state.publish();
        recorder.applied(index, events, state.snapshot());
        blobs.published();
        feed.signal();
        return results;
    }

    @Override
    public Image image() {
        var snapshot = state.snapshot();
        return new Image() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                SnapshotCodec.write(snapshot, out::write);
            }

            @Override
            public void linkFiles(Path directory) throws IOException {
                blobs.linkInto(directory);
                spool.linkInto(directory);
            }
        };
    }

    @Override
    public void restore(InputStream in, Path files) throws IOException {
        ClusterState restored;
        try (var decoders = new Decoders()) {
            restored = SnapshotCodec.read(in::read, decoders);
        }
        blobs.adopt(files);
        recorder.restored(restored.snapshot(), files);
        state.replace(restored);
        blobs.published();
        feed.signal();
    }
}
