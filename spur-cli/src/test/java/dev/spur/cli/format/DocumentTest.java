package dev.spur.cli.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.view.SlurmSchema;
import dev.spur.api.view.SlurmSchema.Structure;
import dev.spur.cli.scontrol.Scontrol;
import dev.spur.cli.sinfo.Sinfo;
import dev.spur.cli.squeue.Squeue;
import dev.spur.cli.testing.RecordedCluster;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// `--json` and `--yaml`.
class DocumentTest {
    @Test
    void jobsAreListedInSlurmsStructure() throws IOException {
        var told = squeue("--json", "-j", "38");

        assertThat(told)
                .startsWith("{\n  \"jobs\": [\n    {\n      \"account\": \"physics\",\n")
                .contains("\n      \"job_state\": [\n        \"RUNNING\"\n      ],\n")
                .contains("\n      \"job_id\": 38,\n")
                .contains("\"command\": [\n      \"squeue\",\n      \"--json\",\n      \"-j\",\n")
                .endsWith("  \"errors\": [],\n  \"warnings\": []\n}\n[exit 0]");
        var structure = (Structure) SlurmSchema.current().structure("job_info");
        assertThat(structure.members())
                .allSatisfy(
                        member -> assertThat(told).contains("\n      \"" + member.name() + "\": "));
    }

    @Test
    void yamlIsTheSameInItsOwnForm() throws IOException {
        assertThat(squeue("--yaml", "-j38"))
                .startsWith("---\njobs:\n  - account: \"physics\"\n    accrue_time:\n")
                .contains("\n    job_state:\n      - \"RUNNING\"\n")
                .endsWith("\nerrors: []\nwarnings: []\n[exit 0]");
    }

    @Test
    void theLastOfTwoFormsIsMeant() throws IOException {
        assertThat(squeue("--yaml", "--json", "-j38")).startsWith("{\n");
    }

    @Test
    void filtersHoldForProgramsToo() throws IOException {
        assertThat(squeue("--json", "-u", "nobody"))
                .startsWith("squeue: error: Invalid user: nobody\n\n{\n  \"jobs\": [],\n");
    }

    @Test
    void versionsOfTheFormAreListed() throws IOException {
        assertThat(squeue("--json=list"))
                .isEqualTo(
                        """
                        Possible data_parser plugins:
                        data_parser/v0.0.40
                        data_parser/v0.0.41
                        data_parser/v0.0.42
                        data_parser/v0.0.43
                        [exit 0]\
                        """);
        assertThat(squeue("--json=v0.0.41+fast", "-j38"))
                .contains("\"data_parser\": \"data_parser/v0.0.41\"");
        assertThat(squeue("--json=v0.0.9"))
                .isEqualTo(
                        "squeue: error: there is no version v0.0.9 of this output; there are: "
                                + "v0.0.40, v0.0.41, v0.0.42, v0.0.43\n[exit 1]");
    }

    @Test
    void linesOfSinfoCountTheirNodes() throws IOException {
        try (var cluster = new RecordedCluster(RecordedCluster.RECORDED)) {
            var told = cluster.run(Sinfo::new, cluster.call("sinfo", "--json"));

            assertThat(told)
                    .startsWith("{\n  \"sinfo\": [\n    {\n      \"port\": ")
                    .contains("\n      \"partition\": {\n        \"nodes\": {\n");
            var structure = (Structure) SlurmSchema.current().structure("sinfo");
            assertThat(structure.members())
                    .allSatisfy(member ->
                            assertThat(told).contains("\n      \"" + member.name() + "\": "));
        }
    }

    @Test
    void verbsThatHaveNothingForProgramsSayWhichHave() throws IOException {
        try (var cluster = new RecordedCluster(RecordedCluster.RECORDED)) {
            assertThat(
                            cluster.run(
                                    Scontrol::new,
                                    cluster.call("scontrol", "show", "config", "--json")))
                    .isEqualTo(
                            "scontrol: error: --json and --yaml are for ping, and for show of jobs, steps, nodes,"
                                    + " partitions, reservations and licenses\n[exit 1]");
            assertThat(
                            cluster.run(
                                    Scontrol::new,
                                    cluster.call("scontrol", "show", "job", "38", "--json")))
                    .startsWith("{\n  \"jobs\": [\n");
        }
    }

    private static String squeue(String... args) throws IOException {
        try (var cluster = new RecordedCluster(RecordedCluster.RECORDED)) {
            return cluster.run(Squeue::new, cluster.call("squeue", args));
        }
    }
}
