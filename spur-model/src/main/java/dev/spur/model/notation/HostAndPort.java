package dev.spur.model.notation;

import java.util.ArrayList;
import java.util.List;

/// An address as people write it: `http://host:6817`, `host:6817`, `[::]:6817`, or `host` alone.
///
/// The scheme is accepted and dropped: an address names host and port, whether TLS is spoken there
/// is the cluster's decision.
public record HostAndPort(String host, int port) {
    /// The port of the controller where an address gives none.
    public static final int CONTROLLER_PORT = 6817;

    /// The port of an agent where an address gives none.
    public static final int AGENT_PORT = 6818;

    public HostAndPort {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("an address needs a host name");
        }
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException(Text.of("port %d is not between 0 and 65535", port));
        }
    }

    /// Reads an address that must name its port.
    public static HostAndPort parse(String text) {
        return parse(text, -1);
    }

    /// Reads an address; `defaultPort` stands in where it names none.
    public static HostAndPort parse(String text, int defaultPort) {
        var rest = withoutScheme(text.strip());
        if (rest.endsWith("/")) {
            rest = rest.substring(0, rest.length() - 1);
        }
        String host;
        String port;
        if (rest.startsWith("[")) {
            int close = rest.indexOf(']');
            if (close < 0) {
                throw bad(text, "the bracket of the IPv6 address is not closed");
            }
            host = rest.substring(1, close);
            var after = rest.substring(close + 1);
            if (!after.isEmpty() && !after.startsWith(":")) {
                throw bad(text, "expected :PORT after the closing bracket");
            }
            port = after.isEmpty() ? "" : after.substring(1);
            if (!after.isEmpty() && port.isEmpty()) {
                throw bad(text, "the port is missing after the colon");
            }
        } else {
            int colon = rest.indexOf(':');
            if (colon >= 0 && rest.indexOf(':', colon + 1) >= 0) {
                // Several colons without brackets: a bare IPv6 address, which cannot carry a port.
                host = rest;
                port = "";
            } else {
                host = colon < 0 ? rest : rest.substring(0, colon);
                port = colon < 0 ? "" : rest.substring(colon + 1);
                if (colon >= 0 && port.isEmpty()) {
                    throw bad(text, "the port is missing after the colon");
                }
            }
        }
        if (host.isEmpty()) {
            throw bad(text, "the host name is missing");
        }
        if (host.chars().anyMatch(c -> c <= ' ' || c == '/' || c == '@' || c == ',')) {
            throw bad(text, "the host name has a character that none can have");
        }
        if (port.isEmpty()) {
            if (defaultPort < 0) {
                throw bad(text, "the port is missing");
            }
            return new HostAndPort(host, defaultPort);
        }
        try {
            int number = Integer.parseInt(port);
            if (number < 0 || number > 65535) {
                throw bad(text, "the port must be between 0 and 65535");
            }
            return new HostAndPort(host, number);
        } catch (NumberFormatException _) {
            throw bad(text, Text.of("\"%s\" is not a port number", port));
        }
    }

    /// Reads a comma list, as in `SPUR_CONTROLLER_ADDR=http://ctl1:6817,http://ctl2:6817`.
    public static List<HostAndPort> parseList(String text, int defaultPort) {
        var addresses = new ArrayList<HostAndPort>();
        for (var part : text.split(",", -1)) {
            addresses.add(parse(part, defaultPort));
        }
        return List.copyOf(addresses);
    }

    /// Whether only programs on the same machine can reach this address.
    public boolean isLoopback() {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }

    private static String withoutScheme(String text) {
        for (var scheme : List.of("http://", "https://")) {
            if (text.regionMatches(true, 0, scheme, 0, scheme.length())) {
                return text.substring(scheme.length());
            }
        }
        if (text.contains("://")) {
            throw bad(text, "only http:// and https:// are understood");
        }
        return text;
    }

    private static IllegalArgumentException bad(String text, String why) {
        return new IllegalArgumentException(
                Text.of(
                        "\"%s\" is not an address: %s. Write host:port, as in ctl1:6817 or [::]:6817",
                        text, why));
    }
}
