package dev.spur.accounting.access;

import dev.spur.api.port.Connections;
import dev.spur.runtime.identity.ConnectedPeer;
import dev.spur.runtime.identity.PeerHost;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;

/// Finds out which host is at the other end, once for each connection. Who is none is a stranger
/// until he shows a token.
public final class Peers extends ServerTransportFilter {
    static final Attributes.Key<PeerHost> PEER = Attributes.Key.create("spur-peer");

    private final boolean tls;
    private final Connections connections;

    /// @param tls without it hosts other than this one are strangers
    public Peers(boolean tls, Connections connections) {
        this.tls = tls;
        this.connections = connections;
    }

    @Override
    public Attributes transportReady(Attributes transport) {
        var from = transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        var peer =
                tls
                        ? ConnectedPeer.certified(transport.get(Grpc.TRANSPORT_ATTR_SSL_SESSION))
                        : ConnectedPeer.local(from, transport.get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR));
        if (peer.isEmpty()) {
            return transport;
        }
        if (from != null) {
            connections.isHost(from);
        }
        return transport.toBuilder().set(PEER, peer.get()).build();
    }
}
