package dev.spur.controller.raft;

import java.io.DataInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Between Ratis and our [Replica]: decodes entries, notes the answers, writes snapshots in the
/// background. Ratis calls it from its one apply thread.
final class RatisReplica<C, R> extends BaseStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(RatisReplica.class);

    /// Behind many more bytes of log a restart would take seconds.
    private static final long USUAL_BYTES = 4L << 20;

    /// A snapshot is written after this many times its own size in the log: work that stays in
    /// proportion however large the state is.
    private static final long TIMES_ITS_SIZE = 3;

    /// Longer than a snapshot takes on a busy machine, shorter than the patience of whoever asked
    /// this controller to end.
    private static final Duration LAST_SNAPSHOT_WITHIN = Duration.ofSeconds(15);

    /// One that could not be written is tried again after this part of the usual number of entries:
    /// a disk that is full needs it soon, but each try costs as much as one that succeeds.
    private static final long TRIED_AGAIN_AFTER_ONE_IN = 20;

    private final EntryCodec<C> codec;
    private final Replica<C, R> replica;
    private final SnapshotFiles snapshots;
    private final LeaderTasks tasks;
    private final Supplier<Optional<String>> objections;
    private final Consumer<String> failed;
    private final long snapshotEvery;
    private long configurationTerm; // of the last change of members: each leader begins with one
    private long entriesSince;
    private long bytesSince;
    private long lastCommands = RaftLog.INVALID_LOG_INDEX; // the last entry that changed the state
    private boolean applying; // also after a failure: the state is neither this nor that then
    private long pausedAt; // the last entry that was decided then
    private @Nullable Thread writing;
    private volatile boolean couldNotWrite;
    private volatile boolean endIsExpected;
    private volatile long written = RaftLog.INVALID_LOG_INDEX;

    /// @param objections why this controller must not lead, if so
    /// @param failed told in words when this replica cannot go on
    RatisReplica(
            EntryCodec<C> codec,
            Replica<C, R> replica,
            SnapshotFiles snapshots,
            LeaderTasks tasks,
            Supplier<Optional<String>> objections,
            Consumer<String> failed,
            long snapshotEvery) {
        this.codec = codec;
        this.replica = replica;
        this.snapshots = snapshots;
        this.tasks = tasks;
        this.objections = objections;
        this.failed = failed;
        this.snapshotEvery = snapshotEvery;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
            throws IOException {
        super.initialize(server, group, storage);
        getLifeCycle()
                .startAndTransition(
                        () -> {
                            snapshots.refresh();
                            restore();
                        },
                        IOException.class);
    }

    /// Before another controller's snapshot takes the place of ours: whoever writes one at this
    /// moment writes into the directory that is about to be replaced.
    @Override
    public void pause() {
        synchronized (this) {
            if (getLifeCycleState() == LifeCycle.State.RUNNING) {
                getLifeCycle().transition(LifeCycle.State.PAUSING);
                getLifeCycle().transition(LifeCycle.State.PAUSED);
            }
            pausedAt = committed();
        }
        try {
            awaitSnapshot();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void reinitialize() throws IOException {
        snapshots.installed();
        restore();
        synchronized (this) {
            written = RaftLog.INVALID_LOG_INDEX; // of before
            entriesSince = 0;
            bytesSince = 0;
        }
        goOn();
    }

    private void goOn() {
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    /// Whoever sent us a snapshot may have died over it, of which Ratis says nothing. Entries that
    /// came since tell: a leader sends either those or a snapshot.
    private void goOnIfBrokenOff() {
        var at = getLastAppliedTermIndex();
        if (at != null && at.getIndex() > pausedAt) {
            goOn();
        }
    }

    private long committed() {
        try {
            return getServer()
                    .join()
                    .getDivision(getGroupId())
                    .getRaftLog()
                    .getLastCommittedIndex();
        } catch (IOException e) {
            return Long.MAX_VALUE; // it is being closed
        }
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return snapshots;
    }

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
        if (request.getMessage() instanceof ProposedEntry<?, ?> proposed) {
            proposed.handedOver().set(true);
        }
        return TransactionContext.newBuilder()
                .setClientRequest(request)
                .setStateMachine(this)
                .setServerRole(RaftProtos.RaftPeerRole.LEADER)
                .setLogData(request.getMessage().getContent())
                .setStateMachineContext(request.getMessage())
                .build();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        var entry = Objects.requireNonNull(transaction.getLogEntry());
        if (applying) {
            // Ratis goes on behind an entry that failed; the state would lack that one for good.
            return CompletableFuture.failedFuture(
                    new IllegalStateException("an entry before this one could not be applied"));
        }
        applying = true;
        try {
            if (transaction.getStateMachineContext() instanceof ProposedEntry<?, ?> proposed) {
                applyOwn(entry.getIndex(), proposed);
            } else {
                replica.apply(
                        entry.getIndex(), decode(entry.getStateMachineLogEntry().getLogData()));
            }
            updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
            applying = false;
            lastCommands = entry.getIndex();
            entriesSince++;
            bytesSince += entry.getStateMachineLogEntry().getLogData().size();
            return CompletableFuture.completedFuture(Message.EMPTY);
        } catch (IOException | RuntimeException e) {
            // Going on would let this replica differ from the others.
            LOG.atError()
                    .addKeyValue("entry", entry.getIndex())
                    .setCause(e)
                    .log("log entry could not be applied");
            failed.accept(
                    "entry %d of the log could not be applied: %s"
                            .formatted(entry.getIndex(), e.getMessage()));
            return CompletableFuture.failedFuture(e);
        }
    }

    @SuppressWarnings("unchecked") // made by our own RatisLog, of the same types
    private void applyOwn(long index, ProposedEntry<?, ?> entry) throws IOException {
        var own = (ProposedEntry<C, R>) entry;
        own.answers()
                .set(
                        replica.apply(
                                index,
                                RatisLog.CHECKS_ALL ? decode(own.bytes()) : own.proposals()));
    }

    private List<C> decode(ByteString bytes) throws IOException {
        var proposals = new ArrayList<C>();
        try (var in = new DataInputStream(bytes.newInput())) {
            while (in.available() > 0) {
                proposals.add(codec.read(in));
            }
        }
        return proposals;
    }

    /// Starts writing a snapshot and tells which one is whole already: the log is purged up to that
    /// one.
    @Override
    public synchronized long takeSnapshot() {
        goOnIfBrokenOff();
        if (applying
                || getLifeCycleState() != LifeCycle.State.RUNNING
                || (writing != null && writing.isAlive())) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        if (written != RaftLog.INVALID_LOG_INDEX) {
            var whole = written;
            written = RaftLog.INVALID_LOG_INDEX;
            return whole;
        }
        if (couldNotWrite) {
            couldNotWrite = false;
            var again = Math.max(1, snapshotEvery / TRIED_AGAIN_AFTER_ONE_IN);
            entriesSince = Math.max(entriesSince, snapshotEvery - again);
        }
        var mostBytes = Math.max(USUAL_BYTES, TIMES_ITS_SIZE * snapshots.newestBytes());
        if (entriesSince < snapshotEvery && bytesSince < mostBytes) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        var at = getLastAppliedTermIndex();
        if (at == null || at.getIndex() <= snapshots.newestIndex()) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        entriesSince = 0;
        bytesSince = 0;
        var image = replica.image();
        writing = Thread.ofPlatform().name("spur-snapshot").daemon().start(() -> write(at, image));
        return RaftLog.INVALID_LOG_INDEX;
    }

    private void write(TermIndex at, Replica.Image image) {
        couldNotWrite = true;
        try {
            snapshots.write(at, image);
            written = at.getIndex();
            couldNotWrite = false;
            LOG.atInfo().addKeyValue("entry", at.getIndex()).log("snapshot written");
        } catch (IOException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("entry", at.getIndex())
                    .setCause(e)
                    .log("snapshot not written; the log is kept");
        }
    }

    /// Begins a snapshot of everything that was applied, so that the next start has no log to
    /// apply. Nothing depends on it: the log has it all.
    private synchronized void writeLast() {
        var at = getLastAppliedTermIndex();
        if (applying || at == null || lastCommands == RaftLog.INVALID_LOG_INDEX) {
            return;
        }
        var before = writing;
        var image = replica.image();
        writing =
                Thread.ofPlatform()
                        .name("spur-last-snapshot")
                        .daemon()
                        .start(() -> writeAfter(before, at, image));
    }

    private void writeAfter(@Nullable Thread before, TermIndex at, Replica.Image image) {
        try {
            if (before != null) {
                before.join();
            }
            if (snapshots.newestIndex() < lastCommands) {
                write(at, image);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitSnapshot() throws InterruptedException {
        var last = writing();
        if (last != null) {
            last.join();
        }
    }

    /// Waits for what [#close] began, but not for ever: a disk that hangs must not keep this
    /// controller from ending.
    void awaitLastSnapshot() throws InterruptedException {
        var last = writing();
        if (last != null && !last.join(LAST_SNAPSHOT_WITHIN)) {
            LOG.atWarn().log("the last snapshot is not whole yet; the next start applies the log");
        }
    }

    private synchronized @Nullable Thread writing() {
        return writing;
    }

    private void restore() throws IOException {
        var snapshot = snapshots.getLatestSnapshot();
        if (snapshot == null) {
            return;
        }
        snapshots.read(
                snapshot, in -> replica.restore(in, snapshots.filesOf(snapshot.getTermIndex())));
        setLastAppliedTermIndex(snapshot.getTermIndex());
    }

    /// Called by the apply thread right before [#notifyLeaderReady], for the entry with which the
    /// leader's term begins.
    @Override
    public void notifyConfigurationChanged(
            long term, long index, RaftProtos.RaftConfigurationProto members) {
        configurationTerm = term;
    }

    @Override
    public void notifyLeaderReady() {
        objections
                .get()
                .ifPresentOrElse(
                        because -> {
                            LOG.atWarn()
                                    .addKeyValue("because", because)
                                    .log("this controller was elected and does not lead");
                            tasks.follows(configurationTerm, null);
                        },
                        () -> tasks.leads(configurationTerm));
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        follows(null);
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId self, RaftPeerId leader) {
        if (!leader.equals(self.getPeerId())) { // it leads once it is ready
            follows(leader);
        }
    }

    /// Ratis holds its own lock in these calls: the term cannot change meanwhile.
    private void follows(@Nullable RaftPeerId leader) {
        try {
            var division = getServer().join().getDivision(getGroupId());
            var member = division.getRaftConf().getPeer(leader);
            tasks.follows(
                    division.getInfo().getCurrentTerm(),
                    member == null ? null : member.getClientAddress());
        } catch (IOException e) {
            tasks.close(); // it is being closed: there is no term after this one
        }
    }

    @Override
    public void notifyLogFailed(Throwable cause, RaftProtos.@Nullable LogEntryProto entry) {
        LOG.atError().setCause(cause).log("the log cannot be written");
        failed.accept("the log could not be written: " + cause.getMessage());
    }

    /// From here on an end is what was asked for.
    void expectEnd() {
        endIsExpected = true;
    }

    /// After the last entry was applied. Ratis ends a replica that it cannot drive on, too, and
    /// says so nowhere else.
    @Override
    public void close() throws IOException {
        super.close();
        if (endIsExpected) {
            try {
                writeLast();
            } catch (RuntimeException e) {
                LOG.atWarn().setCause(e).log("no last snapshot; the next start applies the log");
            }
        } else {
            failed.accept(
                    isMember()
                            ? "the log was closed because of a failure"
                            : Membership.REMOVED.formatted("the others took it out of the log"));
        }
    }

    /// By the newest list of members that this controller has been sent, decided or not.
    private boolean isMember() {
        if (!getServer().isDone()) {
            return true; // it was never begun
        }
        try {
            var server = getServer().join();
            return server.getDivision(getGroupId()).getRaftConf().getCurrentPeers().stream()
                    .anyMatch(peer -> peer.getId().equals(server.getId()));
        } catch (IOException e) {
            return true; // nothing is known of a removal
        }
    }
}
