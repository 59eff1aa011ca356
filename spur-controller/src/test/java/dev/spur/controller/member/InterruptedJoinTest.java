package dev.spur.controller.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.JoiningClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.controller.Controller;
import dev.spur.controller.ControllerOptions;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.SecretFiles;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A controller that was killed in the middle of joining, over real sockets.
@Timeout(120)
class InterruptedJoinTest {
    @TempDir Path directory;

    @Test
    void aControllerThatHadItsCertificateFinishesJoiningWithoutItsToken() throws Exception {
        var first = directory.resolve("ctl1");
        var second = directory.resolve("ctl2");
        var address = freeAddress();
        try (var _ = start("ctl1", first, address)) {
            var token = joinToken(first, address);
            SecretFiles.ownDirectory(second);
            new Seat("ctl2", Seat.Beginning.JOINING, token.controllers())
                    .store(second.resolve("raft"));
            certify(token, "ctl2", second.resolve("identity"));

            try (var _ = start("ctl2", second, freeAddress())) {
                var seat = Seat.load(second.resolve("raft")).orElseThrow();

                assertThat(seat.beginning()).isEqualTo(Seat.Beginning.ADDED);
                assertThat(seat.id()).startsWith("ctl2~");
                assertThat(second.resolve("ca/ca.pem"))
                        .hasSameBinaryContentAs(first.resolve("ca/ca.pem"));
            }
        }
    }

    private static JoinToken joinToken(Path controller, HostAndPort address) {
        var identity = HostIdentity.load(controller.resolve("identity"));
        try (var channels =
                new Channels(
                        new TransportSecurity.Tls(
                                identity.keyManager(), identity.trustManager()))) {
            var reply =
                    new ControllerClient(
                                    channels,
                                    List.of(address),
                                    new CallerIdentity.Vouched(0, 0, "root", List.of(0)))
                            .call(leader ->
                                    leader.createJoinToken(
                                            CreateJoinTokenRequest.newBuilder()
                                                    .setRequestId("token for ctl2")
                                                    .setRole("controller")
                                                    .setHost("ctl2")
                                                    .build()));
            return JoinToken.parse(reply.getToken());
        }
    }

    private static void certify(JoinToken token, String name, Path identity) {
        var keys = HostKeys.create();
        var reply =
                JoiningClient.join(
                        token.controllers(),
                        ClusterTrust.ofFingerprint(token.caFingerprint()),
                        token.secret(),
                        name,
                        HostRole.CONTROLLER.word(),
                        keys.certificateRequest(name));
        HostIdentity.store(
                identity, keys, reply.getCertificate().toByteArray(), reply.getCa().toByteArray());
    }

    /// Without a token.
    private Controller start(String name, Path state, HostAndPort address) throws Exception {
        var file = Files.writeString(directory.resolve("spur.conf"), "cluster_name = \"test\"\n");
        return Controller.start(
                new ControllerOptions(
                        ConfigFile.load(file).config(),
                        file,
                        () -> ConfigFile.load(file),
                        address,
                        freeAddress(),
                        state,
                        InstantSource.system(),
                        name,
                        null,
                        false));
    }

    private static HostAndPort freeAddress() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return new HostAndPort("127.0.0.1", socket.getLocalPort());
        }
    }
}
