package dev.spur.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RatisLogTest {
    private static final RaftConfig.Limits LIMITS =
            new RaftConfig.Limits(2000, 1 << 20, 1000, 1 << 20);

    @TempDir Path directory;

    private final CountingReplica replica = new CountingReplica();

    @Test
    void whatWasAnsweredIsThereAfterARestart() throws Exception {
        try (var log = open(replica, 1000)) {
            propose(log, "one");
            propose(log, "two");
        }
        var restarted = new CountingReplica();

        try (var log = open(restarted, 1000)) {
            assertThat(propose(log, "three")).isEqualTo(3);
        }

        assertThat(restarted.words).containsExactly("one", "two", "three");
    }

    @Test
    void proposalsThatArriveTogetherShareAnEntry() throws Exception {
        try (var log = open(replica, 1000)) {
            var answers = IntStream.range(0, 1000).mapToObj(i -> log.propose("word " + i)).toList();
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                    .get(30, TimeUnit.SECONDS);
        }

        assertThat(replica.words).hasSize(1000);
        assertThat(replica.entries).isLessThan(200);
    }

    @Test
    void restartsFromASnapshotAndTheLogBehindIt() throws Exception {
        try (var log = open(replica, 10)) {
            for (var i = 0; i < 500; i++) {
                propose(log, "word " + i);
            }
            replica.crashed = true;
        }
        var restarted = new CountingReplica();

        try (var log = open(restarted, 10)) {
            assertThat(propose(log, "last")).isEqualTo(501);
        }

        assertThat(restarted.restored).isPositive();
        assertThat(restarted.words.subList(0, 500)).isEqualTo(replica.words);
    }

    @Test
    void anOrderlyStopLeavesNothingToApply() throws Exception {
        writeWords("one", "two", "three");
        var restarted = new CountingReplica();

        open(restarted, 1000).close();

        assertThat(restarted.words).containsExactly("one", "two", "three");
        assertThat(restarted.restored).isEqualTo(3);
        assertThat(restarted.entries).isZero();
    }

    @Test
    void aStopAfterWhichNothingWasAppliedWritesNoSnapshot() throws Exception {
        writeWords("one");
        var before = snapshotNames();

        open(new CountingReplica(), 1000).close();

        assertThat(snapshotNames()).isEqualTo(before).isNotEmpty();
    }

    /// What a process leaves that is killed at this moment is what is in its directory then.
    @Test
    void aKillInTheMiddleOfTheLastSnapshotLosesNothing() throws Exception {
        var raft = directory.resolve("raft");
        var killed = directory.resolve("killed");
        var slow =
                new CountingReplica() {
                    @Override
                    public Image image() {
                        var whole = super.image();
                        return new Image() {
                            @Override
                            public void writeTo(OutputStream out) throws IOException {
                                whole.writeTo(out);
                                out.flush();
                                copyTree(raft, killed);
                            }

                            @Override
                            public void linkFiles(Path target) {}
                        };
                    }
                };
        try (var log = open(slow, 1000)) {
            propose(log, "one");
            propose(log, "two");
        }
        deleteTree(raft);
        Files.move(killed, raft);
        assertThat(snapshotNames()).isNotEmpty().allMatch(name -> name.endsWith(".tmp"));
        var restarted = new CountingReplica();

        try (var log = open(restarted, 1000)) {
            assertThat(propose(log, "three")).isEqualTo(3);
        }

        assertThat(restarted.restored).isZero();
        assertThat(restarted.words).containsExactly("one", "two", "three");
    }

    @Test
    void aLastSnapshotThatFailsKeepsNobodyFromEnding() throws Exception {
        var failures = new CopyOnWriteArrayList<String>();
        var unable =
                new CountingReplica() {
                    @Override
                    public Image image() {
                        throw new IllegalStateException("no image of this");
                    }
                };
        try (var log = open(unable, LIMITS, failures::add)) {
            propose(log, "one");
        }
        var restarted = new CountingReplica();

        open(restarted, 1000).close();

        assertThat(failures).isEmpty();
        assertThat(restarted.words).containsExactly("one");
    }

    @Test
    void snapshotsLetTheLogBePurged() throws Exception {
        var small = new RaftConfig.Limits(1000, 1 << 20, 10, 64 << 10);
        try (var log = open(replica, small)) {
            for (var i = 0; i < 300; i++) {
                propose(log, "x".repeat(4000));
            }
        }

        assertThat(segments()).hasSizeLessThan(15);
    }

    @Test
    void aTornLastEntryIsCutOff() throws Exception {
        replica.crashed = true;
        writeWords("one", "two", "three");
        var segment = segments().getLast();
        try (var file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.setLength(endOfData(segment) - 3);
        }
        var restarted = new CountingReplica();

        try (var log = open(restarted, 1000)) {
            propose(log, "after");
        }

        assertThat(restarted.words).containsExactly("one", "two", "after");
    }

    @Test
    void aDamagedEntryIsRefusedByNameAndNothingIsChanged() throws Exception {
        writeWords("one", "two", "three");
        var segment = segments().getLast();
        var before = Files.readAllBytes(segment);
        var at = new String(before, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("two");
        before[at] ^= 1;
        Files.write(segment, before);

        assertThatThrownBy(() -> open(new CountingReplica(), 1000).close())
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining(segment.toString())
                .hasMessageContaining("Restore the state directory from a backup");
        assertThat(Files.readAllBytes(segment)).isEqualTo(before);
    }

    @Test
    void aMissingSegmentIsRefused() throws Exception {
        var small = new RaftConfig.Limits(1000, 1 << 20, 1_000_000, 16 << 10);
        try (var log = open(replica, small)) {
            for (var i = 0; i < 40; i++) {
                propose(log, "x".repeat(2000));
            }
        }
        Files.delete(segments().get(1));

        assertThatThrownBy(() -> open(new CountingReplica(), small).close())
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining("but the one before ends with");
    }

    @Test
    void theEpochGrowsWithEveryStart() throws Exception {
        long first;
        try (var log = open(replica, 1000)) {
            first = epoch(log);
        }

        try (var log = open(new CountingReplica(), 1000)) {
            assertThat(epoch(log)).isGreaterThan(first);
        }
    }

    @Test
    void anEntryThatCannotBeAppliedIsToldAndItsOutcomeIsOpen() throws Exception {
        var failures = new CopyOnWriteArrayList<String>();
        var full =
                new CountingReplica() {
                    @Override
                    public List<Integer> apply(long index, List<String> entry) {
                        throw new UncheckedIOException(new IOException("No space left on device"));
                    }
                };
        try (var log = open(full, LIMITS, failures::add)) {
            assertThat(log.propose("word"))
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(UnknownOutcomeException.class);

            assertThat(failures.getFirst())
                    .contains("could not be applied")
                    .contains("No space left on device");
        }
        assertThat(snapshotNames()).as("of a state that is neither this nor that").isEmpty();
    }

    /// The process ends because of the first; until it has, others may still be recorded.
    @Test
    void behindAnEntryThatCannotBeAppliedNothingIsAppliedUntilTheNextStart() throws Exception {
        var full =
                new CountingReplica() {
                    @Override
                    public List<Integer> apply(long index, List<String> entry) {
                        if (entry.contains("large")) {
                            throw new UncheckedIOException(
                                    new IOException("No space left on device"));
                        }
                        return super.apply(index, entry);
                    }
                };
        try (var log = open(full, LIMITS)) {
            propose(log, "before");
            assertThat(log.propose("large")).failsWithin(Duration.ofSeconds(30));
            assertThat(log.propose("behind")).failsWithin(Duration.ofSeconds(30));
        }
        assertThat(full.words).containsExactly("before");
        assertThat(snapshotNames()).as("of a state without an entry").isEmpty();
        var restarted = new CountingReplica();

        open(restarted, 1000).close();

        assertThat(restarted.words).startsWith("before", "large");
    }

    /// Else the log would grow until the disk is full.
    @Test
    void snapshotsAreWrittenAgainWhenAnotherControllerDiesWhileItSendsItsOwn() throws Exception {
        try (var log = open(replica, 10)) {
            propose(log, "before");
            log.replica().pause(); // the first part came; no other will

            for (var i = 0; i < 100; i++) {
                propose(log, "word " + i);
            }
            replica.crashed = true;
        }

        assertThat(snapshotNames()).isNotEmpty();
    }

    /// Ratis then puts another directory in the place of the one that is being written to.
    @Test
    void anotherControllersSnapshotWaitsUntilOurOwnIsWhole() throws Exception {
        var order = new CopyOnWriteArrayList<String>();
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var slow =
                new CountingReplica() {
                    @Override
                    public Image image() {
                        var whole = super.image();
                        return new Image() {
                            @Override
                            public void writeTo(OutputStream out) throws IOException {
                                begun.countDown();
                                awaitQuietly(goOn);
                                whole.writeTo(out);
                                order.add("ours is whole");
                            }

                            @Override
                            public void linkFiles(Path target) {}
                        };
                    }
                };
        try (var log = open(slow, 10)) {
            while (begun.getCount() > 0) {
                propose(log, "word");
            }
            var installing =
                    Thread.ofPlatform()
                            .start(() -> {
                                log.replica().pause();
                                order.add("another's comes");
                            });
            while (installing.isAlive() && installing.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            goOn.countDown();
            installing.join();
        }

        assertThat(order).startsWith("ours is whole", "another's comes");
    }

    @Test
    void anOrderlyEndIsNoFailure() throws Exception {
        var failures = new CopyOnWriteArrayList<String>();

        open(replica, LIMITS, failures::add).close();

        assertThat(failures).isEmpty();
    }

    @Test
    void anEndThatNobodyAskedForIsAFailure() throws Exception {
        var failures = new ArrayList<String>();
        var machine =
                new RatisReplica<>(
                        CountingReplica.CODEC,
                        replica,
                        new SnapshotFiles(directory.resolve("sm"), false),
                        new LeaderTasks(Runnable::run, _ -> {}),
                        Optional::empty,
                        failures::add,
                        1000);

        machine.close();

        assertThat(failures).containsExactly("the log was closed because of a failure");
    }

    @Test
    void aCodecThatBreaksEndsTheLogAndNobodyWaitsForEver() throws Exception {
        var failures = new CopyOnWriteArrayList<String>();
        var broken =
                new EntryCodec<String>() {
                    @Override
                    public void write(String proposal, DataOutput out) throws IOException {
                        if (proposal.equals("bottomless")) {
                            throw new StackOverflowError("too deep");
                        }
                        CountingReplica.CODEC.write(proposal, out);
                    }

                    @Override
                    public String read(DataInput in) throws IOException {
                        return CountingReplica.CODEC.read(in);
                    }
                };
        var alone = RaftConfig.alone(directory.resolve("raft"), "localhost:6817");
        try (var log = RatisLog.open(alone, broken, replica, failures::add)) {
            assertThat(log.awaitLeader()).isTrue();
            var answers = new ArrayList<CompletableFuture<Integer>>();
            answers.add(log.propose("bottomless"));
            IntStream.range(0, 100).forEach(i -> answers.add(log.propose("word " + i)));

            assertThat(answers.getFirst()).failsWithin(Duration.ofSeconds(30));
            assertThat(log.propose("afterwards")).failsWithin(Duration.ofSeconds(30));
            assertThat(answered(answers)).succeedsWithin(Duration.ofSeconds(30));
            assertThat(failures)
                    .singleElement()
                    .asString()
                    .contains("could not be written")
                    .contains("too deep");
        }
    }

    @Test
    void whoProposesWhileItIsClosedIsAnswered() throws Exception {
        var answers = new CopyOnWriteArrayList<CompletableFuture<Integer>>();
        var proposing = new ArrayList<Thread>();
        var underWay = new CountDownLatch(4);
        try (var log = open(replica, 1000)) {
            for (var i = 0; i < 4; i++) {
                proposing.add(
                        Thread.ofPlatform()
                                .start(() -> {
                                    while (true) {
                                        var answer = log.propose("word");
                                        answers.add(answer);
                                        if (answer.handle((_, failure) -> failure != null).join()) {
                                            return;
                                        }
                                        underWay.countDown();
                                    }
                                }));
            }
            underWay.await();
        }
        for (var thread : proposing) {
            thread.join();
        }

        assertThat(answers).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aSnapshotThatCouldNotBeWrittenIsTriedAgainSoon() throws Exception {
        var tries = new CopyOnWriteArrayList<Integer>();
        var full =
                new CountingReplica() {
                    @Override
                    public Image image() {
                        tries.add(words.size());
                        return tries.size() > 1 ? super.image() : unwritable();
                    }
                };
        try (var log = open(full, 200)) {
            for (var i = 0; i < 300; i++) {
                propose(log, "word " + i);
            }
        }

        assertThat(tries).hasSize(3).last().isEqualTo(300); // that one when it stopped
        assertThat(tries.get(1) - tries.getFirst()).isLessThan(50);
    }

    /// A controller that stood still for hours joins the others again; it need not end.
    @Test
    void noPauseIsLongEnoughForTheLogToEnd() {
        var alone = RaftConfig.alone(directory.resolve("raft"), "localhost:6817");

        assertThat(
                        RaftServerConfigKeys.closeThreshold(RatisLog.properties(alone))
                                .toLong(TimeUnit.DAYS))
                .isGreaterThan(365);
    }

    @Test
    void aCommandThatWouldBeReadBackDifferentlyIsRefusedAndNotRecorded() throws Exception {
        var forgetful =
                new EntryCodec<String>() {
                    @Override
                    public void write(String proposal, DataOutput out) throws IOException {
                        CountingReplica.CODEC.write(proposal.replace("!", ""), out);
                    }

                    @Override
                    public String read(DataInput in) throws IOException {
                        return CountingReplica.CODEC.read(in);
                    }
                };
        var alone = RaftConfig.alone(directory.resolve("raft"), "localhost:6817");
        try (var log = RatisLog.open(alone, forgetful, replica, _ -> {})) {
            assertThat(log.awaitLeader()).isTrue();
            var refused = log.propose("now!");
            var recorded = log.propose("later");

            assertThat(refused)
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withMessageContaining("it would be read back differently");
            assertThat(recorded).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(1);
        }
    }

    @Test
    void theLogIsOpenToItsOwnerOnly() throws Exception {
        open(replica, LIMITS, _ -> {}).close();

        assertThat(Files.getPosixFilePermissions(directory.resolve("raft")))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    /// Completed when all are, well or badly.
    private static CompletableFuture<Void> answered(List<CompletableFuture<Integer>> answers) {
        return CompletableFuture.allOf(
                answers.stream()
                        .map(answer -> answer.handle((_, _) -> true))
                        .toArray(CompletableFuture[]::new));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Replica.Image unwritable() {
        return new Replica.Image() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                throw new IOException("No space left on device");
            }

            @Override
            public void linkFiles(Path directory) {}
        };
    }

    private static long epoch(RatisLog<String, Integer> log) {
        return switch (log.leadership()) {
            case Leadership.Leading(var epoch) -> epoch;
            case Leadership.Following _, Leadership.NoMajority _ ->
                    throw new AssertionError("the only controller must lead");
        };
    }

    private void writeWords(String... words) throws Exception {
        try (var log = open(replica, 1000)) {
            for (var word : words) {
                propose(log, word);
            }
        }
    }

    private RatisLog<String, Integer> open(CountingReplica into, long snapshotEvery)
            throws Exception {
        return open(into, new RaftConfig.Limits(2000, 1 << 20, snapshotEvery, 1 << 20));
    }

    private RatisLog<String, Integer> open(CountingReplica into, RaftConfig.Limits limits)
            throws Exception {
        return open(into, limits, _ -> {});
    }

    private RatisLog<String, Integer> open(
            CountingReplica into, RaftConfig.Limits limits, Consumer<String> failed)
            throws Exception {
        var alone = RaftConfig.alone(directory.resolve("raft"), "localhost:6817");
        var config = new RaftConfig(alone.directory(), alone.self(), alone.peers(), null, limits);
        var log = RatisLog.open(config, CountingReplica.CODEC, into, failed);
        assertThat(log.awaitLeader()).isTrue();
        return log;
    }

    private static int propose(RatisLog<String, Integer> log, String word) throws Exception {
        return log.propose(word).get(20, TimeUnit.SECONDS);
    }

    private List<String> snapshotNames() throws IOException {
        try (var tree = Files.walk(directory.resolve("raft"))) {
            return tree.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("snapshot."))
                    .sorted()
                    .toList();
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (var tree = Files.walk(from)) {
            for (var path : tree.toList()) {
                Files.copy(path, to.resolve(from.relativize(path)));
            }
        }
    }

    private static void deleteTree(Path root) throws IOException {
        try (var tree = Files.walk(root)) {
            for (var path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private List<Path> segments() throws IOException {
        try (var tree = Files.walk(directory)) {
            return tree.filter(file -> file.getFileName().toString().startsWith("log_"))
                    .sorted(Comparator.comparingLong(RatisLogTest::firstIndex))
                    .toList();
        }
    }

    private static long firstIndex(Path segment) {
        return Long.parseLong(
                segment.getFileName()
                        .toString()
                        .replace("log_", "")
                        .replace("inprogress_", "")
                        .replaceFirst("-.*", ""));
    }

    private static long endOfData(Path segment) throws IOException {
        var bytes = Files.readAllBytes(segment);
        var end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }
}
