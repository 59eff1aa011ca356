package dev.spur.accounting.access;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.IdentifyReply;
import dev.spur.api.v1.IdentifyRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.PeerHost;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Finds out who calls: the controllers check the token, or whether the host may speak for the
/// user. What they said is remembered for 30 seconds.
public final class Identities {
    private static final Duration REMEMBERED = Duration.ofSeconds(30);
    private static final int MOST = 10_000;

    /// Tokens that are being checked for strangers. However many come, hosts of the cluster do not
    /// wait for them.
    private static final int CHECKED_AT_ONCE = 8;

    private static final Duration WAITS = Duration.ofSeconds(2);

    private record Answer(Viewer viewer, Instant at) {}

    private final Function<IdentifyRequest, IdentifyReply> controllers;
    private final InstantSource clock;
    private final Semaphore strangers = new Semaphore(CHECKED_AT_ONCE);
    private final Map<IdentifyRequest, Answer> answers =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<IdentifyRequest, Answer> eldest) {
                    return size() > MOST;
                }
            };

    /// @param controllers asks them; throws what they refuse
    public Identities(Function<IdentifyRequest, IdentifyReply> controllers, InstantSource clock) {
        this.controllers = controllers;
        this.clock = clock;
    }

    Viewer identify(@Nullable PeerHost peer, @Nullable CallerIdentity claim) {
        var request = request(peer, claim);
        var now = clock.instant();
        synchronized (answers) {
            var known = answers.get(request);
            if (known != null && known.at().plus(REMEMBERED).isAfter(now)) {
                return known.viewer();
            }
            answers.remove(request);
        }
        var viewer = viewer(peer == null ? ofStranger(request) : controllers.apply(request));
        synchronized (answers) {
            answers.put(request, new Answer(viewer, now));
        }
        return viewer;
    }

    private IdentifyReply ofStranger(IdentifyRequest request) {
        try {
            if (!strangers.tryAcquire(WAITS.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new SpurException(
                        ErrorCode.BUSY,
                        "spurdbd has many tokens to check at the moment. Try again later, or ask from a host of the cluster");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SpurException(ErrorCode.BUSY, "spurdbd is stopping", e);
        }
        try {
            return controllers.apply(request);
        } finally {
            strangers.release();
        }
    }

    private static IdentifyRequest request(
            @Nullable PeerHost peer, @Nullable CallerIdentity claim) {
        var request = IdentifyRequest.newBuilder();
        if (claim instanceof CallerIdentity.Bearer(var token)) {
            return request.setToken(token).build();
        }
        if (peer == null || !(claim instanceof CallerIdentity.Vouched vouched)) {
            throw new SpurException(
                    ErrorCode.UNKNOWN_TOKEN,
                    "say who you are: through a host of the cluster, or with a token (spur token create)");
        }
        return request.setHost(peer.host())
                .setHostRole(peer.role().word())
                .setSerial(peer.serial().toString())
                .setUid(vouched.uid())
                .setGid(vouched.gid())
                .setUser(vouched.user())
                .build();
    }

    private static Viewer viewer(IdentifyReply reply) {
        var level =
                switch (reply.getRole()) {
                    case "admin" -> Viewer.Level.ADMIN;
                    case "operator" -> Viewer.Level.OPERATOR;
                    default -> Viewer.Level.USER;
                };
        return new Viewer(
                Integer.toUnsignedLong(reply.getUid()),
                reply.getUser(),
                level,
                Set.copyOf(reply.getCoordinatesList()),
                reply.getSeesAllJobs() || level != Viewer.Level.USER);
    }
}
