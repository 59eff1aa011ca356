package dev.spur.controller.state;

import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.raft.Replica;
import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Result;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Applies log entries: keeps the blobs, folds the commands in, publishes once, says that there is
/// news.
public final class ClusterReplica implements Replica<Proposal, Result> {
    private final ReplicatedState state;
    private final BlobStore blobs;
    private final EventFeed feed;

    public ClusterReplica(ReplicatedState state, BlobStore blobs, EventFeed feed) {
        this.state = state;
        this.blobs = blobs;
        this.feed = feed;
    }

    @Override
    public List<Result> apply(long index, List<Proposal> entry) {
        state.enter(index);
        var results = new ArrayList<Result>(entry.size());
        for (var proposal : entry) {
            for (var blob : proposal.blobs()) {
                blobs.put(blob.ref().sha256(), blob.bytes());
            }
            results.add(state.apply(proposal.command()).result());
        }
        state.publish();
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
        state.replace(restored);
        blobs.published();
        feed.signal();
    }
}
