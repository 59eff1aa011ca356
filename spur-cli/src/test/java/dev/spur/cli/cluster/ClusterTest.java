package dev.spur.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.ControllerStanding;
import dev.spur.api.v1.PingReply;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterTest {
    @Test
    void statusTellsWhoLeadsWhoLagsWhoseClockIsOffAndWhoIsAway() {
        var survey =
                new Survey(
                        "production",
                        List.of(
                                row("ctl1", answer("ctl1", "leader", 500, 0, ""), ""),
                                row("ctl2", answer("ctl2", "follower", 350, 12_300_000, ""), ""),
                                row("ctl3", null, "Connection refused")));

        assertThat(Cluster.text(survey))
                .isEqualTo(
                        """
                        Cluster production: 2 of 3 controllers answer, ctl1 leads (term 7)
                        NAME  ADDRESS    REPLICATION  ROLE      STATE  LAG  CLOCK   VERSION
                        ctl1  ctl1:6817  ctl1:6821    leader    up     0    0s      0.1.0
                        ctl2  ctl2:6817  ctl2:6821    follower  up     150  +12.3s  0.1.0
                        ctl3  ctl3:6817  ctl3:6821    -         down   -    -       -
                        ctl3: Connection refused
                        """);
    }

    @Test
    void statusTellsWhyNobodyLeadsInTheWordsOfAControllerThatWaits() {
        var waiting = answer("ctl1", "candidate", 0, 0, "the controllers have no majority: …");
        var survey =
                new Survey(
                        "production",
                        List.of(row("ctl1", waiting, ""), row("ctl2", null, "Connection refused")));

        assertThat(Cluster.text(survey))
                .startsWith("Cluster production: the controllers have no majority: …\n");
        assertThat(survey.leader()).isEmpty();
    }

    @Test
    void statusTellsThatAccountingRecordsPileUp() {
        var troubled =
                answer("ctl1", "leader", 500, 0, "").toBuilder()
                        .setAccountingTrouble("600 MiB wait")
                        .build();

        assertThat(Cluster.text(new Survey("production", List.of(row("ctl1", troubled, "")))))
                .endsWith("Accounting: 600 MiB wait\n");
    }

    @Test
    void statusOfControllersOfWhichNoneAnswersSaysSo() {
        var survey = new Survey("", List.of(row("ctl1", null, "Connection refused")));

        assertThat(Cluster.text(survey)).startsWith("No controller answers.\n");
    }

    private static Survey.Row row(String name, @Nullable PingReply reply, String because) {
        return new Survey.Row(name, name + ":6817", name + ":6821", true, reply, because);
    }

    private static PingReply answer(
            String name, String role, long applied, long clockMicros, String trouble) {
        return PingReply.newBuilder()
                .setVersion("0.1.0")
                .setSelf(
                        ControllerStanding.newBuilder()
                                .setName(name)
                                .setRole(role)
                                .setTerm(7)
                                .setCommitted(500)
                                .setApplied(applied)
                                .setNowMicros(1_000_000_000 + clockMicros)
                                .setTrouble(trouble))
                .build();
    }
}
