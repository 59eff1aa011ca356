package dev.spur.cli.sdiag;

import static dev.spur.cli.testing.RecordedJobs.micros;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.CallStatistics;
import dev.spur.api.v1.GetStatisticsReply;
import dev.spur.api.v1.GetStatisticsRequest;
import dev.spur.api.v1.HistoryGrpc;
import dev.spur.api.v1.HistoryStatsReply;
import dev.spur.api.v1.HistoryStatsRequest;
import dev.spur.api.v1.PassStatistics;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.StatisticsGrpc;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SdiagTest {
    private final List<GetStatisticsRequest> asked = new ArrayList<>();
    private boolean keepsAccounting = true;

    @Test
    void everyLineIsOneThatSlurmPrints() throws IOException {
        var slurms = Recording.of("sdiag").output().lines().map(SdiagTest::label).toList();

        // The names of calls are our own.
        var ours =
                output().lines()
                        .filter(line -> !line.contains("ListJobs") && !line.contains("[exit"))
                        .map(SdiagTest::label)
                        .toList();
        assertThat(slurms).containsAll(ours);
    }

    @Test
    void callsAreCountedByWhatIsAskedAndByWhoAsks() throws IOException {
        assertThat(output())
                .contains(
                        "\tListJobs                                (    0) count:2      ave_time:50     total_time:100\n")
                .contains(
                        "\talice           (    1002) count:244    ave_time:506    total_time:123576\n");
    }

    @Test
    void whatCannotBeKnownHasNoLine() throws IOException {
        keepsAccounting = false;

        assertThat(output()).contains("Agent queue size:").doesNotContain("DBD Agent queue size");
    }

    @Test
    void resetIsTheControllersToDo() throws IOException {
        assertThat(output("-r")).isEqualTo("Reset scheduling statistics\n[exit 0]");
        assertThat(asked.getFirst().getReset()).isTrue();
    }

    private static String label(String line) {
        return line.replaceFirst(":.*", ":");
    }

    private String output(String... arguments) throws IOException {
        try (var cluster = new Counted()) {
            return cluster.run(Sdiag::new, cluster.call("sdiag", arguments));
        }
    }

    private final class Statistics extends StatisticsGrpc.StatisticsImplBase {
        @Override
        public void getStatistics(
                GetStatisticsRequest request, StreamObserver<GetStatisticsReply> reply) {
            asked.add(request);
            RecordedCluster.answer(
                    reply,
                    GetStatisticsReply.newBuilder()
                            .setSinceMicros(micros("2026-11-15T18:48:10"))
                            .setNowMicros(micros("2026-11-15T18:49:54"))
                            .setOpenCalls(3)
                            .setSubmitted(74)
                            .setStarted(32)
                            .setCompleted(23)
                            .setCancelled(1)
                            .setPending(5)
                            .setRunning(7)
                            .setQuick(
                                    PassStatistics.newBuilder()
                                            .setCycles(29)
                                            .setLastTookMicros(87)
                                            .setMaxMicros(1261)
                                            .setTotalMicros(29 * 174)
                                            .setTotalLookedAt(29))
                            .setPlan(
                                    PassStatistics.newBuilder()
                                            .setCycles(9)
                                            .setLastAtMicros(micros("2026-11-15T18:49:50"))
                                            .setLastTookMicros(45)
                                            .setMaxMicros(6731)
                                            .setTotalMicros(9 * 1119)
                                            .setLastLookedAt(3)
                                            .setTotalLookedAt(9 * 2)
                                            .setStarted(13))
                            .addCalls(call("ListJobs", 0, 2, 100))
                            .addCallers(call("alice", 1002, 244, 123_576))
                            .build());
        }

        private static CallStatistics call(String name, int uid, long count, long total) {
            return CallStatistics.newBuilder()
                    .setName(name)
                    .setUid(uid)
                    .setCount(count)
                    .setTotalMicros(total)
                    .build();
        }
    }

    private static final class History extends HistoryGrpc.HistoryImplBase {
        @Override
        public void stats(HistoryStatsRequest request, StreamObserver<HistoryStatsReply> reply) {
            RecordedCluster.answer(reply, HistoryStatsReply.getDefaultInstance());
        }
    }

    private final class Counted extends RecordedCluster {
        Counted() throws IOException {
            super(RECORDED, List.of(new Statistics(), new History()));
        }

        @Override
        public void ping(PingRequest request, StreamObserver<PingReply> reply) {
            answer(
                    reply,
                    PingReply.newBuilder()
                            .setAccountingAddress(keepsAccounting ? address() : "")
                            .build());
        }
    }
}
