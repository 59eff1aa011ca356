package dev.spur.rest.caller;

import dev.spur.api.client.CallerIdentity;
import dev.spur.model.notation.HostAndPort;
import dev.spur.rest.http.Refusal;
import dev.spur.runtime.host.LoopbackOwner;
import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.User;
import dev.spur.runtime.host.Users;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Finds out who asks.
///
/// A token says it, once the controller has agreed. Without one, a caller on this host is known by
/// the kernel: the peer of the Unix socket, or the user whose process holds the other end of a
/// plain connection over loopback. Whatever forwards for others is not believed about them: a
/// forwarded request needs a token, and services of the system are nobody.
public final class Callers {
    private static final Set<String> FORWARDED =
            Set.of(
                    "forwarded",
                    "x-forwarded-for",
                    "x-forwarded-host",
                    "x-forwarded-proto",
                    "x-forwarded-port",
                    "x-forwarded-server",
                    "x-forwarded-user",
                    "x-real-ip",
                    "via");

    /// Numbers below are the system's services; so is what Debian calls nobody.
    private static final long FIRST_PERSON = 1000;

    private static final long NOBODY = 65_534;

    private final TokenChecks tokens;
    private final SocketPeers peers;
    private final boolean isPlain;
    private final Set<String> hosts;

    /// A connection, as the kernel names its ends.
    public record Connection(InetSocketAddress client, InetSocketAddress server) {}

    /// @param peers users of the Unix socket, by the connections that serve them
    /// @param isPlain whether connections are not encrypted; others may come from anywhere
    /// @param hosts names by which this service is rightly called
    public Callers(TokenChecks tokens, SocketPeers peers, boolean isPlain, Set<String> hosts) {
        this.tokens = tokens;
        this.peers = peers;
        this.isPlain = isPlain;
        this.hosts = Set.copyOf(hosts);
    }

    /// @param headers by lower-case names
    /// @throws Refusal for a page of somebody else's, and for a token that is not good
    public Caller of(Map<String, String> headers, Connection connection) {
        refuseForeign(headers);
        var token = token(headers);
        if (token.isPresent()) {
            return byToken(token.get(), headers.getOrDefault("x-slurm-user-name", ""));
        }
        if (headers.keySet().stream().anyMatch(FORWARDED::contains)) {
            return new Caller.Stranger("a request that was forwarded needs a token");
        }
        var uid = peers.uid(connection).or(() -> loopback(connection));
        if (uid.isEmpty()) {
            return new Caller.Stranger("no token was given");
        }
        return person(uid.get(), headers.getOrDefault("x-slurm-user-name", ""));
    }

    /// A browser that was led to a name of somebody else's, or to us by somebody else's page, asks
    /// with the rights of whoever sits before it.
    private void refuseForeign(Map<String, String> headers) {
        var host = headers.getOrDefault("host", "");
        if (!host.isEmpty() && !isOwn(host)) {
            throw foreign("Host", host);
        }
        var origin = headers.getOrDefault("origin", "");
        if (!origin.isEmpty() && !isOwnOrigin(origin, host)) {
            throw foreign("Origin", origin);
        }
    }

    private boolean isOwnOrigin(String origin, String host) {
        var at = origin.indexOf("://");
        return at > 0 && origin.substring(at + 3).equalsIgnoreCase(host);
    }

    private boolean isOwn(String host) {
        try {
            return hosts.contains(
                    HostAndPort.parse(host, 0).host().toLowerCase(java.util.Locale.ROOT));
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static Refusal foreign(String header, String value) {
        return new Refusal(
                403,
                2002,
                "FOREIGN_ORIGIN",
                "Access/permission denied",
                "%s %s is not this service".formatted(header, printable(value)),
                "Call it by the name of its host, or add the name to allowed_hosts of [rest_api]",
                0);
    }

    private static String printable(String text) {
        var cut = text.length() > 100 ? text.substring(0, 100) : text;
        return cut.replaceAll("[^\\x20-\\x7e]", "?");
    }

    private static Optional<String> token(Map<String, String> headers) {
        var slurm = headers.getOrDefault("x-slurm-user-token", "").strip();
        if (!slurm.isEmpty()) {
            return Optional.of(slurm);
        }
        var authorization = headers.getOrDefault("authorization", "").strip();
        return authorization.regionMatches(true, 0, "Bearer ", 0, 7)
                ? Optional.of(authorization.substring(7).strip())
                : Optional.empty();
    }

    /// Administrators may act for others; for everybody else the name has to be the token's.
    private Caller byToken(String token, String name) {
        var owner = tokens.owner(token);
        if (name.isEmpty() || name.equals(owner.user())) {
            return new Caller.Known(owner.user(), new CallerIdentity.Bearer(token));
        }
        if (!owner.isAdministrator()) {
            throw Refusal.stranger(
                    "the token is %s's, X-SLURM-USER-NAME says %s"
                            .formatted(owner.user(), printable(name)),
                    "Leave out X-SLURM-USER-NAME, or use a token of that user");
        }
        return Users.byName(name)
                .map(Callers::vouched)
                .orElseThrow(() ->
                        Refusal.stranger(
                                "this host knows no user " + printable(name),
                                "Use a token of that user"));
    }

    private Optional<Long> loopback(Connection connection) {
        if (!isPlain
                || !connection.client().getAddress().isLoopbackAddress()
                || !connection.server().getAddress().isLoopbackAddress()) {
            return Optional.empty();
        }
        var uid = LoopbackOwner.uid(connection.client(), connection.server());
        return uid.isPresent() ? Optional.of(uid.getAsLong()) : Optional.empty();
    }

    private static Caller person(long uid, String name) {
        if (isService(uid)) {
            return new Caller.Stranger(
                    "uid %d is a service of the system, which may speak for anybody"
                            .formatted(uid));
        }
        var user = Users.byUid(uid).orElseGet(() -> new User(uid, uid, Long.toString(uid), "", ""));
        if (!name.isEmpty() && !name.equals(user.name())) {
            if (uid != 0) {
                return new Caller.Stranger(
                        "you are %s, X-SLURM-USER-NAME says %s"
                                .formatted(user.name(), printable(name)));
            }
            return Users.byName(name)
                    .map(Callers::vouched)
                    .orElseGet(() ->
                            new Caller.Stranger("this host knows no user " + printable(name)));
        }
        return vouched(user);
    }

    /// A daemon that somebody started for himself serves him, whatever his number is.
    private static boolean isService(long uid) {
        var own = Users.currentUid();
        var service = ServiceAccount.usual().uid();
        if (uid == 0) {
            return false;
        }
        if (uid == service || uid == NOBODY) {
            return true;
        }
        return uid < FIRST_PERSON && uid != own;
    }

    private static Caller vouched(User user) {
        List<Integer> groups = Users.groups(user).stream().map(Long::intValue).toList();
        return new Caller.Known(
                user.name(),
                new CallerIdentity.Vouched(
                        (int) user.uid(), (int) user.gid(), user.name(), groups));
    }
}
