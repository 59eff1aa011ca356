package dev.spur.agent;

import dev.spur.agent.reach.CallingHost;
import dev.spur.api.port.Connections;
import dev.spur.api.port.CountedServerChannel;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostIdentity;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.HandlerRegistry;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Where `srun` of other hosts comes to. Only hosts of the cluster are let in; whoever else
/// connects must not use up the descriptors that steps need.
final class AgentPort implements AutoCloseable {
    private static final int LARGEST_MESSAGE = 32 << 20;
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);

    /// Connections that have not shown a certificate yet.
    private static final int MOST_STRANGERS = 256;

    private final Server server;
    private final EventLoopGroup threads;

    private AgentPort(Server server, EventLoopGroup threads) {
        this.server = server;
        this.threads = threads;
    }

    /// @param identity missing: TLS is off by explicit setting
    static AgentPort open(
            HostAndPort address,
            @Nullable HostIdentity identity,
            HandlerRegistry services,
            Executor executor)
            throws IOException {
        return open(address, identity, services, executor, HANDSHAKE);
    }

    /// @param handshake how long a connection may take to show its certificate
    static AgentPort open(
            HostAndPort address,
            @Nullable HostIdentity identity,
            HandlerRegistry services,
            Executor executor,
            Duration handshake)
            throws IOException {
        var connections = new Connections(MOST_STRANGERS, 0);
        var threads =
                new NioEventLoopGroup(
                        0, Thread.ofPlatform().name("spurd-net-", 0).daemon().factory());
        var builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(address.host(), address.port()))
                        .fallbackHandlerRegistry(services)
                        .intercept(new CallingHost())
                        .executor(executor)
                        .channelFactory(() -> new CountedServerChannel(connections))
                        .bossEventLoopGroup(threads)
                        .workerEventLoopGroup(threads)
                        .addTransportFilter(known(connections))
                        .maxInboundMessageSize(LARGEST_MESSAGE)
                        .handshakeTimeout(handshake.toSeconds(), TimeUnit.SECONDS)
                        .permitKeepAliveTime(10, TimeUnit.SECONDS)
                        .permitKeepAliveWithoutCalls(true);
        if (identity != null) {
            builder.sslContext(sslContext(identity));
        }
        try {
            return new AgentPort(builder.build().start(), threads);
        } catch (IOException e) {
            end(threads);
            throw new IOException(
                    "cannot listen on %s: %s. Is another spurd running? Choose another with --listen"
                            .formatted(address, e.getMessage()),
                    e);
        }
    }

    /// Who gets as far as this has shown a certificate of the cluster.
    private static ServerTransportFilter known(Connections connections) {
        return new ServerTransportFilter() {
            @Override
            public Attributes transportReady(Attributes transport) {
                var from = transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
                if (from != null) {
                    connections.isHost(from);
                }
                return CallingHost.note(transport);
            }
        };
    }

    private static SslContext sslContext(HostIdentity identity) throws IOException {
        return GrpcSslContexts.configure(
                        SslContextBuilder.forServer(identity.keyManager())
                                .trustManager(identity.trustManager())
                                .clientAuth(ClientAuth.REQUIRE))
                .build();
    }

    int number() {
        return server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
        end(threads);
    }

    private static void end(EventLoopGroup threads) {
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
