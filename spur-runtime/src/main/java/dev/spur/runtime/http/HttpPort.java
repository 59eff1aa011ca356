package dev.spur.runtime.http;

import dev.spur.model.notation.HostAndPort;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.HttpRouting;
import java.time.Duration;
import java.util.function.Consumer;

/// An open port that serves a {@link Router}, with bounds on what strangers can cost.
public final class HttpPort implements AutoCloseable {
    private static final Duration IDLE = Duration.ofMinutes(5);
    private static final int MOST_CONNECTIONS = 4096;
    private static final int MOST_AT_ONCE = 1024;
    private static final int BACKLOG = 1024;

    private final WebServer server;

    private HttpPort(WebServer server) {
        this.server = server;
    }

    /// @param listen port 0 takes any
    /// @param more whatever else the port serves, such as WebSockets
    public static HttpPort open(
            HostAndPort listen, Router<?> router, Consumer<WebServerConfig.Builder> more) {
        var builder =
                WebServer.builder()
                        .host(listen.host())
                        .port(listen.port())
                        .backlog(BACKLOG)
                        .shutdownHook(false) // whoever owns the port closes it
                        .maxTcpConnections(MOST_CONNECTIONS)
                        .maxConcurrentRequests(MOST_AT_ONCE)
                        .idleConnectionTimeout(IDLE)
                        .addRouting(HttpRouting.builder().any(router::handle));
        more.accept(builder);
        try {
            return new HttpPort(builder.build().start());
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "cannot listen at %s: %s".formatted(listen, e.getMessage()), e);
        }
    }

    public static HttpPort open(HostAndPort listen, Router<?> router) {
        return open(listen, router, _ -> {});
    }

    public int number() {
        return server.port();
    }

    @Override
    public void close() {
        server.stop();
    }
}
