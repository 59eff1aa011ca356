package dev.spur.controller.blob;

import dev.spur.controller.accounting.Spool;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.BlobRef;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Collects, now and then, the scripts and environments of jobs that nobody knows any more, and
/// that the accounting database has. Every controller does so for itself.
public final class BlobKeeper implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(BlobKeeper.class);

    private final BlobStore blobs;
    private final Spool spool;
    private final Supplier<Snapshot> published;

    /// @param published the newest state that readers see
    public BlobKeeper(BlobStore blobs, Spool spool, Supplier<Snapshot> published) {
        this.blobs = blobs;
        this.spool = spool;
        this.published = published;
    }

    @Override
    public void run() {
        try {
            var mark = blobs.mark(); // before the snapshot, which then has all that the mark covers
            var living = new HashSet<String>();
            var state = published.get();
            for (var job : state.jobs()) {
                add(job.script(), living);
                add(job.environment(), living);
            }
            var named = spool.filesNamedBehind(state.recording().stored());
            if (named.isEmpty()) {
                return; // the accounting database has yet to read about them
            }
            living.addAll(named.get());
            blobs.collect(living, mark);
        } catch (IOException | RuntimeException e) {
            LOG.atWarn().setCause(e).log("old scripts were not collected");
        }
    }

    private static void add(@Nullable BlobRef ref, Set<String> living) {
        if (ref != null) {
            living.add(ref.sha256());
        }
    }
}
