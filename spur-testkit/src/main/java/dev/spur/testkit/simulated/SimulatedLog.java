package dev.spur.testkit.simulated;

import dev.spur.controller.raft.BusyException;
import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.raft.LeaderTasks;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.NotLeaderException;
import dev.spur.controller.raft.Replica;
import dev.spur.controller.raft.ReplicatedLog;
import dev.spur.controller.raft.UnknownOutcomeException;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.engine.state.Result;
import dev.spur.testkit.simulated.disk.SimulatedDisk;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One controller's log while that controller lives: proposes, replicates, applies, elects, writes
/// and installs snapshots. Entries are applied from their bytes, also where they were proposed.
final class SimulatedLog implements ReplicatedLog<Proposal, Result> {
    private static final Duration HEARTBEAT = Duration.ofMillis(800);
    private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(2);
    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(4);
    private static final Duration ALONE = Duration.ofMillis(50);
    private static final Duration RESEND = Duration.ofSeconds(2);
    private static final Duration USUAL_WRITE = Duration.ofMillis(20);
    private static final Duration SLOW_WRITE = Duration.ofSeconds(6);
    private static final int BUSY_ONE_OF = 150;
    private static final Duration LONGEST_BUSY = Duration.ofSeconds(5);

    /// How often applying can be interrupted: a thread costs more than a turn.
    private static final int THREAD_ONE_OF = 6;

    private static final ProposalCodec CODEC = new ProposalCodec();

    private final SimulatedRaft raft;
    private final SimulatedTime time;
    private final Random random;
    private final SimulatedProcess process;
    private final Member member;
    private final LeaderTasks tasks;
    private final Replica<Proposal, Result> replica;
    private final Consumer<String> failed;
    private final Duration stepsDownAfter;
    private final int snapshotEvery;
    private final int proposalsPerEntry;
    private final boolean isTroubled;

    private boolean leads;
    private boolean ready;
    private boolean closed;
    private long commit;
    private long applied;
    private boolean applying;
    private Instant heard;
    private Duration patience;
    private Instant diskFree = Instant.MIN;
    private Instant busyUntil = Instant.MIN;

    // Of a leader, in its term.
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private @Nullable InFlight inFlight;
    private boolean writing;
    private final Map<String, Long> matches = new HashMap<>();
    private final Map<String, Instant> reached = new HashMap<>();
    private final Map<SimulatedLog, Long> told = new HashMap<>();
    private final Set<SimulatedLog> sending = new HashSet<>();

    private long entriesSince;
    private boolean snapshotting;

    /// What a controller has of the log beyond its life.
    record Member(
            String host,
            String clientAddress,
            LogOnDisk log,
            SnapshotsOnDisk snapshots,
            SimulatedDisk disk) {}

    /// How a log behaves within what Raft allows.
    ///
    /// @param isTroubled whether it is busy now and then
    record Habits(int snapshotEvery, int proposalsPerEntry, boolean isTroubled) {}

    private record Waiting(Proposal proposal, SimulatedAnswer<Result> answer) {}

    private record InFlight(long index, long term, List<Waiting> members) {}

    /// What a leader sends: entries behind one that both have, or a snapshot.
    private record Append(
            SimulatedLog from,
            long term,
            long commit,
            long previous,
            long previousTerm,
            List<LogOnDisk.Entry> entries,
            SnapshotsOnDisk.@Nullable Version snapshot) {}

    /// @param failed told when this controller must end
    SimulatedLog(
            SimulatedRaft raft,
            SimulatedTime time,
            SimulatedProcess process,
            Member member,
            Replica<Proposal, Result> replica,
            Habits habits,
            Consumer<String> failed) {
        this.raft = raft;
        this.time = time;
        this.random = time.random();
        this.process = process;
        this.member = member;
        this.replica = replica;
        this.failed = failed;
        this.snapshotEvery = habits.snapshotEvery();
        this.proposalsPerEntry = habits.proposalsPerEntry();
        this.isTroubled = habits.isTroubled();
        this.tasks =
                new LeaderTasks(
                        process.oneWaitingThread(),
                        e -> failed.accept("what a leader does could not begin: " + e));
        this.stepsDownAfter = time.between(Duration.ofSeconds(3), Duration.ofSeconds(30));
        this.heard = time.instant();
        this.patience = newPatience();
        restore();
        raft.joined(this);
        process.after(patience, this::lookForLeader);
    }

