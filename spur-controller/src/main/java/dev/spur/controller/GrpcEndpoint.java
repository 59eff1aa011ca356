package dev.spur.controller;

import dev.spur.controller.access.PeerFilter;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostIdentity;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// The port that everybody comes to. A client certificate is asked for and not demanded: a host
/// that joins has none yet, people with tokens need none.
final class GrpcEndpoint implements AutoCloseable {
    /// A script and an environment of 4 MiB each, and the rest of a request.
    private static final int LARGEST_REQUEST = 9 << 20;

    private final Server server;

    private GrpcEndpoint(Server server) {
        this.server = server;
    }

    /// @param tls missing: TLS is off by explicit setting
    /// @param interceptors the first sees a call first
    static GrpcEndpoint open(
            HostAndPort address,
            @Nullable SslContext tls,
            ExecutorService executor,
            List<ServerInterceptor> interceptors,
            List<BindableService> services)
            throws IOException {
        var builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(address.host(), address.port()))
                        .executor(executor)
                        .maxInboundMessageSize(LARGEST_REQUEST)
                        .maxInboundMetadataSize(64 << 10)
                        .handshakeTimeout(10, TimeUnit.SECONDS)
                        .keepAliveTime(60, TimeUnit.SECONDS)
                        .keepAliveTimeout(20, TimeUnit.SECONDS)
                        .permitKeepAliveTime(5, TimeUnit.SECONDS)
                        .permitKeepAliveWithoutCalls(true)
                        .addTransportFilter(new PeerFilter(tls != null));
        if (tls != null) {
            builder.sslContext(tls);
        }
        interceptors.reversed().forEach(builder::intercept);
        services.forEach(builder::addService);
        try {
            return new GrpcEndpoint(builder.build().start());
        } catch (IOException e) {
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
    }
}
