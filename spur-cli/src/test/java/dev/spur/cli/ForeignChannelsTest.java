package dev.spur.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterCa;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForeignChannelsTest {
    private static final long EVE = 1004;
    private static final long ALICE = 1002;

    @TempDir Path directory;

    private final ForeignChannels channels = new ForeignChannels();
    private X509Certificate authority;

    @BeforeEach
    void makeAuthority() throws IOException {
        authority =
                ClusterCa.openOrCreate(directory, "elsewhere", InstantSource.system())
                        .certificate();
    }

    @Test
    void aUserWhoNamesEverMoreClustersClosesOnlyOwnChannels() {
        var ofAlice = channels.trusting(ALICE, authority, at(1));

        for (var port = 2; port < 1_000; port++) {
            channels.trusting(EVE, authority, at(port));
        }

        assertThat(channels.open()).isEqualTo(5);
        assertThat(channels.trusting(ALICE, authority, at(1))).isSameAs(ofAlice);
    }

    @Test
    void aClusterThatIsUsedAgainKeepsItsChannels() {
        var first = channels.trusting(EVE, authority, at(1));

        for (var port = 2; port < 100; port++) {
            channels.trusting(EVE, authority, at(port));
            assertThat(channels.trusting(EVE, authority, at(1))).isSameAs(first);
        }
    }

    private static List<HostAndPort> at(int port) {
        return List.of(new HostAndPort("127.0.0.1", port));
    }
}
