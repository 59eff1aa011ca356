package dev.spur.api.client;

import static java.util.stream.Collectors.joining;

import io.grpc.Metadata;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// How a [CallerIdentity] travels: in the call's metadata, so that no message can claim to be
/// somebody.
public final class CallerHeaders {
    public static final Metadata.Key<String> AUTHORIZATION = ascii("authorization");
    public static final Metadata.Key<String> UID = ascii("spur-uid");
    public static final Metadata.Key<String> GID = ascii("spur-gid");

    /// Percent-encoded UTF-8: user names need not be ASCII.
    public static final Metadata.Key<String> USER = ascii("spur-user");

    public static final Metadata.Key<String> GROUPS = ascii("spur-groups");

    /// On a refused call: name of the error code, Slurm's errno, and where the leader is.
    public static final Metadata.Key<String> ERROR_CODE = ascii("spur-error-code");

    public static final Metadata.Key<String> ERRNO = ascii("spur-errno");
    public static final Metadata.Key<String> LEADER = ascii("spur-leader");

    private CallerHeaders() {}

    public static Metadata of(CallerIdentity caller) {
        var headers = new Metadata();
        switch (caller) {
            case CallerIdentity.Vouched(var uid, var gid, var user, var groups) -> {
                headers.put(UID, Integer.toUnsignedString(uid));
                headers.put(GID, Integer.toUnsignedString(gid));
                headers.put(
                        USER,
                        java.net.URLEncoder.encode(user, java.nio.charset.StandardCharsets.UTF_8));
                headers.put(
                        GROUPS,
                        groups.stream().map(Integer::toUnsignedString).collect(joining(",")));
            }
            case CallerIdentity.Bearer(var token) -> headers.put(AUTHORIZATION, "Bearer " + token);
            case CallerIdentity.Host() -> {}
        }
        return headers;
    }

    /// What the headers claim; empty when they name no user. A malformed claim is an
    /// [IllegalArgumentException].
    public static Optional<CallerIdentity> read(Metadata headers) {
        var authorization = headers.get(AUTHORIZATION);
        if (authorization != null) {
            if (!authorization.regionMatches(true, 0, "Bearer ", 0, 7)) {
                throw new IllegalArgumentException(
                        "the authorization header is not a bearer token");
            }
            return Optional.of(new CallerIdentity.Bearer(authorization.substring(7).strip()));
        }
        var uid = headers.get(UID);
        var gid = headers.get(GID);
        var user = headers.get(USER);
        if (uid == null || gid == null || user == null) {
            return Optional.empty();
        }
        return Optional.of(
                new CallerIdentity.Vouched(
                        Integer.parseUnsignedInt(uid),
                        Integer.parseUnsignedInt(gid),
                        java.net.URLDecoder.decode(user, java.nio.charset.StandardCharsets.UTF_8),
                        groups(headers.get(GROUPS))));
    }

    private static List<Integer> groups(@org.jspecify.annotations.Nullable String list) {
        if (list == null || list.isEmpty()) {
            return List.of();
        }
        return Arrays.stream(list.split(",", -1)).map(Integer::parseUnsignedInt).toList();
    }

    private static Metadata.Key<String> ascii(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
