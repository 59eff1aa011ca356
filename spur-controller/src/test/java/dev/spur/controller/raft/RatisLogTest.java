package dev.spur.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RatisLogTest {
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
        }
        var restarted = new CountingReplica();

        try (var log = open(restarted, 10)) {
            assertThat(propose(log, "last")).isEqualTo(501);
        }

        assertThat(restarted.restored).isPositive();
        assertThat(restarted.words.subList(0, 500)).isEqualTo(replica.words);
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

    private static long epoch(RatisLog<String, Integer> log) {
        return switch (log.leadership()) {
            case Leadership.Leading(var epoch) -> epoch;
            case Leadership.Following _ ->
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
        var alone = RaftConfig.alone(directory.resolve("raft"), "localhost:6817");
        var config = new RaftConfig(alone.directory(), alone.self(), alone.peers(), null, limits);
        var log = RatisLog.open(config, CountingReplica.CODEC, into, () -> {});
        assertThat(log.awaitLeader()).isTrue();
        return log;
    }

    private static int propose(RatisLog<String, Integer> log, String word) throws Exception {
        return log.propose(word).get(20, TimeUnit.SECONDS);
    }

    private List<Path> segments() throws IOException {
        try (var tree = Files.walk(directory)) {
            return tree.filter(file -> file.getFileName().toString().startsWith("log_"))
                    .sorted(java.util.Comparator.comparingLong(RatisLogTest::firstIndex))
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