    String host() {
        return member.host();
    }

    SimulatedProcess process() {
        return process;
    }

    boolean isRunning() {
        return process.isAlive() && !process.isStopped();
    }

    boolean leads() {
        return leads;
    }

    long applied() {
        return applied;
    }

    byte[] image() {
        var bytes = new ByteArrayOutputStream();
        try {
            replica.image().writeTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    // ---- what the controller asks ----

    @Override
    public CompletableFuture<Result> propose(Proposal proposal) {
        var answer = new SimulatedAnswer<Result>();
        if (closed) {
            answer.completeExceptionally(new NotLeaderException(null));
        } else if (leadership() instanceof Leadership.Following(var leader)) {
            answer.completeExceptionally(new NotLeaderException(leader));
        } else if (isBusy()) {
            answer.completeExceptionally(new BusyException());
        } else {
            waiting.add(new Waiting(proposal, answer));
            writeNext();
        }
        return answer;
    }

    /// Now and then, for a moment or for some seconds, more waits than it takes.
    private boolean isBusy() {
        if (busyUntil.isAfter(time.instant())) {
            return true;
        }
        var begins = isTroubled && random.nextInt(BUSY_ONE_OF) == 0;
        if (begins && random.nextBoolean()) {
            busyUntil = time.instant().plus(time.between(Duration.ZERO, LONGEST_BUSY));
        }
        return begins;
    }

    @Override
    public void whileLeading(LeaderTask task) {
        tasks.add(task);
    }

    @Override
    public Leadership leadership() {
        return tasks.leadership();
    }

    /// The process is gone: nobody hears of anything any more.
    @Override
    public void close() {
        closed = true;
        raft.left(this);
    }

    // ---- proposing ----

    private void writeNext() {
        if (!writing && inFlight == null && !waiting.isEmpty()) {
            writing = true;
            process.after(time.moment(), this::writeEntry);
        }
    }

    private void writeEntry() {
        writing = false;
        if (!leads) {
            failWaiting();
            return;
        }
        if (!ready || inFlight != null) {
            return; // goes on when it is
        }
        var members = new ArrayList<Waiting>();
        var most = 1 + random.nextInt(proposalsPerEntry);
        while (members.size() < most && !waiting.isEmpty()) {
            members.add(waiting.remove());
        }
        if (!members.isEmpty()) {
            var entry = member.log.append(encode(members));
            inFlight = new InFlight(entry.index(), entry.term(), members);
            force(entry.index(), this::advanceCommit);
            sendToAll();
        }
    }

    private static byte[] encode(List<Waiting> members) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            for (var each : members) {
                CODEC.write(each.proposal(), out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static List<Proposal> decode(byte[] bytes) {
        var proposals = new ArrayList<Proposal>();
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            while (in.available() > 0) {
                proposals.add(CODEC.read(in));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return proposals;
    }

    private void failWaiting() {
        var leader = leadership() instanceof Leadership.Following(var other) ? other : null;
        for (var next = waiting.poll(); next != null; next = waiting.poll()) {
            next.answer().completeExceptionally(new NotLeaderException(leader));
        }
    }

    /// Whether the entry will be committed is for the next leader to find out.
    private void leaveUnknown() {
        var open = inFlight;
        inFlight = null;
        if (open != null) {
            var unknown = new UnknownOutcomeException("leadership ended", null);
            open.members().forEach(each -> each.answer().completeExceptionally(unknown));
        }
    }

    // ---- disk ----

    /// Forces everything up to an entry, after what was to be forced before.
    private void force(long index, Runnable then) {
        var slow = isTroubled && random.nextInt(50) == 0;
        var end = time.instant().plus(time.between(Duration.ZERO, slow ? SLOW_WRITE : USUAL_WRITE));
        diskFree = end.isAfter(diskFree) ? end : diskFree;
        process.after(
                Duration.between(time.instant(), diskFree),
                () -> {
                    if (member.disk.isFull() || member.disk.failsToSync()) {
                        failed.accept("the log cannot be written");
                        return;
                    }
                    member.log.wasForcedTo(index);
                    then.run();
                });
    }

    // ---- replicating: the leader ----

    private void sendToAll() {
        raft.reachableFrom(this).forEach(this::sendTo);
    }

    private void sendTo(SimulatedLog follower) {
        if (!leads || !sending.add(follower)) {
            return;
        }
        process.after(RESEND, () -> sending.remove(follower)); // if it is lost on the way
        var message = messageTo(follower);
        raft.send(this, follower, () -> follower.received(message));
    }

    private Append messageTo(SimulatedLog follower) {
        var log = member.log;
        var common = lastCommon(log, follower.member.log);
        var snapshot = common < log.purgedTo() ? member.snapshots.newest().orElseThrow() : null;
        return new Append(
                this,
                log.term(),
                commit,
                common,
                log.termAt(common),
                snapshot == null ? log.after(common) : List.of(),
                snapshot);
    }

    /// A leader finds it by asking further and further back; asking costs nothing here.
    private static long lastCommon(LogOnDisk leader, LogOnDisk follower) {
        var index = Math.min(leader.lastIndex(), follower.lastIndex());
        while (index >= leader.purgedTo()
                && index >= follower.purgedTo()
                && leader.termAt(index) != follower.termAt(index)) {
            index--;
        }
        // Everything before a snapshot was committed, so it is common to both.
        return Math.max(index, Math.min(follower.purgedTo(), leader.lastIndex()));
    }

    private void acknowledged(SimulatedLog follower, Append message, long index) {
        if (!leads || message.term() != member.log.term()) {
            return;
        }
        sending.remove(follower);
        told.put(follower, message.commit());
        matches.merge(follower.host(), index, Math::max);
        reached.put(follower.host(), time.instant());
        advanceCommit();
        if (isBehind(follower)) {
            sendTo(follower);
        }
    }

    private boolean isBehind(SimulatedLog follower) {
        return matches.getOrDefault(follower.host(), -1L) < member.log.lastIndex()
                || told.getOrDefault(follower, -1L) < commit;
    }

    private void refused(long higherTerm) {
        if (higherTerm > member.log.term()) {
            enter(higherTerm, null);
        }
    }

    /// The last entry that a majority has forced, if it is of this term.
    private void advanceCommit() {
        if (!leads) {
            return;
        }
        for (var index = member.log.lastIndex();
                index > commit && member.log.termAt(index) == member.log.term();
                index--) {
            if (raft.isMajority(holding(index))) {
                commitTo(index);
                sendToAll();
                return;
            }
        }
    }

    private int holding(long index) {
        var holders = member.log.durableTo() >= index ? 1 : 0;
        for (var match : matches.values()) {
            holders += match >= index ? 1 : 0;
        }
        return holders;
    }

    // ---- replicating: a follower ----

    private void received(Append message) {
        var log = member.log;
        if (message.term() < log.term()) {
            var term = log.term();
            raft.send(this, message.from(), () -> message.from().refused(term));
            return;
        }
        if (message.term() > log.term()) {
            enter(message.term(), null);
        }
        heard = time.instant();
        tasks.follows(log.term(), message.from().member.clientAddress());
        if (message.snapshot() != null) {
            if (!install(message.snapshot(), message.from())) {
                return;
            }
        } else if (log.termAt(message.previous()) != message.previousTerm()
                && message.previous() >= log.purgedTo()) {
            return; // something was lost meanwhile: the leader looks again
        }
        message.entries().forEach(log::take);
        var last = Math.max(message.previous() + message.entries().size(), snapshotEnd(message));
        commitTo(Math.min(message.commit(), last));
        force(
                last,
                () ->
                        raft.send(
                                this,
                                message.from(),
                                () -> message.from().acknowledged(this, message, last)));
    }

    private static long snapshotEnd(Append message) {
        return message.snapshot() == null ? 0 : message.snapshot().index();
    }

    /// False if it has to be sent again.
    private boolean install(SnapshotsOnDisk.Version snapshot, SimulatedLog from) {
        if (snapshot.index() <= commit) {
            return true;
        }
        if (applying || !from.member.snapshots.newest().equals(Optional.of(snapshot))) {
            return false;
        }
        try {
            member.snapshots.receive(snapshot, from.member.snapshots);
            member.log.beginAfter(snapshot.index(), snapshot.term());
            restore();
            time.tell("%s got a snapshot at %d", host(), snapshot.index());
            return true;
        } catch (IOException e) {
            failed.accept("a snapshot could not be installed: " + e.getMessage());
            return false;
        }
    }

    // ---- applying ----

    private void commitTo(long index) {
        for (var i = commit + 1; i <= index; i++) {
            raft.committed(i, member.log.termAt(i));
        }
        commit = Math.max(commit, index);
        applyNext();
    }

    private void applyNext() {
        if (!applying && applied < commit) {
            applying = true;
            if (random.nextInt(THREAD_ONE_OF) == 0) {
                process.inThread(this::apply);
            } else {
                process.after(time.moment(), this::apply);
            }
        }
    }

    /// All that there is, or only some: then whatever happens next may come in between.
    private void apply() {
        do {
            var entry = member.log.at(applied + 1);
            try {
                apply(entry);
            } catch (RuntimeException e) {
                failed.accept("entry %d could not be applied: %s".formatted(entry.index(), e));
                return;
            }
        } while (applied < commit && random.nextInt(4) != 0);
        applying = false;
        applyNext();
        snapshotIfDue();
    }

    private void apply(LogOnDisk.Entry entry) {
        if (!entry.beginsTerm()) {
            raft.applying(entry.index(), decode(entry.proposals()));
        }
        var results =
                entry.beginsTerm()
                        ? List.<Result>of()
                        : replica.apply(
                                entry.index(),
                                new Interrupted<>(decode(entry.proposals()), this::rest));
        applied = entry.index();
        entriesSince++;
        raft.applied(this, applied);
        if (leads && !ready && entry.beginsTerm() && entry.term() == member.log.term()) {
            ready = true;
            tasks.leads(entry.term());
        }
        answer(entry, results);
        writeNext();
    }

    private void rest() {
        SimulatedThread.sleep(time.between(Duration.ZERO, Duration.ofSeconds(1)));
    }

    private void answer(LogOnDisk.Entry entry, List<Result> results) {
        var open = inFlight;
        if (open == null || open.index() != entry.index() || open.term() != entry.term()) {
            return;
        }
        inFlight = null;
        for (var i = 0; i < results.size(); i++) {
            open.members().get(i).answer().complete(results.get(i));
        }
    }

    // ---- snapshots ----

    private void snapshotIfDue() {
        if (snapshotting || applying || entriesSince < snapshotEvery) {
            return;
        }
        entriesSince = 0;
        snapshotting = true;
        raft.compare(this, applied);
        var version = new SnapshotsOnDisk.Version(member.log.termAt(applied), applied);
        var image = replica.image();
        process.inThread(() -> writeSnapshot(version, image));
    }

    private void writeSnapshot(SnapshotsOnDisk.Version version, Replica.Image image) {
        try {
            member.snapshots.write(
                    version,
                    image,
                    () -> SimulatedThread.sleep(time.between(Duration.ZERO, SLOW_WRITE)));
            var kept = random.nextInt(snapshotEvery);
            member.log.purgeTo(version.index() - kept);
        } catch (IOException e) {
            // The log is kept: the next one is as good.
        } finally {
            snapshotting = false;
        }
    }

    private void restore() {
        var newest = member.snapshots.newest();
        if (newest.isEmpty()) {
            return;
        }
        try (var in = member.snapshots.open(newest.get())) {
            replica.restore(in, member.snapshots.files(newest.get()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        applied = newest.get().index();
        commit = applied;
        raft.compare(this, applied);
    }

    // ---- electing ----

    private Duration newPatience() {
        return raft.size() == 1 ? ALONE : time.between(SHORTEST_PATIENCE, LONGEST_PATIENCE);
    }

    boolean missesLeader() {
        return !leads && heard.plus(SHORTEST_PATIENCE).isBefore(time.instant());
    }

    boolean isAheadOf(SimulatedLog other) {
        var own = member.log;
        var its = other.member.log;
        return own.lastTerm() > its.lastTerm()
                || (own.lastTerm() == its.lastTerm() && own.lastIndex() > its.lastIndex());
    }

    private void lookForLeader() {
        if (!leads && !heard.plus(patience).isAfter(time.instant())) {
            heard = time.instant();
            patience = newPatience();
            if (raft.wouldElect(this)) {
                campaign();
            }
        }
        var next = leads ? patience : Duration.between(time.instant(), heard.plus(patience));
        process.after(next.plusMillis(1), this::lookForLeader);
    }

    /// Wants to lead, although somebody may lead: as when an administrator passes on the
    /// leadership.
    void campaignAnyway() {
        if (!leads) {
            campaign();
        }
    }

    private void campaign() {
        enter(member.log.term() + 1, host());
        var term = member.log.term();
        if (raft.elects(this)) {
            process.after(
                    raft.size() == 1 ? Duration.ZERO : time.between(Duration.ZERO, HEARTBEAT),
                    () -> {
                        if (member.log.term() == term && !leads) {
                            lead();
                        }
                    });
        }
    }

    boolean votesFor(SimulatedLog candidate) {
        var term = candidate.member.log.term();
        if (term > member.log.term()) {
            enter(term, null);
        }
        var votes =
                term == member.log.term()
                        && (member.log.vote() == null || candidate.host().equals(member.log.vote()))
                        && !isAheadOf(candidate);
        if (votes) {
            member.log.enter(term, candidate.host());
            heard = time.instant();
        }
        return votes;
    }

    private void lead() {
        time.tell("%s was elected in term %d", host(), member.log.term());
        leads = true;
        ready = false;
        matches.clear();
        told.clear();
        reached.clear();
        sending.clear();
        var beginning = member.log.append(new byte[0]);
        force(beginning.index(), this::advanceCommit);
        sendToAll();
        beat(member.log.term());
    }

    private void beat(long term) {
        if (!leads || member.log.term() != term) {
            return;
        }
        for (var other : raft.reachableFrom(this)) {
            reached.put(other.host(), time.instant());
            if (isBehind(other) || !other.follows(term)) {
                sendTo(other);
            } else {
                other.heard = time.instant();
            }
        }
        var oldest = time.instant().minus(stepsDownAfter);
        var recently = reached.values().stream().filter(at -> !at.isBefore(oldest)).count();
        if (raft.isMajority((int) recently + 1)) {
            process.after(HEARTBEAT, () -> beat(term));
        } else {
            stepDown();
        }
    }

    private boolean follows(long term) {
        return !leads && member.log.term() == term;
    }

    private void stepDown() {
        time.tell("%s leads no longer", host());
        leads = false;
        ready = false;
        heard = time.instant();
        tasks.follows(member.log.term(), null);
        leaveUnknown();
        writeNext();
    }

    /// A newer term: whoever led before leads no longer.
    private void enter(long term, @Nullable String vote) {
        member.log.enter(term, vote);
        if (leads) {
            stepDown();
        }
    }
}
