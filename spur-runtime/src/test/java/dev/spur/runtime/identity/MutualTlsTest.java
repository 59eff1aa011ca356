package dev.spur.runtime.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutualTlsTest {
    @TempDir Path directory;
    private ClusterCa ca;
    private HostIdentity controller;
    private SSLServerSocket server;
    private ExecutorService executor;

    @BeforeEach
    void startAController() throws IOException {
        ca = ClusterCa.openOrCreate(directory.resolve("state"), "test", InstantSource.system());
        controller =
                ca.createIdentity(directory.resolve("controller"), "ctl1", HostRole.CONTROLLER);
        server =
                (SSLServerSocket)
                        controller
                                .sslContext()
                                .getServerSocketFactory()
                                .createServerSocket(0, 5, InetAddress.getLoopbackAddress());
        server.setWantClientAuth(true);
        executor = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void stopIt() throws IOException {
        server.close();
        executor.close();
    }

    @Test
    void eachSideSeesWhichHostTheOtherIs() throws Exception {
        var node = ca.createIdentity(directory.resolve("node"), "n1", HostRole.COMPUTE);
        var seenByController = peerOfNextConnection();

        var seenByNode = connect(node.sslContext(), ClusterCa.CONTROLLER_NAME);

        assertThat(seenByNode).isEqualTo(controller.self());
        assertThat(seenByController.get()).isEqualTo(node.self());
    }

    @Test
    void connectionsAfterARenewalUseTheNewCertificate() throws Exception {
        var node = ca.createIdentity(directory.resolve("node"), "n1", HostRole.COMPUTE);
        var context = node.sslContext();
        controller.renew(
                Pem.der(ca.issue("ctl", HostRole.CONTROLLER, controller.renewalRequest())));
        node.renew(Pem.der(ca.issue("n1", HostRole.COMPUTE, node.renewalRequest())));
        var seenByController = peerOfNextConnection();

        var seenByNode = connect(context, ClusterCa.CONTROLLER_NAME);

        assertThat(seenByNode.serial()).isEqualTo(controller.self().serial());
        assertThat(seenByController.get().serial()).isEqualTo(node.self().serial());
    }

    @Test
    void nodeCannotPassForAController() throws Exception {
        controller = ca.createIdentity(directory.resolve("impostor"), "ctl1", HostRole.COMPUTE);
        server.close();
        server =
                (SSLServerSocket)
                        controller
                                .sslContext()
                                .getServerSocketFactory()
                                .createServerSocket(0, 5, InetAddress.getLoopbackAddress());
        var login = ca.createIdentity(directory.resolve("login"), "login1", HostRole.LOGIN);
        var attempt = peerOfNextConnection();

        assertThatThrownBy(() -> connect(login.sslContext(), ClusterCa.CONTROLLER_NAME))
                .isInstanceOf(SSLException.class);
        assertThatThrownBy(attempt::get).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void hostOfAnotherClusterIsTurnedAway() throws Exception {
        var other =
                ClusterCa.openOrCreate(directory.resolve("other"), "test", InstantSource.system());
        var stranger = other.createIdentity(directory.resolve("stranger"), "n1", HostRole.COMPUTE);
        var attempt = peerOfNextConnection();

        assertThatThrownBy(() -> connect(stranger.sslContext(), ClusterCa.CONTROLLER_NAME))
                .isInstanceOf(SSLException.class);
        assertThatThrownBy(attempt::get).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void joiningHostRecognisesTheClusterByTheFingerprintInItsToken() throws Exception {
        var seenByController = peerOfNextConnection();

        var seen =
                connect(
                        withoutIdentity(ClusterTrust.ofFingerprint(ca.fingerprint())),
                        ClusterCa.CONTROLLER_NAME);

        assertThat(seen).isEqualTo(controller.self());
        assertThatThrownBy(seenByController::get)
                .hasCauseInstanceOf(SSLPeerUnverifiedException.class);
    }

    @Test
    void joiningHostRefusesAClusterWithAnotherFingerprint() {
        var attempt = peerOfNextConnection();

        assertThatThrownBy(() ->
                        connect(
                                withoutIdentity(ClusterTrust.ofFingerprint("00".repeat(32))),
                                ClusterCa.CONTROLLER_NAME))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("another fingerprint");
        assertThatThrownBy(attempt::get).hasCauseInstanceOf(IOException.class);
    }

    /// Accepts one connection, greets, and tells who called.
    private Future<PeerHost> peerOfNextConnection() {
        return executor.submit(() -> {
            try (var socket = (SSLSocket) server.accept()) {
                socket.startHandshake();
                socket.getOutputStream().write('!');
                return PeerHost.of((X509Certificate) socket.getSession().getPeerCertificates()[0]);
            }
        });
    }

    private PeerHost connect(SSLContext context, String expectedName) throws IOException {
        try (var socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(
                                        new java.net.Socket(
                                                server.getInetAddress(), server.getLocalPort()),
                                        expectedName,
                                        server.getLocalPort(),
                                        true)) {
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            // In TLS 1.3 the server's opinion of our certificate arrives with the first byte it
            // sends.
            if (socket.getInputStream().read() != '!') {
                throw new SSLException("the controller hung up");
            }
            return PeerHost.of((X509Certificate) socket.getSession().getPeerCertificates()[0]);
        }
    }

    private static SSLContext withoutIdentity(X509ExtendedTrustManager trust)
            throws GeneralSecurityException {
        var context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new X509ExtendedTrustManager[] {trust}, null);
        return context;
    }
}
