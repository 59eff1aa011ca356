package dev.spur.runtime.identity;

import dev.spur.runtime.host.LoopbackOwner;
import dev.spur.runtime.host.Users;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.OptionalLong;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// The host at the other end of a connection; empty for whoever cannot prove that it is one of the
/// cluster.
public final class ConnectedPeer {
    private ConnectedPeer() {}

    /// As its certificate says, which the handshake has checked.
    public static Optional<PeerHost> certified(@Nullable SSLSession session) {
        if (session == null) {
            return Optional.empty();
        }
        try {
            var chain = session.getPeerCertificates();
            return chain.length > 0 ? Optional.of(PeerHost.of(copyOf(chain[0]))) : Optional.empty();
        } catch (SSLPeerUnverifiedException | CertificateException | IdentityException e) {
            return Optional.empty();
        }
    }

    /// The session keeps its certificates as bytes until somebody asks what is in them; what it
    /// parses then stays as long as the connection, 5 KB for each of 10,000 agents.
    private static X509Certificate copyOf(Certificate certificate) throws CertificateException {
        var bytes = new ByteArrayInputStream(certificate.getEncoded());
        return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(bytes);
    }

    /// Without certificates only the daemons of this host are believed, by the users they run as;
    /// everybody else brings a token.
    public static Optional<PeerHost> local(
            @Nullable SocketAddress from, @Nullable SocketAddress here) {
        return from instanceof InetSocketAddress client
                        && here instanceof InetSocketAddress server
                        && client.getAddress().isLoopbackAddress()
                        && isDaemon(LoopbackOwner.uid(client, server))
                ? Optional.of(new PeerHost("localhost", HostRole.CONTROLLER, BigInteger.ZERO))
                : Optional.empty();
    }

    private static boolean isDaemon(OptionalLong uid) {
        return uid.isPresent()
                && (uid.getAsLong() == 0
                        || uid.getAsLong() == Users.currentUid()
                        || Users.byName("spur")
                                .filter(user -> user.uid() == uid.getAsLong())
                                .isPresent());
    }
}
