package dev.spur.cli.efficiency;

import static dev.spur.cli.testing.RecordedHistory.job;
import static dev.spur.cli.testing.RecordedHistory.of;
import static dev.spur.cli.testing.RecordedHistory.step;
import static dev.spur.cli.testing.RecordedJobs.micros;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.GetStepUsageReply;
import dev.spur.api.v1.GetStepUsageRequest;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.StepUsageNow;
import dev.spur.api.v1.TimeLimit;
import dev.spur.cli.Connector;
import dev.spur.cli.Tool;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.RecordedHistory;
import dev.spur.model.StepId;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class EfficiencyTest {
    private static final int CPU = 1;
    private static final int MEM = 2;
    private static final int GPU = 1001;

    private final RecordedHistory history = new RecordedHistory();
    private final GetStepUsageReply.Builder live = GetStepUsageReply.newBuilder();

    /// Ten minutes on four CPUs and 8 GiB of one node; allowed was an hour.
    private static JobRecord.Builder train(String state) {
        return job(12, "train", state)
                .setGid(1002)
                .setGroupName("users")
                .setStartMicros(micros("2026-11-15T18:00:00"))
                .setEndMicros(micros("2026-11-15T18:10:00"))
                .setAllocCpus(4)
                .setTimeLimit(TimeLimit.newBuilder().setMinutes(60))
                .putTresAllocated(CPU, 4)
                .putTresAllocated(MEM, 8192);
    }

    private static StepUsage.Builder used(int cpuSeconds, long mebibytes) {
        return StepUsage.newBuilder()
                .setTasks(1)
                .setUserMicros(cpuSeconds * 1_000_000L)
                .setMaxRssKb(mebibytes * 1024)
                .setTotalRssKb(mebibytes * 1024);
    }

    private String seff(String... arguments) throws IOException {
        return output(Seff::new, "seff", arguments);
    }

    private String efficiency(String... arguments) throws IOException {
        return output(Efficiency::new, "efficiency", arguments);
    }

    private String output(Function<Connector, Tool> tool, String program, String... arguments)
            throws IOException {
        try (var cluster = new Accounted()) {
            return cluster.run(tool, cluster.call(program, arguments));
        }
    }

    // ---- seff ----

    @Test
    void seffPrintsWhatSlurmsScriptPrints() throws IOException {
        var job = train("COMPLETED");
        history.stored(of(job, step(job, StepId.BATCH, "batch").setUsage(used(1800, 2048))));

        assertThat(seff("12"))
                .isEqualTo(
                        """
                        Job ID: 12
                        Cluster: anchor0
                        User/Group: alice/users
                        State: COMPLETED (exit code 0)
                        Cores: 4
                        CPU Utilized: 00:30:00
                        CPU Efficiency: 75.00% of 00:40:00 core-walltime
                        Job Wall-clock time: 00:10:00
                        Memory Utilized: 2.00 GB
                        Memory Efficiency: 25.00% of 8.00 GB (8.00 GB/node)
                        [exit 0]\
                        """);
    }

    @Test
    void memoryOfManyTasksIsTheirSumAndAnEstimate() throws IOException {
        var job = train("COMPLETED").setNodeCount(2).setNodeList("node[1-2]");
        history.stored(
                of(
                        job,
                        step(job, StepId.BATCH, "batch").setUsage(used(1, 100)),
                        step(job, new StepId(0), "train")
                                .setUsage(used(1200, 512).setTasks(4).setTotalRssKb(1024 * 1024))));

        assertThat(seff("12"))
                .contains("Nodes: 2\nCores per node: 2\n")
                .contains("Memory Utilized: 1.00 GB (estimated maximum)\n")
                .contains("Memory Efficiency: 12.50% of 8.00 GB (4.00 GB/node)\n");
    }

    @Test
    void unknownJobIsNotFound() throws IOException {
        assertThat(seff("99")).isEqualTo("Job not found.\n[exit 2]");
    }

    @Test
    void runningJobIsJudgedByWhatItsNodesSayNow() throws IOException {
        var job = train("RUNNING").setEndMicros(0);
        history.known(of(job, step(job, StepId.BATCH, "batch").setEndMicros(0)));
        live.addSteps(
                StepUsageNow.newBuilder()
                        .setJobId(12)
                        .setStepId(StepId.BATCH.value())
                        .setUsage(used(60, 1024)));

        assertThat(seff("12"))
                .contains("State: RUNNING\n")
                .contains("CPU Utilized: 00:01:00\n")
                .contains("Memory Utilized: 1.00 GB\n")
                .contains("WARNING: Efficiency statistics may be misleading for RUNNING jobs.\n");
    }

    @Test
    void waitingJobHasNoEfficiency() throws IOException {
        history.known(of(train("PENDING").setStartMicros(0).setEndMicros(0)));

        assertThat(seff("12"))
                .endsWith("Efficiency not available for jobs in the PENDING state.\n[exit 0]");
    }

    // ---- spur efficiency ----

    @Test
    void jobThatUsedLittleHearsWhatToAskForNextTime() throws IOException {
        var job = train("COMPLETED").putTresAllocated(GPU, 2);
        history.stored(of(job, step(job, StepId.BATCH, "batch").setUsage(used(600, 1000))));

        assertThat(efficiency("12"))
                .isEqualTo(
                        """
                        Job 12 (train) of alice: COMPLETED, 1 node, ran for 00:10:00.
                                  asked for        used
                          CPUs    4                1.0          25 %
                          Memory  8.00 GB          1000.00 MB   12 %
                          Time    01:00:00         00:10:00     17 %
                          GPUs    2                no data
                        Next time ask for:
                          2 CPUs instead of its 4: on average 1.0 were busy. If it has one task, ask with --cpus-per-task=2.
                          Less memory, --mem=1280M: it used 1000.00 MB of 8.00 GB.
                          Less time, --time=00:15:00: it was done after 00:10:00. Short jobs find a gap and start sooner.
                        [exit 0]\
                        """);
    }

    @Test
    void jobThatHadTooLittleHearsThatToo() throws IOException {
        var job = train("OUT_OF_MEMORY");
        history.stored(of(job, step(job, StepId.BATCH, "batch").setUsage(used(2390, 8000))));

        assertThat(efficiency("12"))
                .contains("More memory, --mem=16G perhaps: it was killed for want of it.")
                .contains("As many CPUs or more: its 4 were busy all the time.")
                .doesNotContain("Less time");
    }

    @Test
    void jobThatWasEndedAtItsLimitNeedsMoreTime() throws IOException {
        var job = train("TIMEOUT").setTimeLimit(TimeLimit.newBuilder().setMinutes(10));
        history.stored(of(job, step(job, StepId.BATCH, "batch").setUsage(used(2000, 5000))));

        assertThat(efficiency("12"))
                .endsWith(
                        """
                        Next time ask for:
                          More time, --time=00:20:00 perhaps: it was ended at its limit.
                        [exit 0]\
                        """);
    }

    @Test
    void nothingIsMadeUpOfAJobThatNobodyMeasured() throws IOException {
        var job = train("COMPLETED");
        history.stored(of(job, step(job, StepId.BATCH, "batch")));

        assertThat(efficiency("12"))
                .contains("  CPUs    4                no data\n")
                .contains("Nothing of what it used is known.");
    }

    @Test
    void withoutAJobTheCallersLastOnesAreListed() throws IOException {
        var job = train("COMPLETED");
        history.stored(of(job, step(job, StepId.BATCH, "batch").setUsage(used(1800, 2048))));
        history.known(of(job(13, "wait", "PENDING").setStartMicros(0).setEndMicros(0)));

        assertThat(efficiency())
                .contains("12           train            COMPLETED       00:10:00      4     75 %")
                .contains("What to ask for next time: spur efficiency JOBID")
                .doesNotContain("wait");
    }

    /// The recorded cluster, with accounting.
    private final class Accounted extends RecordedCluster {
        Accounted() throws IOException {
            super(RECORDED, List.of(history.history(), history.accounts()));
        }

        @Override
        public void ping(PingRequest request, StreamObserver<PingReply> reply) {
            answer(reply, PingReply.newBuilder().setAccountingAddress(address()).build());
        }

        @Override
        public void getStepUsage(
                GetStepUsageRequest request, StreamObserver<GetStepUsageReply> reply) {
            answer(reply, live.build());
        }
    }
}
