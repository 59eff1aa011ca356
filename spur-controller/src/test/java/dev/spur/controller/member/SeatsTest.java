package dev.spur.controller.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.controller.raft.RaftConfig;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.JoinToken;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which controller one is, by its directory and by the keys of spur.conf.
class SeatsTest {
    private static final String THREE =
            """
            peers = ["ctl1:6821", "ctl2:6821", "ctl3:7821"]
            hosts = ["ctl1", "ctl2:7817", "ctl3"]
            """;

    /// Where nothing listens.
    private static final HostAndPort NOBODY = new HostAndPort("127.0.0.1", 1);

    @TempDir Path directory;

    @Test
    void aControllerWithoutOthersBeginsTheLogAloneAndListensForNobody() {
        var seats = seats("", "ctl1");

        var seat = seats.take(null);

        assertThat(seat.beginning()).isEqualTo(Seat.Beginning.ALONE);
        assertThat(seats.founders(seat)).extracting(RaftConfig.Peer::name).containsExactly("ctl1");
        assertThat(seats.replicationListen(seat)).isNull();
    }

    @Test
    void anAddressForOthersMakesTheLogReachable() {
        var seats = seats("raft_listen_addr = \"10.0.0.1:6821\"", "ctl1");

        var seat = seats.take(null);

        assertThat(seats.replicationListen(seat)).isEqualTo(new HostAndPort("10.0.0.1", 6821));
        assertThat(seats.self(seat).address()).isEqualTo("10.0.0.1:6821");
    }

    @Test
    void theFirstOfSeveralBeginsAloneAndTheOthersJoinIt() {
        var seat = seats(THREE + "node_id = 1", "ctl1").take(null);

        assertThat(seat.beginning()).isEqualTo(Seat.Beginning.ALONE);
    }

    @Test
    void theSecondOfSeveralIsToldToJoinTheFirst() {
        var seats = seats(THREE + "node_id = 2", "ctl2");

        assertThatThrownBy(() -> seats.take(null))
                .hasMessageContaining("number 2 of controller.peers")
                .hasMessageContaining("spur token join --role controller --host ctl2");
    }

    @Test
    void controllersThatHaveTheAuthorityBeginTogetherAsTheirFilesSay() {
        ClusterCa.openOrCreate(directory, "test", InstantSource.system());
        var seats = seats(THREE + "node_id = 3", "ctl3");

        var seat = seats.take(null);

        assertThat(seat.beginning()).isEqualTo(Seat.Beginning.TOGETHER);
        assertThat(seat.id()).isEqualTo("ctl3");
        assertThat(seats.founders(seat))
                .contains(
                        new RaftConfig.Peer("ctl1", "ctl1:6821", "ctl1:6817"),
                        new RaftConfig.Peer("ctl2", "ctl2:6821", "ctl2:7817"))
                .hasSize(3);
        assertThat(seats.self(seat).address()).isEqualTo("ctl3:7821");
        assertThat(seats.replicationListen(seat)).isEqualTo(new HostAndPort("ctl3", 7821));
    }

    @Test
    void aSeatOnceTakenIsKeptWhateverTheFileSaysLater() {
        seats("", "ctl1").take(null);

        var later = seats(THREE + "node_id = 2", "renamed").take(null);

        assertThat(later.id()).isEqualTo("ctl1");
        assertThat(later.beginning()).isEqualTo(Seat.Beginning.ALONE);
    }

    @Test
    void controllersOnOneHostAreToldApartByTheirPorts() {
        ClusterCa.openOrCreate(directory, "test", InstantSource.system());
        var seats = seats("peers = [\"127.0.0.1:6821\", \"127.0.0.1:6822\"]\nnode_id = 2", "vm");

        assertThat(seats.take(null).id()).isEqualTo("127.0.0.1-6822");
    }

    @Test
    void aControllerThatWasToldToJoinNeverBeginsALogOfItsOwnWhateverInterruptsIt() {
        var token = JoinToken.create(List.of(NOBODY), "00".repeat(32)).reveal();
        assertThatThrownBy(() -> seats("", "ctl2").take(token))
                .hasMessageContaining("cannot join the controllers");

        assertThatThrownBy(() -> seats("", "ctl2").take(null))
                .hasMessageContaining("began to join")
                .hasMessageContaining("spur token join --role controller --host ctl2");
    }

    private Seats seats(String keys, String name) {
        var config =
                ConfigFile.parse(
                                """
                                cluster_name = "test"

                                [controller]
                                listen_addr = "10.0.0.1:6817"
                                """
                                        + keys)
                        .config()
                        .controller();
        return new Seats(config, config.listenAddr(), config.raftListenAddr(), name, directory);
    }
}
