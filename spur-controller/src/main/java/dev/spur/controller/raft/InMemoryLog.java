package dev.spur.controller.raft;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The log of the simulated cluster: entries are kept as bytes, as on disk, and handed to every
/// member. Leaders change when the script says so ([Quorum#elect]). Whatever was proposed on a
/// leader that is replaced before its entry was recorded did not take place.
public final class InMemoryLog<C, R> implements ReplicatedLog<C, R> {
    private final Quorum<C, R> quorum;
    private final String name;
    private final Replica<C, R> replica;
    private final List<LeaderTask> tasks = new ArrayList<>();
    private final List<AutoCloseable> running = new ArrayList<>();
    private int applied;

    private InMemoryLog(Quorum<C, R> quorum, String name, Replica<C, R> replica) {
        this.quorum = quorum;
        this.name = name;
        this.replica = replica;
    }

    /// A log of one member that leads from the start and records at once, in the thread that
    /// proposes.
    public static <C, R> InMemoryLog<C, R> alone(EntryCodec<C> codec, Replica<C, R> replica) {
        var quorum = new Quorum<C, R>(codec, Runnable::run);
        var log = quorum.join("alone", replica);
        quorum.elect("alone");
        return log;
    }

    /// The controllers that share one log.
    public static final class Quorum<C, R> {
        private final EntryCodec<C> codec;
        private final Executor recorder;
        private final List<byte[]> entries = new ArrayList<>();
        private final Map<String, InMemoryLog<C, R>> members = new LinkedHashMap<>();
        private @Nullable String leader;
        private long epoch;

        /// @param recorder when and where entries are recorded and applied: the simulation's
        ///   schedule
        public Quorum(EntryCodec<C> codec, Executor recorder) {
            this.codec = codec;
            this.recorder = recorder;
        }

        /// Joins with an empty replica, as after a start: everything recorded so far is applied to
        /// it.
        public synchronized InMemoryLog<C, R> join(String name, Replica<C, R> replica) {
            var member = new InMemoryLog<>(this, name, replica);
            members.put(name, member);
            member.catchUp();
            return member;
        }

        public void elect(String name) {
            resign();
            InMemoryLog<C, R> elected;
            synchronized (this) {
                leader = name;
                epoch++;
                elected = members.get(name);
            }
            if (elected != null) {
                elected.lead();
            }
        }

        /// Nobody leads until the next election.
        public void resign() {
            InMemoryLog<C, R> resigned;
            synchronized (this) {
                resigned = leader == null ? null : members.get(leader);
                leader = null;
            }
            if (resigned != null) {
                resigned.stop();
            }
        }

        private synchronized void record(
                InMemoryLog<C, R> proposer, C proposal, CompletableFuture<R> answer) {
            if (!proposer.name.equals(leader)) {
                answer.completeExceptionally(new NotLeaderException(leader));
                return;
            }
            entries.add(encode(proposal));
            members.values().stream()
                    .filter(member -> member != proposer)
                    .forEach(InMemoryLog::catchUp);
            answer.complete(proposer.apply(proposal));
        }

        private byte[] encode(C proposal) {
            var bytes = new ByteArrayOutputStream();
            try {
                codec.write(proposal, new DataOutputStream(bytes));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes.toByteArray();
        }

        private C decode(byte[] entry) {
            try {
                return codec.read(new DataInputStream(new ByteArrayInputStream(entry)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public CompletableFuture<R> propose(C proposal) {
        var answer = new CompletableFuture<R>();
        quorum.recorder.execute(() -> quorum.record(this, proposal, answer));
        return answer;
    }

    @Override
    public void whileLeading(LeaderTask task) {
        tasks.add(task);
        if (leadership() instanceof Leadership.Leading(var epoch)) {
            running.add(task.lead(epoch));
        }
    }

    @Override
    public Leadership leadership() {
        synchronized (quorum) {
            return name.equals(quorum.leader)
                    ? new Leadership.Leading(quorum.epoch)
                    : new Leadership.Following(quorum.leader);
        }
    }

    @Override
    public void close() {
        stop();
        synchronized (quorum) {
            quorum.members.remove(name, this);
            if (name.equals(quorum.leader)) {
                quorum.leader = null;
            }
        }
    }

    private void lead() {
        if (leadership() instanceof Leadership.Leading(var epoch)) {
            tasks.forEach(task -> running.add(task.lead(epoch)));
        }
    }

    private void stop() {
        for (var task : running.reversed()) {
            try {
                task.close();
            } catch (Exception e) {
                throw new IllegalStateException("ending a leader's task", e);
            }
        }
        running.clear();
    }

    private void catchUp() {
        while (applied < quorum.entries.size()) {
            apply(quorum.decode(quorum.entries.get(applied)));
        }
    }

    private R apply(C proposal) {
        return replica.apply(applied++, List.of(proposal)).getFirst();
    }
}
