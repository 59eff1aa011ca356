package dev.spur.cli.sreport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.HistoryGrpc;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.ReportReply;
import dev.spur.api.v1.ReportRequest;
import dev.spur.api.v1.ReportRow;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SreportTest {
    private static final long HOUR = 3600;

    private final List<ReportRow> rows = new ArrayList<>();
    private final List<ReportRequest> asked = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(strings = {"sreport_account_util", "sreport_cluster_util"})
    void printsWhatSlurmPrinted(String name) throws IOException {
        var recording = Recording.of(name);
        try (var cluster = new Accounted()) {
            assertThat(cluster.run(Sreport::new, cluster.call(recording)))
                    .isEqualTo(recording.output() + "[exit " + recording.exitCode() + "]");
        }
    }

    @Test
    void withoutTimesItIsYesterdayWhereTheCallerIs() throws IOException {
        try (var cluster = new Accounted()) {
            var in = cluster.call("sreport", "cluster", "util").zone(ZoneId.of("Europe/Berlin"));

            cluster.run(Sreport::new, in);
        }
        assertThat(window()).isEqualTo("2026-11-13T23:00:00Z to 2026-11-14T23:00:00Z");
        assertThat(asked.getFirst().getZone()).isEqualTo("Europe/Berlin");
    }

    @ParameterizedTest
    @CsvSource({
        "start=2026-11-15T10:29:29 end=2026-11-15T12:31, 2026-11-15T10:00:00Z to 2026-11-15T13:00:00Z",
        "start=2026-11-15T10:29:30 end=2026-11-15T10:40, 2026-11-15T11:00:00Z to 2026-11-15T12:00:00Z",
        "start=2026-11-01,                               2026-11-01T00:00:00Z to 2026-11-15T00:00:00Z",
    })
    void halfAnHourIsAWholeOne(String words, String window) throws IOException {
        output(("cluster utilization " + words).split(" "));

        assertThat(window()).isEqualTo(window);
    }

    @ParameterizedTest
    @CsvSource({
        "Minutes, 120, 1200",
        "h,       2,   20",
        "sec,     7200, 72000",
        "Percent, 10.00%, 100.00%",
        "HourPer, 2(10.00%), 20(100.00%)",
        "minper,  120(10.00%), 1200(100.00%)",
    })
    void timesAreWrittenAsAskedFor(String form, String allocated, String reported)
            throws IOException {
        rows.add(utilization());

        assertThat(output("-nP", "-t", form, "cluster", "utilization"))
                .isEqualTo(
                        "anchor0|%s|%s|%s"
                                        .formatted(
                                                allocated,
                                                form.equals("Percent") ? "0.00%" : zero(form),
                                                form.equals("Percent") ? "0.00%" : zero(form))
                                + "|"
                                + idle(form)
                                + "|"
                                + (form.equals("Percent") ? "0.00%" : zero(form))
                                + "|"
                                + reported
                                + "\n[exit 0]");
    }

    private static String zero(String form) {
        return form.toLowerCase(Locale.ROOT).endsWith("per") ? "0(0.00%)" : "0";
    }

    private static String idle(String form) {
        return switch (form) {
            case "Minutes" -> "1080";
            case "h" -> "18";
            case "sec" -> "64800";
            case "Percent" -> "90.00%";
            case "HourPer" -> "18(90.00%)";
            default -> "1080(90.00%)";
        };
    }

    @Test
    void accountsStandInTheirTreeWithTheEnergyOfTheirOwn() throws IOException {
        rows.add(used("cpu", "root", "", 0, 7200));
        rows.add(used("cpu", "bio", "", 1, 7200));
        rows.add(used("cpu", "bio", "alice", 2, 7200));
        rows.add(used("energy", "bio", "alice", 2, 55));

        assertThat(output("-nP", "cluster", "acc", "tree", "account=bio"))
                .isEqualTo(
                        """
                        anchor0|root|||120|0
                        anchor0| bio|||120|0
                        anchor0|  bio|alice||120|55
                        [exit 0]\
                        """);
        assertThat(asked.getFirst().getKind()).isEqualTo("cluster accountutilizationbyuser");
        assertThat(asked.getFirst().getAccountsList()).containsExactly("bio");
        assertThat(asked.getFirst().getTree()).isTrue();
    }

    @Test
    void partsAreOfWhatTheClusterHad() throws IOException {
        rows.add(used("cpu", "bio", "alice", 2, 7200));

        assertThat(output("-nP", "-t", "percent", "user", "top", "format=login,used"))
                .isEqualTo("alice|10.00%\n[exit 0]");
        assertThat(asked).extracting(ReportRequest::getKind).contains("cluster utilization");
    }

    @Test
    void severalResourcesAreNamed() throws IOException {
        rows.add(used("gres/gpu", "bio", "alice", 2, 60));

        assertThat(output("-P", "-T", "gres/gpu,cpu", "user", "topusage", "topcount=3"))
                .startsWith(
                        "-".repeat(80)
                                + "\nTop 3 Users 2026-11-14T00:00:00 - 2026-11-14T23:59:59 (86400 secs)\n")
                .contains("Usage reported in TRES Minutes\n")
                .contains("Cluster|TRES Name|Login|Proper Name|Account|Used|Energy\n")
                .contains("anchor0|gres/gpu|alice||bio|1|0\n");
        assertThat(asked.getFirst().getTresList()).containsExactly("gres/gpu", "cpu");
        assertThat(asked.getFirst().getTopCount()).isEqualTo(3);
    }

    @Test
    void jobsAreCountedByTheirSizes() throws IOException {
        rows.add(
                used("cpu", "bio", "", 1, 0).toBuilder().addBuckets(3600).addBuckets(7200).build());

        assertThat(output("-t", "hours", "job", "sizesbyaccount", "grouping=16"))
                .contains("Job Sizes 2026-11-14T00:00:00")
                .contains("Time reported in Hours\n")
                .contains(
                        "  Cluster   Account     0-15 CPUs    >= 16 CPUs % of cluster \n"
                                + "--------- --------- ------------- ------------- ------------ \n"
                                + "  anchor0       bio             1             2       15.00% \n");
    }

    @ParameterizedTest
    @CsvSource({
        "'nothing at all',             'invalid keyword: nothing'",
        "'cluster nothing',            'Not valid report nothing'",
        "'cluster util color=red',     ' Unknown condition: color'",
        "'cluster util format=color',  'Unknown field ''color'''",
        "'cluster util start=never',   'sreport: error: Invalid time specification (pos=0): never'",
    })
    void whatIsWrongIsTold(String words, String said) throws IOException {
        assertThat(output(words.split(" "))).startsWith(said + "\n").endsWith("[exit 1]");
    }

    @Test
    void conversationGoesOnAfterAMistake() throws IOException {
        rows.add(utilization());
        try (var cluster = new Accounted()) {
            var in =
                    cluster.call("sreport", "-nP")
                            .input("nothing\n\ncluster utilization format=reported\nquit\n");

            assertThat(cluster.run(Sreport::new, in))
                    .isEqualTo("invalid keyword: nothing\n1200\n[exit 0]");
        }
    }

    private static ReportRow utilization() {
        return ReportRow.newBuilder()
                .setCluster("anchor0")
                .setTres("cpu")
                .putSeconds("allocated", 2 * HOUR)
                .putSeconds("idle", 18 * HOUR)
                .putSeconds("reported", 20 * HOUR)
                .build();
    }

    private static ReportRow used(String tres, String account, String user, int depth, long used) {
        return ReportRow.newBuilder()
                .setCluster("anchor0")
                .setTres(tres)
                .setAccount(account)
                .setUser(user)
                .setDepth(depth)
                .putSeconds("used", used)
                .build();
    }

    private String window() {
        return Instant.ofEpochSecond(asked.getFirst().getFromMicros() / 1_000_000)
                + " to "
                + Instant.ofEpochSecond(asked.getFirst().getUntilMicros() / 1_000_000);
    }

    private String output(String... arguments) throws IOException {
        try (var cluster = new Accounted()) {
            return cluster.run(Sreport::new, cluster.call("sreport", arguments));
        }
    }

    /// Answers with the rows of the test; of the whole cluster always the same.
    private final class History extends HistoryGrpc.HistoryImplBase {
        @Override
        public void report(ReportRequest request, StreamObserver<ReportReply> reply) {
            asked.add(request);
            var isTotal = request.getKind().equals("cluster utilization") && asked.size() > 1;
            RecordedCluster.answer(
                    reply,
                    ReportReply.newBuilder()
                            .setFromMicros(request.getFromMicros())
                            .setUntilMicros(request.getUntilMicros())
                            .addAllRows(isTotal ? List.of(utilization()) : rows)
                            .build());
        }
    }

    private final class Accounted extends RecordedCluster {
        Accounted() throws IOException {
            super(RECORDED, List.of(new History()));
        }

        @Override
        public void ping(PingRequest request, StreamObserver<PingReply> reply) {
            answer(reply, PingReply.newBuilder().setAccountingAddress(address()).build());
        }
    }
}
