package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.RevokeCertificateRequest;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.PeerHost;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class JoiningTest {
    @TempDir Path directory;

    private InProcessController controller;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void aHostJoinsWithAOneTimeTokenInTheRoleThatWasGranted() throws Exception {
        var keys = HostKeys.create();

        var reply = join(token("login"), "login1", keys);

        var identity =
                HostIdentity.store(
                        directory.resolve("login1"),
                        keys,
                        reply.getCertificate().toByteArray(),
                        reply.getCa().toByteArray());
        assertThat(identity.self().host()).isEqualTo("login1");
        assertThat(identity.self().role()).isEqualTo(HostRole.LOGIN);
    }

    @Test
    void aTokenServesOneHostOnly() throws Exception {
        var token = token("compute");
        join(token, "node1", HostKeys.create());

        assertThatThrownBy(() -> join(token, "node2", HostKeys.create()))
                .hasMessageContaining("unknown, used or expired");
    }

    @Test
    void aTokenIsUsedOnceWhateverNameTheNextOneGivesItself() throws Exception {
        var token = token("compute");
        join(token, "node1", HostKeys.create());

        assertThatThrownBy(() -> join(token, "node1", HostKeys.create()))
                .hasMessageContaining("unknown, used or expired");
    }

    @Test
    void anAnswerThatGotLostIsGivenAgainToTheSameKeyOnly() throws Exception {
        var token = token("compute");
        var keys = HostKeys.create();
        join(token, "node1", keys);

        assertThat(join(token, "node1", keys).getRole()).isEqualTo("compute");
        assertThatThrownBy(() -> join(token, "node2", keys))
                .hasMessageContaining("unknown, used or expired");
    }

    @Test
    void tokensDieWithTheRevocationOfTheirHost() throws Exception {
        var used = token("login");
        var keys = HostKeys.create();
        join(used, "login1", keys);
        var unused = tokenFor("login", "login1");
        var other = tokenFor("login", "login2");

        controller
                .as("root", 0)
                .revokeCertificate(RevokeCertificateRequest.newBuilder().setHost("login1").build());

        assertThatThrownBy(() -> join(used, "login1", keys))
                .hasMessageContaining("unknown, used or expired");
        assertThatThrownBy(() -> join(unused, "login1", HostKeys.create()))
                .hasMessageContaining("unknown, used or expired");
        assertThat(join(other, "login2", HostKeys.create()).getRole()).isEqualTo("login");
    }

    @Test
    void aRepeatedRequestForAJoinTokenGivesTheSameOne() throws Exception {
        var request = CreateJoinTokenRequest.newBuilder().setRequestId("r1").build();
        var root = controller.as("root", 0);

        var first = root.createJoinToken(request);
        var second = root.createJoinToken(request);
        var another = root.createJoinToken(request.toBuilder().setRequestId("r2").build());

        assertThat(second).isEqualTo(first);
        assertThat(another.getToken()).isNotEqualTo(first.getToken());
        var keys = HostKeys.create();
        assertThat(join(JoinToken.parse(second.getToken()), "node1", keys).getRole())
                .isEqualTo("compute");
    }

    @Test
    void aBadRequestDoesNotUseTheTokenUp() throws Exception {
        var token = token("compute");
        var bad =
                JoinRequest.newBuilder()
                        .setSecret(token.secret())
                        .setHost("node1")
                        .setCsr(ByteString.copyFromUtf8("garbage"))
                        .build();
        var outside = controller.fromOutside();
        assertThatThrownBy(() -> outside.join(bad)).hasMessageContaining("cannot be read");

        assertThat(join(token, "node1", HostKeys.create()).getRole()).isEqualTo("compute");
    }

    @Test
    void onlyAdministratorsMakeJoinTokens() throws Exception {
        var alice = controller.as("alice", 1002);

        assertThatThrownBy(() -> alice.createJoinToken(CreateJoinTokenRequest.getDefaultInstance()))
                .hasMessageContaining("Access/permission denied");
    }

    @Test
    void theCertificatesOfAHostCanBeRevokedAndItIsRefusedFromThenOn() throws Exception {
        var reply = join(token("login"), "login1", HostKeys.create());
        var login1 = peer(reply);
        var alice = new CallerIdentity.Vouched(1002, 1002, "alice", List.of(1002));
        var asked = controller.from(login1, alice);
        asked.listNodes(ListNodesRequest.getDefaultInstance());

        controller
                .as("root", 0)
                .revokeCertificate(RevokeCertificateRequest.newBuilder().setHost("login1").build());

        assertThatThrownBy(() -> asked.listNodes(ListNodesRequest.getDefaultInstance()))
                .hasMessageContaining("certificate of login1 was revoked");
    }

    @Test
    void aHostWhoseCertificatesWereRevokedJoinsAgainWithANewToken() throws Exception {
        join(token("login"), "login1", HostKeys.create());
        controller
                .as("root", 0)
                .revokeCertificate(RevokeCertificateRequest.newBuilder().setHost("login1").build());

        var again = peer(join(token("login"), "login1", HostKeys.create()));

        var alice = new CallerIdentity.Vouched(1002, 1002, "alice", List.of(1002));
        assertThat(
                        controller
                                .from(again, alice)
                                .listNodes(ListNodesRequest.getDefaultInstance())
                                .getNodesCount())
                .isEqualTo(4);
    }

    @Test
    void onlyAdministratorsRevokeCertificates() throws Exception {
        var alice = controller.as("alice", 1002);
        var request = RevokeCertificateRequest.newBuilder().setHost("login1").build();

        assertThatThrownBy(() -> alice.revokeCertificate(request))
                .hasMessageContaining("Access/permission denied");
    }

    private static PeerHost peer(JoinReply reply) throws Exception {
        return PeerHost.of(
                (X509Certificate)
                        CertificateFactory.getInstance("X.509")
                                .generateCertificate(reply.getCertificate().newInput()));
    }

    private JoinToken token(String role) throws Exception {
        return tokenFor(role, "");
    }

    private JoinToken tokenFor(String role, String host) throws Exception {
        var reply =
                controller
                        .as("root", 0)
                        .createJoinToken(
                                CreateJoinTokenRequest.newBuilder()
                                        .setRole(role)
                                        .setHost(host)
                                        .build());
        return JoinToken.parse(reply.getToken());
    }

    private JoinReply join(JoinToken token, String host, HostKeys keys) throws Exception {
        return controller
                .fromOutside()
                .join(
                        JoinRequest.newBuilder()
                                .setSecret(token.secret())
                                .setHost(host)
                                .setCsr(ByteString.copyFrom(keys.certificateRequest(host)))
                                .build());
    }
}
