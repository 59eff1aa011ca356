package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.CallStatistics;
import dev.spur.api.v1.GetStatisticsReply;
import dev.spur.api.v1.GetStatisticsRequest;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.StatisticsGrpc;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatisticsTest {
    @TempDir Path directory;

    private InProcessController controller;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    private GetStatisticsReply statistics(String user, int uid, boolean reset) throws Exception {
        return StatisticsGrpc.newBlockingStub(controller.as(user, uid).getChannel())
                .getStatistics(GetStatisticsRequest.newBuilder().setReset(reset).build());
    }

    private void listJobs(String user, int uid) throws Exception {
        controller
                .as(user, uid)
                .listJobs(ListJobsRequest.getDefaultInstance())
                .forEachRemaining(_ -> {});
    }

    private static long count(Iterable<CallStatistics> all, String name) {
        var count = 0L;
        for (var one : all) {
            count += one.getName().equals(name) ? one.getCount() : 0;
        }
        return count;
    }

    @Test
    void callsAreCountedByWhatIsAskedAndByWhoAsks() throws Exception {
        listJobs("alice", 1000);
        listJobs("alice", 1000);
        listJobs("bob", 1001);

        var told = statistics("root", 0, false);

        assertThat(count(told.getCallsList(), "ListJobs")).isEqualTo(3);
        assertThat(count(told.getCallersList(), "alice")).isEqualTo(2);
        assertThat(count(told.getCallersList(), "bob")).isEqualTo(1);
        assertThat(told.getOpenCalls()).isEqualTo(1);
    }

    @Test
    void anOperatorBeginsAnew() throws Exception {
        listJobs("alice", 1000);

        statistics("root", 0, true);

        assertThat(count(statistics("root", 0, false).getCallsList(), "ListJobs")).isZero();
    }

    @Test
    void nobodyElseDoes() {
        assertThatThrownBy(() -> statistics("alice", 1000, true))
                .hasMessageContaining("PERMISSION_DENIED");
    }
}
