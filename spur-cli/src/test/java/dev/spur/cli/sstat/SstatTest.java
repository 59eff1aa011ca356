package dev.spur.cli.sstat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.GetStepUsageReply;
import dev.spur.api.v1.GetStepUsageRequest;
import dev.spur.api.v1.NodePids;
import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.StepUsageNow;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import dev.spur.model.StepId;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SstatTest {
    private final GetStepUsageReply.Builder answer = GetStepUsageReply.newBuilder();
    private final List<GetStepUsageRequest> asked = new ArrayList<>();
    private RecordedCluster cluster;

    @BeforeEach
    void open() throws IOException {
        cluster =
                new RecordedCluster() {
                    @Override
                    public void getStepUsage(
                            GetStepUsageRequest request, StreamObserver<GetStepUsageReply> reply) {
                        asked.add(request);
                        answer(reply, answer.build());
                    }
                };
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    /// The job of the recording: a script, and a step of four tasks.
    private void recorded() {
        answer.addSteps(
                        StepUsageNow.newBuilder()
                                .setJobId(38)
                                .setStepId(StepId.BATCH.value())
                                .setNodeList("node1")
                                .setUsage(
                                        StepUsage.newBuilder()
                                                .setTasks(1)
                                                .setMaxRssKb(10564)
                                                .setMaxVmsizeKb(285804)))
                .addSteps(
                        StepUsageNow.newBuilder()
                                .setJobId(38)
                                .setStepId(0)
                                .setNodeList("node[1-2]")
                                .setUsage(
                                        StepUsage.newBuilder()
                                                .setTasks(4)
                                                .setMaxRssKb(1780)
                                                .setMaxRssNode("node1")
                                                .setMaxRssTask(1)
                                                .setMaxVmsizeKb(2920)));
    }

    private String output(String... arguments) {
        return cluster.run(Sstat::new, cluster.call("sstat", arguments));
    }

    @Test
    void printsWhatSlurmPrinted() {
        recorded();
        var recording = Recording.of("sstat_o");

        assertThat(cluster.run(Sstat::new, cluster.call(recording)))
                .isEqualTo(recording.output() + "[exit 0]");
        assertThat(asked).singleElement().matches(GetStepUsageRequest::getAllSteps);
    }

    @Test
    void columnsAreSlurmsInNamesAndWidths() {
        recorded();
        var recording = Recording.of("sstat");

        var printed = cluster.run(Sstat::new, cluster.call(recording)).lines().toList();

        assertThat(printed.subList(0, 2)).isEqualTo(recording.output().lines().limit(2).toList());
        assertThat(printed).hasSize(5);
    }

    @Test
    void taskThatUsesMostIsNamedWithItsNode() {
        recorded();

        assertThat(output("-nP", "-j", "38.0", "-o", "maxrss,maxrssnode,maxrsstask"))
                .endsWith("1780K|node1|1\n[exit 0]");
    }

    @Test
    void processesAreListedNodeByNode() {
        answer.addSteps(
                StepUsageNow.newBuilder()
                        .setJobId(38)
                        .setNodeList("node[1-2]")
                        .addPids(NodePids.newBuilder().setNode("node1").addPids(7).addPids(8))
                        .addPids(NodePids.newBuilder().setNode("node2").addPids(9)));

        assertThat(output("-i", "-P", "-j", "38"))
                .isEqualTo("JobID|Nodelist|Pids\n38.0|node1|7,8\n38.0|node2|9\n[exit 0]");
        assertThat(asked).singleElement().matches(GetStepUsageRequest::getPids);
    }

    @Test
    void jobsOfWhichNothingRunsAreToldAndAreNoFailure() {
        answer.addUnknown("999").addIdle("39").addIdle("38.0").addDenied("7");

        assertThat(output("-n", "-j", "999,39,38.0,7"))
                .isEqualTo(
                        """
                        sstat: error: couldn't get steps for job 999
                        sstat: error: couldn't get steps for job 7: Access/permission denied
                        sstat: error: no steps running for job 39
                        [exit 0]\
                        """);
    }

    @Test
    void nodesThatDoNotAnswerAreNamed() {
        answer.addSteps(
                StepUsageNow.newBuilder()
                        .setJobId(38)
                        .setNodeList("node[1-2]")
                        .addSilentNodes("node2"));

        assertThat(output("-nP", "-j", "38", "-o", "jobid,maxrss"))
                .isEqualTo(
                        "sstat: error: node2 of StepId=38.0 did not answer; the numbers are those of the others\n"
                                + "38.0|\n[exit 0]");
    }

    @ParameterizedTest
    @CsvSource({
        "'',You didn't give me any jobs to stat.",
        "'-j 38 -o nothing','Invalid field requested: \"nothing\"'",
        "'38','Unrecognized option: 38'"
    })
    void mistakesAreToldInSlurmsWords(String arguments, String said) {
        var words = arguments.isEmpty() ? new String[0] : arguments.split(" ", -1);

        assertThat(output(words)).isEqualTo("sstat: error: " + said + "\n[exit 1]");
    }
}
