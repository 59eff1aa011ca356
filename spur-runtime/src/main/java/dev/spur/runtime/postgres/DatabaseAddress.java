package dev.spur.runtime.postgres;

import dev.spur.runtime.config.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/// Where a database is, and as whom.
///
/// @param url as the driver wants it, without user and password
/// @param socket the Unix socket of a server of our own; null if the URL says all
public record DatabaseAddress(String url, String user, Secret password, @Nullable Path socket) {
    private static final Pattern SCHEME =
            Pattern.compile("(?:jdbc:)?(?:postgresql|postgres):(?=//.)");
    private static final String EXAMPLE = "as in postgresql://user:password@host:5432/spur";

    static DatabaseAddress embedded(Path socket, String database, String user, Secret password) {
        return new DatabaseAddress(
                "jdbc:postgresql://localhost/" + database, user, password, socket);
    }

    /// As in spur.conf: `postgresql://user:password@host:5432/spur?sslmode=verify-full`. The
    /// parameters are those of the JDBC driver.
    public static DatabaseAddress parse(Secret text) {
        var scheme = SCHEME.matcher(text.reveal());
        if (!scheme.lookingAt()) {
            throw new PostgresException(
                    "the database URL is not one of PostgreSQL. Write it %s".formatted(EXAMPLE));
        }
        var uri = uri("postgresql:" + text.reveal().substring(scheme.end()));
        var account = uri.getRawUserInfo();
        var path = uri.getRawPath();
        if (account == null || uri.getHost() == null || path == null || path.length() < 2) {
            throw new PostgresException(
                    "the database URL lacks %s. Write it %s"
                            .formatted(
                                    account == null
                                            ? "the user"
                                            : uri.getHost() == null ? "the host" : "the database",
                                    EXAMPLE));
        }
        var colon = account.indexOf(':');
        var url =
                "jdbc:postgresql://%s%s%s%s"
                        .formatted(
                                uri.getHost(),
                                uri.getPort() < 0 ? "" : ":" + uri.getPort(),
                                path,
                                uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        return new DatabaseAddress(
                url,
                decoded(colon < 0 ? account : account.substring(0, colon)),
                Secret.parse(colon < 0 ? "" : decoded(account.substring(colon + 1))),
                null);
    }

    /// A parser's message would quote the URL, password and all.
    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new PostgresException(
                    "the database URL cannot be read: %s at character %d. Write it %s, with %%-codes for other signs than letters and digits"
                            .formatted(e.getReason(), e.getIndex(), EXAMPLE));
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /// What the driver is given beside the URL.
    Properties properties(String program) {
        var properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password.reveal());
        properties.setProperty("ApplicationName", program);
        properties.setProperty("connectTimeout", "5");
        properties.setProperty("loginTimeout", "10");
        if (socket == null) {
            properties.setProperty("tcpKeepAlive", "true");
        } else {
            properties.setProperty("socketFactory", UnixSocketFactory.class.getName());
            properties.setProperty("socketFactoryArg", socket.toString());
            properties.setProperty("sslmode", "disable");
        }
        return properties;
    }

    /// Connections without a pool and without bounds on statements: for migrations and copies.
    PGSimpleDataSource plain(String program) {
        var source = new PGSimpleDataSource();
        source.setUrl(url);
        properties(program).forEach((key, value) -> set(source, (String) key, (String) value));
        return source;
    }

    private static void set(PGSimpleDataSource source, String key, String value) {
        try {
            source.setProperty(key, value);
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException("the driver does not know " + key, e);
        }
    }

    /// Without the password, for logs and errors.
    @Override
    public String toString() {
        return "%s of %s".formatted(socket == null ? url : socket, user);
    }
}
