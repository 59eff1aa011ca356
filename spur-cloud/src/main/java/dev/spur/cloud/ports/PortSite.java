package dev.spur.cloud.ports;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/// The addresses of sessions' ports: all below one name, as in
/// `http://SESSION--PORT.apps.localhost:8081`; without a port Jupyter's.
///
/// @param scheme http or https
/// @param below the common end of all names, in lower case
/// @param port empty: the scheme's own
public record PortSite(String scheme, String below, String port) {
    private static final int USUAL_PORT = 8888;
    private static final int MOST = 65_535;
    private static final Pattern LABEL =
            Pattern.compile("([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:--([0-9]{1,5}))?");

    /// A port of a session.
    public record Place(UUID session, int port) {}

    public static PortSite of(String url) {
        var uri = URI.create(url);
        return new PortSite(
                uri.getScheme(),
                uri.getHost().toLowerCase(Locale.ROOT),
                uri.getPort() < 0 ? "" : ":" + uri.getPort());
    }

    /// Which place a `Host` header names.
    Optional<Place> place(String host) {
        var name = host.toLowerCase(Locale.ROOT).replaceFirst(":[0-9]+$", "");
        if (!name.endsWith("." + below)) {
            return Optional.empty();
        }
        var match = LABEL.matcher(name.substring(0, name.length() - below.length() - 1));
        if (!match.matches()) {
            return Optional.empty();
        }
        var said = match.group(2);
        var number = said == null ? USUAL_PORT : Integer.parseInt(said);
        return number < 1 || number > MOST
                ? Optional.empty()
                : Optional.of(new Place(UUID.fromString(match.group(1)), number));
    }

    String url(Place place) {
        return "%s://%s--%d.%s%s".formatted(scheme, place.session(), place.port(), below, port);
    }

    boolean isSecure() {
        return scheme.equals("https");
    }
}
