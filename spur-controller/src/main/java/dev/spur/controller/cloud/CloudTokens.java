package dev.spur.controller.cloud;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.IssueUserTokenReply;
import dev.spur.api.v1.IssueUserTokenRequest;
import dev.spur.controller.access.Authentication.Account;
import dev.spur.controller.access.CloudUsers;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import dev.spur.runtime.identity.Roles;
import dev.spur.runtime.identity.Tokens;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

/// Tokens of some minutes for the cloud's users. They are no log entries: every controller can
/// check them, and they end with the host to which they were given, with its user's link, or soon.
public final class CloudTokens {
    private final ReplicatedState state;
    private final Tokens tokens;
    private final Supplier<Roles> roles;
    private final Function<String, Optional<Account>> accounts;

    /// @param accounts users of this host by name
    public CloudTokens(
            ReplicatedState state,
            Tokens tokens,
            Supplier<Roles> roles,
            Function<String, Optional<Account>> accounts) {
        this.state = state;
        this.tokens = tokens;
        this.roles = roles;
        this.accounts = accounts;
    }

    public IssueUserTokenReply issue(IssueUserTokenRequest request, PeerHost host) {
        var snapshot = state.snapshot();
        var uid = request.getUid();
        var name = request.getName();
        CloudUsers.require(snapshot, uid, name);
        var isLinked = snapshot.credentials().linkedUsers().containsKey(uid);
        if (!isLinked) {
            requireNobodyElse(uid, name);
        }
        // Whoever the cloud made up is never more than a user.
        var asAdministrator =
                isLinked && host.role() == HostRole.CLOUD_ADMIN && request.getSignedInRecently();
        var role = role(uid, name, host, asAdministrator);
        var issued =
                tokens.issueForCloud(
                        name, Integer.toUnsignedLong(uid), host.host(), asAdministrator);
        return IssueUserTokenReply.newBuilder()
                .setToken(issued.token())
                .setExpiresMicros(InstantMapper.toMicros(issued.expiresAt()))
                .setRole(role.name().toLowerCase(Locale.ROOT))
                .build();
    }

    /// Rights, accounts and files go by name as well as by number.
    private void requireNobodyElse(int uid, String name) {
        if (roles.get().isNamed(name)) {
            throw new SpurException(
                    ErrorCode.INVALID_USER,
                    "%s is an administrator or operator of the cluster: a user of the cloud cannot have that name"
                            .formatted(name));
        }
        if (accounts.apply(name).filter(account -> account.uid() != uid).isPresent()) {
            throw new SpurException(
                    ErrorCode.INVALID_USER,
                    "the controller's host knows another user %s: a user of the cloud cannot have that name. To use this account in the cloud: spur cloud link CODE"
                            .formatted(name));
        }
    }

    private Role role(int uid, String name, PeerHost host, boolean asAdministrator) {
        var token =
                new Tokens.Verified(
                        name,
                        OptionalLong.of(Integer.toUnsignedLong(uid)),
                        "",
                        Instant.EPOCH,
                        new Tokens.OfCloud(host.host(), asAdministrator, Instant.EPOCH));
        return switch (roles.get().token(token)) {
            case Roles.Accepted(var role) -> role;
            case Roles.Refused(var because) ->
                    throw new SpurException(
                            ErrorCode.ACCESS_DENIED,
                            "%s is not accepted: %s. Its owner can use the cloud with: spur cloud link CODE"
                                    .formatted(name, because));
        };
    }
}
