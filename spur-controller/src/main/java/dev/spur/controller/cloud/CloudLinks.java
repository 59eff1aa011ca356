package dev.spur.controller.cloud;

import dev.spur.api.v1.ClaimCloudLinkReply;
import dev.spur.api.v1.ClaimCloudLinkRequest;
import dev.spur.api.v1.LinkCloudUserReply;
import dev.spur.api.v1.LinkCloudUserRequest;
import dev.spur.api.v1.UnlinkCloudUserReply;
import dev.spur.api.v1.UnlinkCloudUserRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.CloudRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.PeerHost;
import java.util.regex.Pattern;

/// `spur cloud link CODE`: a user of the cluster lets the cloud speak for him, by typing what the
/// cloud showed to him. His host says who he is; the code says which person of the cloud that is.
public final class CloudLinks {
    /// Long enough that nobody guesses one in the ten minutes for which it is good.
    private static final Pattern CODE = Pattern.compile("[A-Za-z0-9-]{8,64}");

    /// No separators of passwd files, no paths.
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@+$-]{0,63}");

    private static final long NOBODY = 65_534;
    private static final int LONGEST_REQUEST_ID = 200;

    private final Proposals proposals;
    private final ReplicatedState state;

    public CloudLinks(Proposals proposals, ReplicatedState state) {
        this.proposals = proposals;
        this.state = state;
    }

    public LinkCloudUserReply link(LinkCloudUserRequest request, Caller.Person caller) {
        var actor = caller.actor();
        if (actor.origin() != Actor.Origin.DOOR) {
            throw new SpurException(
                    ErrorCode.ACCESS_DENIED,
                    "a token cannot link an account. Log in to a host of the cluster and type it there");
        }
        var uid = Integer.toUnsignedLong(actor.uid());
        if (uid < CloudRules.LOWEST_UID || uid == NOBODY) {
            throw new SpurException(
                    ErrorCode.INVALID_USER,
                    "the cloud never acts for %s (uid %d). Type it as the user whom you want to link"
                            .formatted(actor.userName(), uid));
        }
        if (state.snapshot().config().isOfCloud(actor.uid())) {
            throw new SpurException(
                    ErrorCode.INVALID_USER,
                    "uid %d is one of the cloud's own users already".formatted(uid));
        }
        if (!NAME.matcher(actor.userName()).matches()) {
            throw new SpurException(
                    ErrorCode.BAD_NAME, "a user with this name cannot be linked to the cloud");
        }
        var hash = hash(request.getCode());
        done(
                proposals.decide(
                        at -> new Command.LinkCloudUser(at, request.getRequestId(), actor, hash)));
        return LinkCloudUserReply.getDefaultInstance();
    }

    public ClaimCloudLinkReply claim(ClaimCloudLinkRequest request, PeerHost host) {
        if (request.getRequestId().isEmpty()
                || request.getRequestId().length() > LONGEST_REQUEST_ID) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "a claim needs a request id of at most %d letters"
                            .formatted(LONGEST_REQUEST_ID));
        }
        var hash = hash(request.getCode());
        var result =
                proposals.decide(at ->
                        new Command.ClaimCloudLink(at, hash, host.host(), request.getRequestId()));
        if (!(result instanceof Result.CloudUserLinked(var uid, var name))) {
            throw SpurErrors.unexpected(result);
        }
        return ClaimCloudLinkReply.newBuilder().setUid(uid).setName(name).build();
    }

    public UnlinkCloudUserReply unlink(UnlinkCloudUserRequest request, Caller.Person caller) {
        var uid = request.getUid() == 0 ? caller.actor().uid() : request.getUid();
        if (uid != caller.actor().uid() && !caller.isAtLeast(Role.ADMIN)) {
            throw SpurErrors.denied();
        }
        done(
                proposals.decide(at ->
                        new Command.UnlinkCloudUser(
                                at, request.getRequestId(), caller.actor(), uid)));
        return UnlinkCloudUserReply.getDefaultInstance();
    }

    private static String hash(String code) {
        if (!CODE.matcher(code).matches()) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "this is no code of the cloud: it has 8 to 64 letters, digits and hyphens");
        }
        return JoinToken.hash(code);
    }

    private static void done(Result result) {
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
    }
}
