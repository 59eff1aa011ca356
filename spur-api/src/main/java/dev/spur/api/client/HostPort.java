package dev.spur.api.client;

import java.util.Arrays;
import java.util.List;

/// Where a daemon listens. Written `host:port`, `[::1]:6817` or as a URL (`http://host:6817`),
/// whose scheme only helps the eye: whether TLS is used is the cluster's decision.
public record HostPort(String host, int port) {
    public static final int CONTROLLER_PORT = 6817;

    public HostPort {
        if (host.isEmpty() || port < 0 || port > 65_535) {
            throw new IllegalArgumentException("not an address: %s:%d".formatted(host, port));
        }
    }

    public static HostPort parse(String text, int defaultPort) {
        var rest = text.strip();
        var scheme = rest.indexOf("://");
        if (scheme >= 0) {
            rest = rest.substring(scheme + 3);
        }
        while (rest.endsWith("/")) {
            rest = rest.substring(0, rest.length() - 1);
        }
        var bracket = rest.indexOf(']');
        var colon = rest.lastIndexOf(':');
        var bareIpv6 = bracket < 0 && rest.indexOf(':') != colon;
        try {
            if (colon <= bracket || bareIpv6) {
                return new HostPort(unbracket(rest), defaultPort);
            }
            return new HostPort(
                    unbracket(rest.substring(0, colon)),
                    Integer.parseInt(rest.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "not an address: \"%s\". Write host:port, as in http://localhost:%d"
                            .formatted(text, defaultPort),
                    e);
        }
    }

    public static List<HostPort> parseList(String text, int defaultPort) {
        return Arrays.stream(text.split(",", -1))
                .filter(part -> !part.isBlank())
                .map(part -> parse(part, defaultPort))
                .toList();
    }

    private static String unbracket(String host) {
        return host.startsWith("[") && host.endsWith("]")
                ? host.substring(1, host.length() - 1)
                : host;
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[%s]:%d".formatted(host, port) : host + ":" + port;
    }
}
