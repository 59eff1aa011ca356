package dev.spur.controller.token;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.CreateTokenReply;
import dev.spur.api.v1.CreateTokenRequest;
import dev.spur.api.v1.ListTokensReply;
import dev.spur.api.v1.ListTokensRequest;
import dev.spur.api.v1.RevokeTokenReply;
import dev.spur.api.v1.RevokeTokenRequest;
import dev.spur.api.v1.TokenView;
import dev.spur.controller.access.Authentication.Account;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.state.Token;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.Tokens;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/// `spur token create`, `list`, `revoke`. People make tokens for themselves, administrators for
/// others too.
public final class UserTokens {
    private static final Duration USUAL = Duration.ofHours(1);
    private static final Duration LONGEST = Duration.ofDays(366);

    private final Proposals proposals;
    private final ReplicatedState state;
    private final Tokens tokens;
    private final Function<String, Optional<Account>> accounts;

    public UserTokens(
            Proposals proposals,
            ReplicatedState state,
            Tokens tokens,
            Function<String, Optional<Account>> accounts) {
        this.proposals = proposals;
        this.state = state;
        this.tokens = tokens;
        this.accounts = accounts;
    }

    public CreateTokenReply create(CreateTokenRequest request, Caller.Person caller) {
        var actor = caller.actor();
        var forSelf = request.getUser().isEmpty() || request.getUser().equals(actor.userName());
        if (!forSelf && !caller.isAtLeast(Role.ADMIN)) {
            throw SpurErrors.denied();
        }
        if (actor.origin() == dev.spur.model.Actor.Origin.TOKEN && !caller.isAtLeast(Role.ADMIN)) {
            throw new SpurException(
                    ErrorCode.ACCESS_DENIED,
                    "a token cannot make another. Log in to a host of the cluster to make one");
        }
        var user = forSelf ? actor.userName() : request.getUser();
        var uid =
                forSelf
                        ? actor.uid()
                        : accounts.apply(user)
                                .map(Account::uid)
                                .orElseThrow(() ->
                                        new SpurException(
                                                ErrorCode.INVALID_USER,
                                                "the controller's host knows no user %s"
                                                        .formatted(user)));
        var lifespan =
                request.getLifespanSeconds() == 0
                        ? USUAL
                        : Duration.ofSeconds(Integer.toUnsignedLong(request.getLifespanSeconds()));
        if (lifespan.compareTo(LONGEST) > 0) {
            throw new SpurException(ErrorCode.INVALID_REQUEST, "a token lives at most 366 days");
        }
        var issued = tokens.create(user, Integer.toUnsignedLong(uid), lifespan);
        var token =
                new Token(
                        issued.id(),
                        uid,
                        user,
                        actor.role(),
                        issued.issuedAt(),
                        issued.expiresAt(),
                        false);
        done(
                proposals.decide(
                        at -> new Command.CreateToken(at, request.getRequestId(), actor, token)));
        return CreateTokenReply.newBuilder()
                .setToken(issued.token())
                .setId(issued.id())
                .setExpiresMicros(InstantMapper.toMicros(issued.expiresAt()))
                .build();
    }

    public ListTokensReply list(ListTokensRequest request, Caller.Person caller) {
        if (request.getAllUsers() && !caller.isAtLeast(Role.OPERATOR)) {
            throw SpurErrors.denied();
        }
        var reply = ListTokensReply.newBuilder();
        state.snapshot().credentials().tokens().values().stream()
                .filter(token -> request.getAllUsers() || token.uid() == caller.actor().uid())
                .forEach(token ->
                        reply.addTokens(
                                TokenView.newBuilder()
                                        .setId(token.id())
                                        .setUser(token.userName())
                                        .setUid(token.uid())
                                        .setCreatedMicros(InstantMapper.toMicros(token.createdAt()))
                                        .setExpiresMicros(InstantMapper.toMicros(token.expiresAt()))
                                        .setRevoked(token.revoked())));
        return reply.build();
    }

    public RevokeTokenReply revoke(RevokeTokenRequest request, Caller.Person caller) {
        var known =
                Optional.ofNullable(state.snapshot().credentials().tokens().get(request.getId()))
                        .filter(token ->
                                token.uid() == caller.actor().uid()
                                        || caller.isAtLeast(Role.ADMIN));
        if (known.isEmpty()) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "you have no token %s. See yours with: spur token list"
                            .formatted(request.getId()));
        }
        done(
                proposals.decide(at ->
                        new Command.RevokeToken(
                                at, request.getRequestId(), caller.actor(), request.getId())));
        return RevokeTokenReply.getDefaultInstance();
    }

    private static void done(Result result) {
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
    }
}
