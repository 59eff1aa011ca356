package dev.spur.accounting;

import dev.spur.accounting.access.Peers;
import dev.spur.api.port.Connections;
import dev.spur.api.port.CountedServerChannel;
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
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Where `sacct` and the like come to: hosts of the cluster with their certificates, others with
/// tokens.
final class AccountingPort implements AutoCloseable {
    /// Questions are short. The longest name many jobs.
    private static final int LARGEST_MESSAGE = 8 << 20;

    private static final int CALLS_OF_A_CONNECTION = 1_024;

    private final Server server;
    private final EventLoopGroup threads;
    private final ExecutorService executor;

    private AccountingPort(Server server, EventLoopGroup threads, ExecutorService executor) {
        this.server = server;
        this.threads = threads;
        this.executor = executor;
    }

    /// @param identity missing: TLS is off by explicit setting
    static AccountingPort open(
            HostAndPort address,
            @Nullable HostIdentity identity,
            ServerInterceptor access,
            BindableService service)
            throws IOException {
        var connections = new Connections();
        var executor = Executors.newVirtualThreadPerTaskExecutor();
        var threads =
                new NioEventLoopGroup(
                        0, Thread.ofPlatform().name("spurdbd-net-", 0).daemon().factory());
        var builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(address.host(), address.port()))
                        .executor(executor)
                        .channelFactory(() -> new CountedServerChannel(connections))
                        .bossEventLoopGroup(threads)
                        .workerEventLoopGroup(threads)
                        .addTransportFilter(new Peers(identity != null, connections))
                        .maxConcurrentCallsPerConnection(CALLS_OF_A_CONNECTION)
                        .maxInboundMessageSize(LARGEST_MESSAGE)
                        .maxInboundMetadataSize(64 << 10)
                        // A message is as large as it was on the wire: nobody here compresses.
                        .decompressorRegistry(
                                DecompressorRegistry.emptyInstance()
                                        .with(Codec.Identity.NONE, true))
                        .handshakeTimeout(10, TimeUnit.SECONDS)
                        .permitKeepAliveTime(10, TimeUnit.SECONDS)
                        .permitKeepAliveWithoutCalls(true)
                        .intercept(access)
                        .addService(service);
        try {
            if (identity != null) {
                builder.sslContext(
                        GrpcSslContexts.configure(
                                        SslContextBuilder.forServer(identity.keyManager())
                                                .trustManager(identity.trustManager())
                                                .clientAuth(ClientAuth.OPTIONAL))
                                .build());
            }
            return new AccountingPort(builder.build().start(), threads, executor);
        } catch (IOException e) {
            threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            executor.close();
            throw new IOException(
                    "cannot listen on %s: %s. Is another spurdbd running? Choose another with --listen"
                            .formatted(address, e.getMessage()),
                    e);
        }
    }

    int number() {
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
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        executor.shutdownNow();
    }
}
