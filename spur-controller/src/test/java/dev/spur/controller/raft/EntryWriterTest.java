package dev.spur.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EntryWriterTest {
    private static final RaftConfig.Limits LIMITS =
            new RaftConfig.Limits(100_000, 1 << 20, 1000, 1 << 20);

    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final ScriptedRecorder recorder = new ScriptedRecorder();

    @Test
    void whatIsProposedWhileAnEntryIsUnderWaySharesTheNext() {
        var writer = writer(LIMITS, recorder);
        var first = propose(writer, "one");
        var second = propose(writer, "two");
        var third = propose(writer, "three");

        assertThat(recorder.words()).containsExactly(List.of("one"));
        recorder.confirm(0);
        assertThat(recorder.words()).containsExactly(List.of("one"), List.of("two", "three"));
        assertThat(first).isCompletedWithValue("ONE");
        assertThat(second).isNotDone();
        recorder.confirm(1);
        assertThat(second).isCompletedWithValue("TWO");
        assertThat(third).isCompletedWithValue("THREE");
    }

    @Test
    void theNextEntryIsOnItsWayBeforeTheLastIsAnswered() {
        var writer = writer(LIMITS, recorder);
        var underWay = new AtomicInteger();
        var _ = propose(writer, "one").thenRun(() -> underWay.set(recorder.words().size()));
        var _ = propose(writer, "two");

        recorder.confirm(0);

        assertThat(underWay).hasValue(2);
    }

    @Test
    void whoeverProposesFromAnAnswerIsNotForgotten() {
        var writer = writer(LIMITS, recorder);
        var second = propose(writer, "one").thenCompose(_ -> propose(writer, "two"));

        recorder.confirm(0);
        recorder.confirm(1);

        assertThat(second).isCompletedWithValue("TWO");
    }

    @Test
    void manyThreadsAreEachAnsweredAndRecordedInTheOrderOfTheirStamps() throws Exception {
        var threads = 8;
        var each = 2_000;
        var stamps = new AtomicInteger();
        var underWay = new AtomicInteger();
        var recorded = new ArrayList<Integer>();
        var most = new AtomicInteger();
        try (var disk = Executors.newSingleThreadExecutor();
                var callers = Executors.newFixedThreadPool(threads)) {
            var writer =
                    writer(
                            LIMITS,
                            entry -> {
                                most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                                return CompletableFuture.runAsync(
                                        () -> {
                                            entry.proposals()
                                                    .forEach(word ->
                                                            recorded.add(Integer.parseInt(word)));
                                            underWay.decrementAndGet();
                                            confirm(entry);
                                        },
                                        disk);
                            });
            var begin = new CountDownLatch(1);
            var answers = new CopyOnWriteArrayList<CompletableFuture<String>>();
            var running =
                    IntStream.range(0, threads)
                            .mapToObj(_ ->
                                    callers.submit(() -> {
                                        begin.await();
                                        for (var i = 0; i < each; i++) {
                                            answers.add(
                                                    writer.propose(() ->
                                                            Integer.toString(
                                                                    stamps.getAndIncrement())));
                                        }
                                        return null;
                                    }))
                            .toList();
            begin.countDown();
            for (var one : running) {
                one.get();
            }

            assertThat(CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)))
                    .succeedsWithin(Duration.ofSeconds(30));
        }

        assertThat(most).hasValue(1);
        assertThat(recorded)
                .containsExactlyElementsOf(IntStream.range(0, threads * each).boxed().toList());
        assertThat(failures).isEmpty();
    }

    @Test
    void anEntryThatFailsInTheMiddleLeavesItsOutcomeOpenAndTheOthersGoOn() {
        var writer = writer(LIMITS, recorder);
        var first = propose(writer, "one");
        var second = propose(writer, "two");
        recorder.confirm(0);
        var third = propose(writer, "three");

        recorder.entries.get(1).handedOver().set(true);
        recorder.fail(1);
        recorder.confirm(2);

        assertThat(first).isCompletedWithValue("ONE");
        assertFails(second, UnknownOutcomeException.class);
        assertThat(third).isCompletedWithValue("THREE");
        assertThat(failures).isEmpty();
    }

    @Test
    void anEntryThatWasNeverHandedOverDidNotTakePlace() {
        var writer = writer(LIMITS, recorder);
        var answer = propose(writer, "one");

        recorder.fail(0);

        assertFails(answer, NotLeaderException.class);
    }

    @Test
    void whatWasAppliedHereTookPlaceWhateverElseIsSaid() {
        var writer = writer(LIMITS, recorder);
        var answer = propose(writer, "one");

        confirm(recorder.entries.getFirst());
        recorder.fail(0);

        assertThat(answer).isCompletedWithValue("ONE");
    }

    @Test
    void closingAnswersEverybody() {
        var writer = writer(LIMITS, recorder);
        var inFlight = propose(writer, "one");
        var gathered = propose(writer, "two");
        recorder.entries.getFirst().handedOver().set(true);

        writer.close();
        var late = propose(writer, "three");

        assertFails(inFlight, UnknownOutcomeException.class);
        assertFails(gathered, NotLeaderException.class);
        assertFails(late, NotLeaderException.class);
        recorder.confirm(0);
        assertThat(recorder.words()).containsExactly(List.of("one"));
    }

    @Test
    void closingWhileAnEntryIsEncodedRefusesIt() {
        var writers = new ArrayList<EntryWriter<String, String>>();
        var writer =
                new EntryWriter<>(
                        codec(_ -> writers.getFirst().close()),
                        LIMITS,
                        recorder,
                        () -> new NotLeaderException(null),
                        failures::add);
        writers.add(writer);

        assertFails(propose(writer, "one"), NotLeaderException.class);
        assertThat(recorder.entries).isEmpty();
        assertThat(failures).isEmpty();
    }

    @Test
    void anErrorWhileEncodingEndsTheLogAndAnswersEverybody() {
        var writer =
                new EntryWriter<>(
                        codec(word -> {
                            if (word.equals("bad")) {
                                throw new StackOverflowError();
                            }
                        }),
                        LIMITS,
                        recorder,
                        () -> new NotLeaderException(null),
                        failures::add);
        var first = propose(writer, "one");
        var second = propose(writer, "two");
        var bad = propose(writer, "bad");

        recorder.confirm(0);

        assertThat(first).isCompletedWithValue("ONE");
        assertFails(second, NotLeaderException.class);
        assertFails(bad, NotLeaderException.class);
        assertFails(propose(writer, "late"), NotLeaderException.class);
        assertThat(failures)
                .singleElement()
                .asString()
                .contains("the log could not be written")
                .contains("StackOverflowError");
    }

    @Test
    void anErrorOfTheRecorderLeavesTheOutcomeOpen() {
        var writer =
                writer(
                        LIMITS,
                        entry -> {
                            entry.handedOver().set(true);
                            throw new LinkageError("half of it is missing");
                        });

        assertFails(propose(writer, "one"), UnknownOutcomeException.class);
        assertThat(failures).hasSize(1);
    }

    @Test
    void entriesThatAreRefusedAtOnceDoNotPileUpOnTheStack() {
        var oneByOne = new RaftConfig.Limits(100_000, 1024 + 8, 1000, 1 << 20);
        var first = new CompletableFuture<Void>();
        var begun = new AtomicInteger();
        var writer =
                writer(
                        oneByOne,
                        _ ->
                                begun.getAndIncrement() == 0
                                        ? first
                                        : CompletableFuture.failedFuture(Refused.AT_ONCE));
        var answers = IntStream.range(0, 3_000).mapToObj(_ -> propose(writer, "word")).toList();

        first.completeExceptionally(Refused.AT_ONCE);

        assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(begun).hasValue(3_000);
        assertThat(failures).isEmpty();
    }

    @Test
    void whatDoesNotFitWaitsForTheNextEntryAndWhatNeverFitsIsRefused() {
        var small = new RaftConfig.Limits(100, 1024 + 20, 1000, 1 << 20);
        var writer = writer(small, recorder);
        var _ = propose(writer, "now");
        var one = propose(writer, "12345678");
        var large = propose(writer, "x".repeat(30));
        var two = propose(writer, "87654321");
        var three = propose(writer, "last");

        recorder.confirm(0);
        recorder.confirm(1);
        recorder.confirm(2);

        assertThat(recorder.words())
                .containsExactly(List.of("now"), List.of("12345678"), List.of("87654321", "last"));
        assertThat(one).isCompletedWithValue("12345678");
        assertFails(large, IllegalArgumentException.class);
        assertThat(two).isCompletedWithValue("87654321");
        assertThat(three).isCompletedWithValue("LAST");
    }

    @Test
    void moreThanMayWaitIsToldToComeBack() {
        var few = new RaftConfig.Limits(2, 1 << 20, 1000, 1 << 20);
        var writer = writer(few, recorder);
        var _ = propose(writer, "in flight");
        var _ = propose(writer, "one");
        var _ = propose(writer, "two");

        assertFails(propose(writer, "three"), BusyException.class);
    }

    private static void assertFails(
            CompletableFuture<String> answer, Class<? extends Throwable> why) {
        assertThat(answer).isCompletedExceptionally();
        assertThat(answer.exceptionNow()).isInstanceOf(why);
    }

    private EntryWriter<String, String> writer(
            RaftConfig.Limits limits, EntryWriter.Recorder<String, String> to) {
        return new EntryWriter<>(
                CountingReplica.CODEC,
                limits,
                to,
                () -> new NotLeaderException(null),
                failures::add);
    }

    private static CompletableFuture<String> propose(
            EntryWriter<String, String> writer, String word) {
        return writer.propose(() -> word);
    }

    private static void confirm(ProposedEntry<String, String> entry) {
        entry.answers()
                .set(
                        entry.proposals().stream()
                                .map(word -> word.toUpperCase(java.util.Locale.ROOT))
                                .toList());
    }

    /// Something happens before each word is written.
    private static EntryCodec<String> codec(java.util.function.Consumer<String> before) {
        return new EntryCodec<>() {
            @Override
            public void write(String proposal, DataOutput out) throws IOException {
                before.accept(proposal);
                CountingReplica.CODEC.write(proposal, out);
            }

            @Override
            public String read(DataInput in) throws IOException {
                return CountingReplica.CODEC.read(in);
            }
        };
    }

    /// Without a trace: it is logged for each entry.
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        private static final Refused AT_ONCE = new Refused();

        private Refused() {
            super("refused", null, false, false);
        }
    }

    /// Records when the test says so.
    private static final class ScriptedRecorder implements EntryWriter.Recorder<String, String> {
        private final List<ProposedEntry<String, String>> entries = new ArrayList<>();
        private final List<CompletableFuture<Void>> outcomes = new ArrayList<>();

        @Override
        public CompletableFuture<?> record(ProposedEntry<String, String> entry) {
            entries.add(entry);
            outcomes.add(new CompletableFuture<>());
            return outcomes.getLast();
        }

        List<List<String>> words() {
            return entries.stream().map(ProposedEntry::proposals).toList();
        }

        void confirm(int entry) {
            EntryWriterTest.confirm(entries.get(entry));
            outcomes.get(entry).complete(null);
        }

        void fail(int entry) {
            outcomes.get(entry).completeExceptionally(new IOException("not led here"));
        }
    }
}
