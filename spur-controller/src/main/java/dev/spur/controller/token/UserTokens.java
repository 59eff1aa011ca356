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
import dev.spur.engine.credential.IssuedToken;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/// `spur token create`, `list`, `revoke`. People make tokens for themselves, administrators for
/// others too.
public final class UserTokens {
    private static final Duration USUAL = Duration.ofHours(1);
    private static final Duration LONGEST = Duration.ofDays(366);
    private static final int MOST_OF_ONE_USER = 1_000;

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
        if (actor.origin() == Actor.Origin.CLOUD
                || (actor.origin() == Actor.Origin.TOKEN && !caller.isAtLeast(Role.ADMIN))) {
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
        if (state.snapshot().config().isOfCloud(uid)) {
            throw new SpurException(
                    ErrorCode.ACCESS_DENIED,
                    "uid %d is one of the cloud's users, who have its tokens: make one in the cloud"
                            .formatted(Integer.toUnsignedLong(uid)));
        }
        var lifespan =
                request.getLifespanSeconds() == 0
                        ? USUAL
                        : Duration.ofSeconds(Integer.toUnsignedLong(request.getLifespanSeconds()));
        if (lifespan.compareTo(LONGEST) > 0) {
            throw new SpurException(ErrorCode.INVALID_REQUEST, "a token lives at most 366 days");
        }
        var now = Instant.ofEpochSecond(proposals.now().getEpochSecond());
        requireRoom(uid, now, id(request, actor));
        var token =
                new IssuedToken(
                        id(request, actor),
                        uid,
                        user,
                        actor.role(),
                        now,
                        now.plus(lifespan),
                        false);
        done(
                proposals.decide(
                        at -> new Command.CreateToken(at, request.getRequestId(), actor, token)));
        // What is remembered, not what was asked just now: a repeated request has its first answer.
        var known = state.snapshot().credentials().tokens().getOrDefault(token.id(), token);
        var issued =
                tokens.issue(
                        known.userName(),
                        Integer.toUnsignedLong(known.uid()),
                        known.id(),
                        known.createdAt(),
                        known.expiresAt());
        return CreateTokenReply.newBuilder()
                .setToken(issued.token())
                .setId(issued.id())
                .setExpiresMicros(InstantMapper.toMicros(issued.expiresAt()))
                .build();
    }

    /// Those that are valid; a request that is repeated has its place already.
    private void requireRoom(int uid, Instant now, String id) {
        var tokens = state.snapshot().credentials().tokens();
        var valid =
                tokens.values().stream()
                        .filter(token -> token.uid() == uid && token.expiresAt().isAfter(now))
                        .count();
        if (valid >= MOST_OF_ONE_USER && !tokens.containsKey(id)) {
            throw new SpurException(
                    ErrorCode.LIMIT_REACHED,
                    "there are %d tokens already, the most for one user. Wait until some expire, or make fewer with a longer --lifespan"
                            .formatted(valid));
        }
    }

    private static String id(CreateTokenRequest request, Actor actor) {
        return request.getRequestId().isEmpty()
                ? Tokens.newId()
                : Tokens.idOf(actor.uid() + " " + request.getRequestId());
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
