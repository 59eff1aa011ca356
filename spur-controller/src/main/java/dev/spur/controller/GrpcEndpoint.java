package dev.spur.controller;

import dev.spur.api.port.Connections;
import dev.spur.api.port.CountedServerChannel;
import dev.spur.controller.access.ArrivingBytes;
import dev.spur.controller.access.CallThreads;
import dev.spur.controller.access.PeerFilter;
import dev.spur.controller.access.WeighedRequests;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostIdentity;
import io.grpc.BindableService;
import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// The port that everybody comes to. A client certificate is asked for and not demanded: a host
/// that joins has none yet, people with tokens need none.
final class GrpcEndpoint implements AutoCloseable {
    /// A host has one connection for all its users: each `srun` and `sbatch --wait` holds a call.
    private static final int CALLS_OF_A_CONNECTION = 8_192;

    /// Calls that a connection may break off within ten seconds.
    private static final int BROKEN_CALLS = 10_000;

    private final Server server;
    private final List<EventLoopGroup> threads;

    private GrpcEndpoint(Server server, List<EventLoopGroup> threads) {
        this.server = server;
        this.threads = threads;
    }

    /// @param tls missing: TLS is off by explicit setting
    /// @param interceptors the first sees a call first
    static GrpcEndpoint open(
            HostAndPort address,
            @Nullable SslContext tls,
            ExecutorService executor,
            Connections connections,
            List<ServerInterceptor> interceptors,
            List<BindableService> services)
            throws IOException {
        var accepting = new NioEventLoopGroup(1, thread("spur-accept"));
        var moving = new NioEventLoopGroup(0, thread("spur-net"));
        var builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(address.host(), address.port()))
                        // Finds the method; CallThreads says who goes on from there.
                        .executor(Runnable::run)
                        .callExecutor(new CallThreads(executor))
                        .channelFactory(() -> new CountedServerChannel(connections))
                        .bossEventLoopGroup(accepting)
                        .workerEventLoopGroup(moving)
                        .addStreamTracerFactory(new ArrivingBytes())
                        .maxConcurrentCallsPerConnection(CALLS_OF_A_CONNECTION)
                        .maxRstFramesPerWindow(BROKEN_CALLS, 10)
                        // A message is as large as it was on the wire: nobody here compresses.
                        .decompressorRegistry(
                                DecompressorRegistry.emptyInstance()
                                        .with(Codec.Identity.NONE, true))
                        // OverloadInterceptor bounds messages, and says so in words.
                        .maxInboundMessageSize(Integer.MAX_VALUE)
                        .maxInboundMetadataSize(64 << 10)
                        .handshakeTimeout(10, TimeUnit.SECONDS)
                        .keepAliveTime(60, TimeUnit.SECONDS)
                        .keepAliveTimeout(20, TimeUnit.SECONDS)
                        .permitKeepAliveTime(5, TimeUnit.SECONDS)
                        .permitKeepAliveWithoutCalls(true)
                        .addTransportFilter(new PeerFilter(tls != null, connections));
        if (tls != null) {
            builder.sslContext(tls);
        }
        interceptors.reversed().forEach(builder::intercept);
        services.forEach(service -> builder.addService(WeighedRequests.of(service)));
        try {
            return new GrpcEndpoint(builder.build().start(), List.of(accepting, moving));
        } catch (IOException e) {
            end(List.of(accepting, moving));
            throw new IOException(
                    "cannot listen on %s: %s. Is another controller running? Choose another address with --listen"
                            .formatted(address, rootMessage(e)),
                    e);
        }
    }

    private static @Nullable String rootMessage(Throwable e) {
        var cause = e.getCause();
        return cause == null ? e.getMessage() : rootMessage(cause);
    }

    static SslContext tls(HostIdentity identity) {
        try {
            var context =
                    SslContextBuilder.forServer(identity.keyManager())
                            .trustManager(identity.trustManager())
                            .clientAuth(ClientAuth.OPTIONAL);
            return GrpcSslContexts.configure(context).build();
        } catch (SSLException e) {
            throw new IllegalStateException("cannot set up TLS with " + identity, e);
        }
    }

    int port() {
        return server.getPort();
    }

    @Override
    public void close() {
        server.shutdown();
        try {
            if (!server.awaitTermination(1, TimeUnit.SECONDS)) {
                server.shutdownNow();
                server.awaitTermination(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        end(threads);
    }

    private static void end(List<EventLoopGroup> threads) {
        threads.forEach(each -> each.shutdownGracefully(0, 1, TimeUnit.SECONDS));
    }

    private static ThreadFactory thread(String name) {
        return Thread.ofPlatform().name(name + "-", 0).daemon().factory();
    }
}
