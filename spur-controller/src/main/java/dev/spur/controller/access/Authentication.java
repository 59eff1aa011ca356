package dev.spur.controller.access;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.PeerHost;
import dev.spur.runtime.identity.Roles;
import dev.spur.runtime.identity.Tokens;
import io.grpc.Metadata;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Finds out who calls: the certificate says which host, the headers say for whom it speaks, and
/// the roles say whether such a host is believed about such a person.
public final class Authentication {
    private final Supplier<Roles> roles;
    private final Tokens tokens;
    private final Supplier<Snapshot> state;
    private final Function<String, Optional<Account>> accounts;
    private final CloudNames cloudUsers = new CloudNames();

    /// A user of this host.
    public record Account(int uid, int gid, String name) {}

    /// @param accounts looks up users by name, for tokens that name no uid
    public Authentication(
            Supplier<Roles> roles,
            Tokens tokens,
            Supplier<Snapshot> state,
            Function<String, Optional<Account>> accounts) {
        this.roles = roles;
        this.tokens = tokens;
        this.state = state;
        this.accounts = accounts;
    }

    public Caller identify(@Nullable PeerHost peer, Metadata headers) {
        if (peer != null && isRevoked(peer)) {
            throw new SpurException(
                    ErrorCode.ACCESS_DENIED,
                    "the certificate of %s was revoked. Join again with a new token"
                            .formatted(peer.host()));
        }
        var claim = claim(headers);
        return switch (claim.orElse(null)) {
            case null -> peer == null ? new Caller.Stranger() : new Caller.Host(peer);
            case CallerIdentity.Host() ->
                    peer == null ? new Caller.Stranger() : new Caller.Host(peer);
            case CallerIdentity.Bearer(var token) -> byToken(token, peer);
            case CallerIdentity.Vouched vouched -> byHost(vouched, peer);
        };
    }

    private static Optional<CallerIdentity> claim(Metadata headers) {
        try {
            return CallerHeaders.read(headers);
        } catch (IllegalArgumentException e) {
            throw new SpurException(
                    ErrorCode.UNKNOWN_TOKEN, "the caller's identity cannot be read", e);
        }
    }

    private boolean isRevoked(PeerHost peer) {
        return state.get()
                .credentials()
                .isRevoked(peer.host(), peer.serial().toString(), peer.issuedAt());
    }

    private Caller byToken(String token, @Nullable PeerHost peer) {
        return switch (tokens.verify(token)) {
            case Tokens.Rejected(var because) ->
                    throw new SpurException(ErrorCode.UNKNOWN_TOKEN, because);
            case Tokens.Verified verified -> {
                var cloud = verified.cloud();
                if (cloud != null) {
                    yield byCloud(verified, cloud, peer);
                }
                var account = accounts.apply(verified.user());
                var uid =
                        verified.uid().isPresent()
                                ? (int) verified.uid().getAsLong()
                                : account.map(Account::uid)
                                        .orElseThrow(() ->
                                                new SpurException(
                                                        ErrorCode.INVALID_USER,
                                                        "the token is for %s, whom this host does not know"
                                                                .formatted(verified.user())));
                var role = accepted(roles.get().token(verified), verified.user());
                var gid = account.map(Account::gid).orElse(uid);
                var host = peer == null ? "" : peer.host();
                yield new Caller.Person(
                        new Actor(uid, verified.user(), host, role, Actor.Origin.TOKEN),
                        gid,
                        java.util.List.of(gid));
            }
        };
    }

    /// Nobody remembers such a token. It counts for as long as its host is one of the cluster, and
    /// as its user is one of the cloud's.
    private Caller byCloud(
            Tokens.Verified verified, Tokens.OfCloud cloud, @Nullable PeerHost peer) {
        var uid = (int) verified.uid().orElse(0);
        var now = state.get();
        if (now.credentials().isRevoked(cloud.host(), "", cloud.issuedAt())) {
            throw new SpurException(
                    ErrorCode.UNKNOWN_TOKEN,
                    "the certificate of %s was revoked, and with it the tokens that it was given"
                            .formatted(cloud.host()));
        }
        CloudUsers.require(now, uid, verified.user());
        var role = accepted(roles.get().token(verified), verified.user());
        var gid =
                accounts.apply(verified.user())
                        .filter(account -> account.uid() == uid)
                        .map(Account::gid)
                        .orElse(uid);
        var host = peer == null ? "" : peer.host();
        return new Caller.Person(
                new Actor(uid, verified.user(), host, role, Actor.Origin.CLOUD),
                gid,
                java.util.List.of(gid));
    }

    private Caller byHost(CallerIdentity.Vouched vouched, @Nullable PeerHost peer) {
        if (peer == null) {
            throw new SpurException(
                    ErrorCode.UNKNOWN_TOKEN,
                    "only a host of the cluster can say who its users are. "
                            + "Join this host (spurd or spur-door --token TOKEN), or use a token (spur token create)");
        }
        var uid = Integer.toUnsignedLong(vouched.uid());
        if (uid == 0 && !peer.role().vouchesForAdministrators() && roles.get().servesEverybody()) {
            return rootOf(peer, vouched);
        }
        var role = accepted(roles.get().vouched(peer, uid, vouched.user()), vouched.user());
        var cloud = state.get().config().cloud();
        if (cloud != null && cloud.owns(vouched.uid())) {
            return new Caller.Person(
                    new Actor(
                            vouched.uid(),
                            cloudUsers.name(state.get(), vouched.uid()),
                            peer.host(),
                            Role.USER,
                            Actor.Origin.DOOR),
                    vouched.uid(),
                    java.util.List.of(vouched.uid()));
        }
        return new Caller.Person(
                new Actor(vouched.uid(), vouched.user(), peer.host(), role, Actor.Origin.DOOR),
                vouched.gid(),
                vouched.groups());
    }

    private static Caller rootOf(PeerHost peer, CallerIdentity.Vouched vouched) {
        var actor = new Actor(0, vouched.user(), peer.host(), Role.USER, Actor.Origin.DOOR);
        return new Caller.RootOfHost(
                peer, new Caller.Person(actor, vouched.gid(), vouched.groups()));
    }

    private static Role accepted(Roles.Verdict verdict, String user) {
        return switch (verdict) {
            case Roles.Refused(var because) ->
                    throw new SpurException(
                            ErrorCode.ACCESS_DENIED,
                            "%s is not accepted: %s".formatted(user, because));
            case Roles.Accepted(var role) -> role;
        };
    }
}
