package dev.spur.controller.raft;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gathers proposals into entries and has them recorded, one entry at a time.
///
/// It has no thread of its own, but one pen. Whoever proposes while the pen lies there takes it,
/// encodes the entry and hands it over; what is proposed meanwhile gathers, and whoever learns that
/// the entry is recorded writes the next or lays the pen down:
///
/// ```
///   propose ──► gathered ──(pen)──► taken: encoded ──► in flight: handed over ──► recorded ──► answered
///                   ▲                                                                │
///                   └─────────────── the next entry, before the answers ─────────────┘
/// ```
///
/// So one fsync serves all that arrived during the one before it, at most one entry is
/// unacknowledged at any moment, and the disk does not wait while answers are given.
final class EntryWriter<C, R> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EntryWriter.class);
    private static final int PROPOSALS_PER_ENTRY = 2_000;
    private static final int BESIDE_THE_PROPOSALS = 1024;
    private static final int CHECKS_ONE_IN = 1_000;

    private final EntryCodec<C> codec;
    private final RaftConfig.Limits limits;
    private final Recorder<C, R> recorder;
    private final Supplier<RuntimeException> refusal;
    private final Consumer<String> failed;

    // Guarded by this. Nobody encodes, hands over or answers while holding it.
    private final Deque<Waiting<C, R>> gathered = new ArrayDeque<>();
    private boolean penIsTaken;
    private boolean closed;
    private @Nullable ProposedEntry<C, R> inFlight;

    // Of whoever has the pen.
    private final EntryBytes bytes = new EntryBytes();
    private long proposals;

    /// A proposal and who waits for its answer.
    record Waiting<C, R>(C proposal, CompletableFuture<R> answer) {}

    /// Where entries go.
    interface Recorder<C, R> {
        /// Completes when the entry is recorded and applied; exceptionally when it was refused or
        /// nobody knows.
        CompletableFuture<?> record(ProposedEntry<C, R> entry);
    }

    /// @param refusal what to tell whose proposal did not take place
    /// @param failed told, in words, when nothing can be written any more
    EntryWriter(
            EntryCodec<C> codec,
            RaftConfig.Limits limits,
            Recorder<C, R> recorder,
            Supplier<RuntimeException> refusal,
            Consumer<String> failed) {
        this.codec = codec;
        this.limits = limits;
        this.recorder = recorder;
        this.refusal = refusal;
        this.failed = failed;
    }

    /// @param proposal made when its place in the order is certain: must be quick
    CompletableFuture<R> propose(Supplier<C> proposal) {
        var answer = new CompletableFuture<R>();
        synchronized (this) {
            if (closed) {
                answer.completeExceptionally(new NotLeaderException(null));
                return answer;
            }
            if (gathered.size() >= limits.waitingProposals()) {
                answer.completeExceptionally(new BusyException());
                return answer;
            }
            gathered.add(new Waiting<>(proposal.get(), answer));
            if (penIsTaken) {
                return answer;
            }
            penIsTaken = true;
        }
        write();
        return answer;
    }

    /// Writes entries until one is under way or nothing is left; by whoever has the pen.
    private void write() {
        while (true) {
            var taken = take();
            if (taken.isEmpty()) {
                return;
            }
            try {
                if (!writeEntry(taken)) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                breakDown(taken, e);
                return;
            }
        }
    }

    /// Empty: the pen was laid down.
    private synchronized List<Waiting<C, R>> take() {
        var taken = new ArrayList<Waiting<C, R>>(Math.min(gathered.size(), PROPOSALS_PER_ENTRY));
        while (taken.size() < PROPOSALS_PER_ENTRY && !gathered.isEmpty()) {
            taken.add(gathered.poll());
        }
        penIsTaken = !taken.isEmpty();
        return taken;
    }

    /// True if its outcome is known already: whoever wrote it goes on. Else whoever learns of it
    /// does.
    private boolean writeEntry(List<Waiting<C, R>> taken) {
        var members = encode(taken);
        if (members.isEmpty()) {
            return true;
        }
        var entry = new ProposedEntry<>(members, bytes.toByteString());
        bytes.forgetIfLarge();
        if (!begin(entry)) {
            answerFailed(entry, null);
            return true;
        }
        var left = new AtomicBoolean();
        var _ =
                recorder.record(entry)
                        .whenComplete((_, failure) -> {
                            end(entry);
                            if (!left.compareAndSet(false, true)) {
                                write();
                            }
                            answer(entry, failure);
                        });
        return !left.compareAndSet(false, true);
    }

    private synchronized boolean begin(ProposedEntry<C, R> entry) {
        if (closed) {
            return false;
        }
        inFlight = entry;
        return true;
    }

    private synchronized void end(ProposedEntry<C, R> entry) {
        if (inFlight == entry) {
            inFlight = null;
        }
    }

    /// As many as fit in one entry; the others wait for the next.
    private List<Waiting<C, R>> encode(List<Waiting<C, R>> taken) {
        var limit = limits.entryBytes() - BESIDE_THE_PROPOSALS;
        var members = new ArrayList<Waiting<C, R>>(taken.size());
        bytes.cutTo(0);
        for (var i = 0; i < taken.size(); i++) {
            var waiting = taken.get(i);
            var start = bytes.size();
            try {
                codec.write(waiting.proposal(), bytes.data());
                if (RatisLog.CHECKS_ALL || proposals++ % CHECKS_ONE_IN == 0) {
                    check(waiting.proposal(), start);
                }
            } catch (IOException | RuntimeException e) {
                bytes.cutTo(start);
                waiting.answer().completeExceptionally(e);
                continue;
            }
            if (bytes.size() <= limit) {
                members.add(waiting);
                continue;
            }
            bytes.cutTo(start);
            if (!members.isEmpty()) {
                putBack(taken.subList(i, taken.size()));
                break;
            }
            waiting.answer()
                    .completeExceptionally(
                            new IllegalArgumentException(
                                    "the request is larger than %d MiB"
                                            .formatted(limits.entryBytes() >> 20)));
        }
        return members;
    }

    private void putBack(List<Waiting<C, R>> rest) {
        synchronized (this) {
            if (!closed) {
                rest.reversed().forEach(gathered::addFirst);
                return;
            }
        }
        refuse(rest);
    }

    /// What others would not read as it was meant must not get into the log.
    private void check(C written, int start) throws IOException {
        try (var in = new DataInputStream(bytes.from(start).newInput())) {
            var read = codec.read(in);
            if (!codec.isSame(written, read)) {
                LOG.atError()
                        .addKeyValue("written", written)
                        .addKeyValue("read", read)
                        .log("a command is not read back as it was written");
                throw new IllegalStateException(
                        "this command cannot be recorded: it would be read back differently");
            }
        }
    }

    /// What was applied here took place, whatever else is said of its entry.
    private void answer(ProposedEntry<C, R> entry, @Nullable Throwable failure) {
        var answers = entry.answers().get();
        if (answers == null) {
            var cause =
                    failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure;
            answerFailed(entry, cause);
            return;
        }
        for (var i = 0; i < answers.size(); i++) {
            entry.members().get(i).answer().complete(answers.get(i));
        }
    }

    /// Also an entry that was refused because leadership ended may be in the log by then, and the
    /// next leader may complete it: once handed over, its outcome is open.
    private void answerFailed(ProposedEntry<C, R> entry, @Nullable Throwable cause) {
        var error =
                entry.handedOver().get()
                        ? new UnknownOutcomeException(
                                "the log did not confirm that this is written down", cause)
                        : refusal.get();
        if (!isClosed()) {
            LOG.atWarn()
                    .addKeyValue("proposals", entry.members().size())
                    .setCause(cause)
                    .log("log entry not acknowledged");
        }
        entry.members().forEach(waiting -> waiting.answer().completeExceptionally(error));
    }

    private void refuse(List<Waiting<C, R>> all) {
        all.forEach(
                waiting -> waiting.answer().completeExceptionally(new NotLeaderException(null)));
    }

    /// Whoever had the pen cannot write, and nobody else will.
    private void breakDown(List<Waiting<C, R>> taken, Throwable cause) {
        LOG.atError().setCause(cause).log("the log cannot be written");
        close();
        refuse(taken); // but those of an entry in flight have their answer
        failed.accept("the log could not be written: " + cause);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /// Nobody waits any longer.
    @Override
    public void close() {
        List<Waiting<C, R>> refused;
        ProposedEntry<C, R> open;
        synchronized (this) {
            closed = true;
            refused = List.copyOf(gathered);
            gathered.clear();
            open = inFlight;
            inFlight = null;
        }
        refuse(refused);
        if (open != null) {
            answerFailed(open, null);
        }
    }

    /// The bytes of an entry while they are collected.
    private static final class EntryBytes {
        private static final int USUAL = 4096;
        private static final int LARGE = 1 << 20;

        private Buffer buffer = new Buffer();
        private DataOutputStream data = new DataOutputStream(buffer);

        DataOutputStream data() {
            return data;
        }

        int size() {
            return buffer.size();
        }

        void cutTo(int size) {
            buffer.cutTo(size);
        }

        void forgetIfLarge() {
            if (buffer.size() > LARGE) {
                buffer = new Buffer();
                data = new DataOutputStream(buffer);
            }
        }

        ByteString from(int start) {
            return buffer.from(start);
        }

        ByteString toByteString() {
            return buffer.from(0);
        }

        private static final class Buffer extends ByteArrayOutputStream {
            Buffer() {
                super(USUAL);
            }

            void cutTo(int size) {
                count = size;
            }

            ByteString from(int start) {
                return ByteString.copyFrom(buf, start, count - start);
            }
        }
    }
}
