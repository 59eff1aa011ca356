package dev.spur.api.client;

import dev.spur.model.notation.HostAndPort;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// One connection per peer, shared by all callers on this host.
public final class Channels implements AutoCloseable {
    /// A listing arrives in chunks, a script is at most 4 MiB: nothing honest is larger.
    public static final int LARGEST_MESSAGE = 32 << 20;

    /// A host that is switched off answers nothing at all: another controller is asked then.
    private static final int CONNECTED_WITHIN_MILLIS = 3_000;

    private static final int MOST_CONTROLLERS = 16;

    private record Endpoint(HostAndPort address, String name) {}

    private final ConcurrentMap<Endpoint, ManagedChannel> open = new ConcurrentHashMap<>();
    private final @Nullable SslContext ssl;
    private final boolean reachesAgents;

    public Channels(TransportSecurity security) {
        this.reachesAgents =
                !(security instanceof TransportSecurity.Tls(var keys, _) && keys == null);
        this.ssl =
                switch (security) {
                    case TransportSecurity.Plain() -> null;
                    case TransportSecurity.Tls tls -> sslContext(tls);
                };
    }

    /// Agents speak only with hosts of the cluster; a token alone opens controllers, not them.
    public boolean reachesAgents() {
        return reachesAgents;
    }

    public ManagedChannel controller(HostAndPort address) {
        return channel(new Endpoint(address, TransportSecurity.CONTROLLER_NAME));
    }

    public ManagedChannel accounting(HostAndPort address) {
        return channel(new Endpoint(address, TransportSecurity.ACCOUNTING_NAME));
    }

    public ManagedChannel agent(HostAndPort address, String node) {
        return channel(new Endpoint(address, TransportSecurity.nodeName(node)));
    }

    private ManagedChannel channel(Endpoint peer) {
        // Who names controllers to a token's bearer may be anybody, and name ever more of them.
        if (!reachesAgents && open.size() >= MOST_CONTROLLERS && !open.containsKey(peer)) {
            close();
            open.clear();
        }
        return open.computeIfAbsent(peer, this::connect);
    }

    private ManagedChannel connect(Endpoint peer) {
        var builder =
                NettyChannelBuilder.forAddress(peer.address().host(), peer.address().port())
                        .maxInboundMessageSize(LARGEST_MESSAGE)
                        .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECTED_WITHIN_MILLIS)
                        .keepAliveTime(30, TimeUnit.SECONDS)
                        .keepAliveTimeout(10, TimeUnit.SECONDS)
                        .directExecutor();
        if (ssl == null) {
            return builder.usePlaintext().build();
        }
        return builder.sslContext(ssl).overrideAuthority(peer.name()).build();
    }

    private static SslContext sslContext(TransportSecurity.Tls tls) {
        try {
            var builder = SslContextBuilder.forClient().trustManager(tls.trust());
            if (tls.keys() != null) {
                builder.keyManager(tls.keys());
            }
            return GrpcSslContexts.configure(builder).build();
        } catch (SSLException e) {
            throw new IllegalStateException("cannot set up TLS with the cluster's certificates", e);
        }
    }

    /// Calls from now on go over new connections, made with the certificate that the key manager
    /// has now; those under way end where they are.
    public void reconnect() {
        open.values().forEach(ManagedChannel::enterIdle);
    }

    @Override
    public void close() {
        open.values().forEach(ManagedChannel::shutdownNow);
    }
}
