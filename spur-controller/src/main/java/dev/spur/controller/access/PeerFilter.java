package dev.spur.controller.access;

import dev.spur.api.port.Connections;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.IdentityException;
import dev.spur.runtime.identity.PeerHost;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.OptionalLong;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/// Reads the peer's certificate once for each connection.
public final class PeerFilter extends ServerTransportFilter {
    /// The host at the other end; missing if it has no certificate.
    public static final Attributes.Key<PeerHost> PEER = Attributes.Key.create("spur-peer");

    private final boolean tls;
    private final Connections connections;

    /// @param tls without it nobody proves anything: hosts other than this one are then strangers
    public PeerFilter(boolean tls, Connections connections) {
        this.tls = tls;
        this.connections = connections;
    }

    @Override
    public Attributes transportReady(Attributes transport) {
        var peer = tls ? certified(transport) : local(transport);
        if (peer == null) {
            return transport;
        }
        var from = transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (from != null) {
            connections.isHost(from);
        }
        return transport.toBuilder().set(PEER, peer).build();
    }

    private static @Nullable PeerHost certified(Attributes transport) {
        var session = transport.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        if (session == null) {
            return null;
        }
        try {
            var chain = session.getPeerCertificates();
            return chain.length > 0 ? PeerHost.of(copyOf(chain[0])) : null;
        } catch (SSLPeerUnverifiedException | CertificateException | IdentityException e) {
            return null;
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
    private static @Nullable PeerHost local(Attributes transport) {
        return transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress client
                        && transport.get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR)
                                instanceof InetSocketAddress server
                        && client.getAddress().isLoopbackAddress()
                        && isDaemon(LoopbackOwner.uid(client, server))
                ? new PeerHost("localhost", HostRole.CONTROLLER, BigInteger.ZERO)
                : null;
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
