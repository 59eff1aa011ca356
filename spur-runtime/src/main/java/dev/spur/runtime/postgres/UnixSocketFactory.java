package dev.spur.runtime.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.SocketFactory;

/// What the JDBC driver is told to make its connections with (`socketFactory`), to the socket that
/// `socketFactoryArg` names.
public final class UnixSocketFactory extends SocketFactory {
    private final Path path;

    public UnixSocketFactory(String path) {
        this.path = Path.of(path);
    }

    @Override
    public Socket createSocket() throws IOException {
        return new UnixSocket(path);
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw noNetwork();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw noNetwork();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw noNetwork();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw noNetwork();
    }

    private static UnsupportedOperationException noNetwork() {
        return new UnsupportedOperationException("connects to a Unix socket only");
    }
}
