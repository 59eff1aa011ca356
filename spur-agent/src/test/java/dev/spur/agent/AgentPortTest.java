package dev.spur.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.HostRole;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AgentPortTest {
    @TempDir Path directory;

    @Test
    void connectionsWithoutCertificateDoNotUseUpTheDescriptors() throws Exception {
        var silent = new ArrayList<SocketChannel>();
        try (var port =
                AgentPort.open(
                        new HostAndPort("127.0.0.1", 0),
                        identity(),
                        new LateServices(),
                        Runnable::run,
                        Duration.ofHours(1))) {
            for (var i = 0; i < 600; i++) {
                silent.add(SocketChannel.open(new InetSocketAddress("127.0.0.1", port.number())));
            }

            // The last of them that must go; those after it may stay for the hour.
            assertThat(silent.get(600 - 257).read(ByteBuffer.allocate(1))).isEqualTo(-1);
        } finally {
            for (var each : silent) {
                each.close();
            }
        }
    }

    private HostIdentity identity() throws Exception {
        var ca = ClusterCa.openOrCreate(directory.resolve("ca"), "test", InstantSource.system());
        var keys = HostKeys.create();
        var certificate =
                ca.issue("node1", HostRole.COMPUTE, keys.certificateRequest("node1")).getEncoded();
        return HostIdentity.store(
                directory.resolve("node1"), keys, certificate, ca.certificateBytes());
    }
}
