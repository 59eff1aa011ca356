package dev.spur.cli.sprio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.JobPriority;
import dev.spur.api.v1.ListPrioritiesReply;
import dev.spur.cli.testing.RecordedAccounts;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SprioTest {
    private final RecordedAccounts accounts =
            new RecordedAccounts()
                    .priorities(
                            ListPrioritiesReply.newBuilder()
                                    .putWeights("Age", 1000)
                                    .putWeights("FairShare", 10_000)
                                    .putWeights("JobSize", 1000)
                                    .putWeights("Partition", 1000)
                                    .putWeights("QOS", 1000)
                                    .putWeights("Assoc", 0)
                                    .putWeights("TRES/cpu", 100)
                                    .putWeights("TRES/mem", 10)
                                    .putWeights("TRES/gres/gpu", 100)
                                    .addJobs(job(27, 3759, 2500, 1000, 100, 0, 156, 3))
                                    .addJobs(job(28, 3603, 2500, 844, 100, 0, 156, 3))
                                    .addJobs(
                                            job(34, 3571, 2500, 70, 1000, 0, 2, 0)
                                                    .setPartition("batch"))
                                    .addJobs(job(35, 3671, 2500, 70, 100, 1000, 2, 0))
                                    .addJobs(job(49, 10_675, 10_000, 562, 100, 0, 12, 0))
                                    .addJobs(job(59, 10_575, 10_000, 562, 100, 0, 12, 0))
                                    .addJobs(job(63, 2671, 2500, 70, 100, 0, 2, 0))
                                    .addJobs(job(61, 3671, 2500, 70, 100, 1000, 2, 0))
                                    .build());

    @ParameterizedTest
    @ValueSource(strings = {"sprio_default", "sprio_w"})
    void printsWhatSlurmPrinted(String name) throws IOException {
        var recording = Recording.of(name);
        try (var cluster = cluster()) {
            assertThat(cluster.run(Sprio::new, cluster.call(recording)))
                    .isEqualTo(recording.output() + "[exit " + recording.exitCode() + "]");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-S -Y, 49 59 27 35 61 28 34 63",
        "'-S r,-i', 34 63 61 59 49 35 28 27",
    })
    void orderMayBeChosen(String option, String ids) throws IOException {
        assertThat(output("-h", "-o", "%i", option.substring(0, 2), option.substring(3)))
                .isEqualToIgnoringWhitespace(ids + "[exit 0]");
    }

    @Test
    void conditionsAreTheControllersToKnow() throws IOException {
        output("-j", "27,28", "-u", "alice", "-p", "debug");

        assertThat(accounts.askedPriorities().getIdsList()).containsExactly("27", "28");
        assertThat(accounts.askedPriorities().getUsersList()).containsExactly("alice");
        assertThat(accounts.askedPriorities().getPartitionsList()).containsExactly("debug");
    }

    @Test
    void factorsAreShownAsTheyAre() throws IOException {
        assertThat(output("-h", "-o", "%i|%f|%t|%N"))
                .startsWith("27|0.2500000|cpu=1.56,mem=0.30|5\n");
    }

    @Test
    void whoAsksForJobsThatDoNotWaitIsTold() throws IOException {
        accounts.priorities(ListPrioritiesReply.getDefaultInstance());

        assertThat(output("-j", "7"))
                .isEqualTo("Unable to find jobs matching user/id(s) specified\n[exit 0]");
    }

    private String output(String... arguments) throws IOException {
        try (var cluster = cluster()) {
            return cluster.run(Sprio::new, cluster.call("sprio", arguments));
        }
    }

    private RecordedCluster cluster() throws IOException {
        return new RecordedCluster(RecordedCluster.RECORDED, List.of(accounts));
    }

    private static JobPriority.Builder job(
            int id,
            int priority,
            int fairShare,
            int size,
            int partition,
            int qos,
            int cpu,
            int mem) {
        return JobPriority.newBuilder()
                .setJobId(id)
                .setPartition("debug")
                .setPriority(priority)
                .setNice(5)
                .setFairShare(fairShare / 10_000.0)
                .setWeightedFairShare(fairShare)
                .setWeightedJobSize(size)
                .setWeightedPartition(partition)
                .setWeightedQos(qos)
                .putTres("cpu", cpu / 100.0)
                .putTres("mem", 0.3)
                .putWeightedTres("cpu", cpu)
                .putWeightedTres("mem", mem)
                .putTres("gres/gpu", 0)
                .putWeightedTres("gres/gpu", 0);
    }
}
