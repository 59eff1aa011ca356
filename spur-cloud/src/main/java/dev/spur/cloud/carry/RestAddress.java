package dev.spur.cloud.carry;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;

/// Where spurrestd is. Tokens travel to it, so on a network only by TLS.
///
/// @param uri scheme, host and port
public record RestAddress(URI uri) {
    private static final int PORT = 6820;

    /// Reads an address as in `http://127.0.0.1:6820` or `https://rest.example.com`; without a
    /// scheme TLS is used unless it is this host.
    public static RestAddress parse(String text) {
        var said = text.strip();
        var uri = URI.create(said.contains("://") ? said : "any://" + said);
        var host = uri.getHost();
        if (host == null || !uri.getPath().replace("/", "").isEmpty() || uri.getQuery() != null) {
            throw new IllegalArgumentException(
                    "spur.rest_addr is an address as in http://127.0.0.1:6820, not \"%s\""
                            .formatted(text));
        }
        var isHere = isLoopback(host);
        var scheme =
                switch (uri.getScheme()) {
                    case "any" -> isHere ? "http" : "https";
                    case "http", "https" -> uri.getScheme();
                    default ->
                            throw new IllegalArgumentException(
                                    "spur.rest_addr begins with http:// or https://, not \"%s\""
                                            .formatted(text));
                };
        if (scheme.equals("http") && !isHere) {
            throw new IllegalArgumentException(
                    "spur.rest_addr %s would send people's tokens over the network in clear. Use https://, or a spurrestd on this host."
                            .formatted(text));
        }
        var port = uri.getPort() < 0 ? PORT : uri.getPort();
        return new RestAddress(URI.create("%s://%s:%d".formatted(scheme, host, port)));
    }

    public boolean isEncrypted() {
        return uri.getScheme().equals("https");
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException _) {
            return false;
        }
    }
}
