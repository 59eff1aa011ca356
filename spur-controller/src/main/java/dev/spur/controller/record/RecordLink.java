package dev.spur.controller.record;

import dev.spur.api.v1.RecordsSeen;
import dev.spur.controller.access.Failures;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.RecordNumber;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import io.grpc.Status;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// While leading: the one accounting database of the cluster. It says what it has, gets what
/// follows, and what it acknowledges becomes part of the state, so that every controller may forget
/// it. Nothing in the controller waits for any of this.
public final class RecordLink implements LeaderTask, EventFeed.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(RecordLink.class);
    private static final Duration ACKNOWLEDGE_EVERY = Duration.ofMillis(500);

    private final Spool spool;
    private final BlobStore blobs;
    private final ReplicatedState state;
    private final Proposals proposals;
    private final Supplier<Leadership> leadership;
    private final InstantSource clock;
    private final Executor executor;
    private final ScheduledExecutorService timer;
    private final AtomicBoolean acknowledging = new AtomicBoolean();
    private @Nullable RecordStream stream; // guarded by the monitor
    private boolean leads; // guarded by the monitor

    /// @param executor runs what may wait
    public RecordLink(
            Spool spool,
            BlobStore blobs,
            ReplicatedState state,
            Proposals proposals,
            Supplier<Leadership> leadership,
            InstantSource clock,
            Executor executor,
            ScheduledExecutorService timer) {
        this.spool = spool;
        this.blobs = blobs;
        this.state = state;
        this.proposals = proposals;
        this.leadership = leadership;
        this.clock = clock;
        this.executor = executor;
        this.timer = timer;
    }

    @Override
    public AutoCloseable lead(long epoch) {
        synchronized (this) {
            leads = true;
        }
        var every = ACKNOWLEDGE_EVERY.toMillis();
        var task =
                timer.scheduleWithFixedDelay(
                        this::passOnAcknowledged, every, every, TimeUnit.MILLISECONDS);
        return () -> {
            task.cancel(false);
            RecordStream last;
            synchronized (this) {
                leads = false;
                last = stream;
                stream = null;
            }
            if (last != null) {
                last.close(Failures.toStatus(leadership.get().refusal()));
            }
        };
    }

    /// A database says what it has and wants the rest. The one that was there before is told to
    /// stop: it may be the same one, back before the loss of its connection was noticed.
    RecordStream open(RecordsSeen first, RecordChannel channel) {
        var snapshot = state.snapshot();
        var cluster = snapshot.config().clusterName();
        var has = has(first, snapshot);
        if (has.isAfter(spool.last())) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "the database has records of cluster %s up to %s, and this cluster has come to %s only: it was begun anew, or its state is from a backup. Give it another name (cluster_name in spur.conf), or spurdbd another database"
                            .formatted(cluster, has, spool.last()));
        }
        var peer = new RecordStream.Peer(first.getName(), first.getAddress(), has);
        var opened =
                new RecordStream(
                        peer,
                        cluster,
                        () -> state.snapshot().recording().identity(),
                        spool,
                        blobs,
                        channel,
                        executor,
                        clock,
                        this::recordAnew);
        RecordStream before;
        synchronized (this) {
            if (!leads) {
                throw leadership.get().refusal();
            }
            before = stream;
            stream = opened;
        }
        if (before != null) {
            replace(before, opened);
        }
        LOG.atInfo()
                .addKeyValue("database", opened.name())
                .addKeyValue("address", opened.address())
                .addKeyValue("has", has)
                .log("accounting database connected");
        if (!snapshot.recording().isOn() || snapshot.recording().identity().isEmpty()) {
            recordAnew();
        }
        opened.wake();
        return opened;
    }

    /// What a database has of another cluster, which had the same name, is nothing of this one's:
    /// it is told whose records come and keeps them apart.
    private static RecordNumber has(RecordsSeen first, Snapshot snapshot) {
        var known = snapshot.recording().identity();
        if (first.getIdentity().isEmpty() || first.getIdentity().equals(known)) {
            return number(first);
        }
        LOG.atWarn()
                .addKeyValue("database", first.getName())
                .addKeyValue("cluster", snapshot.config().clusterName())
                .log(
                        "the accounting database has records of another cluster of this name, which was here before. It keeps them under another name");
        return RecordNumber.NONE;
    }

    private static void replace(RecordStream before, RecordStream opened) {
        if (!before.name().equals(opened.name()) || !before.address().equals(opened.address())) {
            LOG.atWarn()
                    .addKeyValue("before", before.name() + " " + before.address())
                    .addKeyValue("now", opened.name() + " " + opened.address())
                    .log(
                            "another accounting database of this cluster connected and takes over: one cluster has one");
        }
        before.close(
                Status.ABORTED
                        .withDescription(
                                "%s (%s) has connected as the accounting database of this cluster, which has one"
                                        .formatted(opened.name(), opened.address()))
                        .asRuntimeException());
    }

    void closed(RecordStream gone) {
        gone.close(null);
        synchronized (this) {
            if (stream == gone) {
                stream = null;
            }
        }
    }

    static RecordNumber number(RecordsSeen seen) {
        return new RecordNumber(seen.getEntry(), seen.getOrdinal());
    }

    /// From here on everything is recorded, and first what there is.
    private void recordAnew() {
        var _ =
                proposals
                        .propose(at -> new Command.BeginRecords(at, UUID.randomUUID().toString()))
                        .whenComplete((_, failure) -> {
                            var open = current();
                            if (open == null) {
                                return;
                            }
                            if (failure == null) {
                                open.wake();
                            } else {
                                open.close(Failures.toStatus(failure)); // it comes again
                            }
                        });
    }

    private synchronized @Nullable RecordStream current() {
        return stream;
    }

    /// A few times a second at most, and one at a time.
    void passOnAcknowledged() {
        var open = current();
        if (open == null) {
            return;
        }
        var recording = state.snapshot().recording();
        var number = open.acknowledged();
        if (!number.isAfter(recording.stored()) && open.address().equals(recording.address())) {
            return;
        }
        if (acknowledging.compareAndSet(false, true)) {
            var _ =
                    proposals
                            .propose(at -> new Command.RecordsStored(at, number, open.address()))
                            .whenComplete((_, _) -> acknowledging.set(false));
        }
    }

    @Override
    public void changed(List<Event> events) {
        wake();
    }

    @Override
    public void resync(Snapshot snapshot) {
        wake();
    }

    private void wake() {
        var open = current();
        if (open != null) {
            open.wake();
        }
    }
}
