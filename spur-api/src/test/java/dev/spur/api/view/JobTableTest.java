package dev.spur.api.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.TimeLimit;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobTableTest {
    private static final Surroundings HERE = Surroundings.of("one", 1_700_000_000_000_000L);

    private final Job job =
            Job.newBuilder()
                    .setJobId(7)
                    .setName("päck \"x\"\n😀")
                    .setState("COMPLETING")
                    .setBaseState("COMPLETED")
                    .setTimeLimit(TimeLimit.newBuilder().setUnlimited(true))
                    .setSubmitMicros(1_700_000_000_500_000L)
                    .setTres("cpu=4,mem=2G,node=1,billing=4")
                    .addNodes(NodeAllocation.newBuilder().setNode("n1").setCpus(4))
                    .build();

    @Test
    void aJobHasEveryMemberOfSlurmsStructure() {
        var json = new JsonText();
        SlurmLayout.of(JobTable.JOBS).write(job, json, HERE);

        assertThat(json.toString())
                .contains("\"job_id\":7,")
                .contains("\"name\":\"päck \\\"x\\\"\\n😀\"")
                .contains("\"job_state\":[\"COMPLETED\",\"COMPLETING\"]")
                .contains("\"time_limit\":{\"set\":false,\"infinite\":true,\"number\":0}")
                .contains("\"submit_time\":{\"set\":true,\"infinite\":false,\"number\":1700000000}")
                .contains("\"burst_buffer\":\"\"")
                .contains("\"allocation\":[{\"index\":0,\"name\":\"n1\",\"cpus\":{\"count\":4,")
                .contains("\"cluster\":\"one\"");
    }

    @Test
    void ourOwnFormHasOurNames() {
        var json = new JsonText();
        PlainLayout.of(JobTable.JOBS).write(job, json, HERE);

        assertThat(json.toString())
                .startsWith("{\"id\":7,")
                .contains("\"submitted_at\":\"2023-11-14T22:13:20.500Z\"")
                .contains("\"tres\":{\"cpu\":4,\"mem\":2048,\"node\":1,\"billing\":4}")
                .contains("\"time_limit\":null")
                .contains("\"started_at\":null");
    }

    @Test
    void fieldsCanBeChosen() {
        var json = new JsonText();
        var fields =
                List.of(
                        JobTable.JOBS.byName("state").orElseThrow(),
                        JobTable.JOBS.byName("id").orElseThrow());

        PlainLayout.of(fields).writeAll(List.of(job, job), json, HERE);

        assertThat(json.toString())
                .isEqualTo(
                        "[{\"state\":\"COMPLETING\",\"id\":7},{\"state\":\"COMPLETING\",\"id\":7}]");
    }

    @Test
    void everyTableFitsItsStructure() {
        assertThat(SlurmLayout.of(NodeTable.NODES)).isNotNull();
        assertThat(SlurmLayout.of(PartitionTable.PARTITIONS)).isNotNull();
        assertThat(SlurmLayout.of(StepTable.STEPS)).isNotNull();
    }
}
