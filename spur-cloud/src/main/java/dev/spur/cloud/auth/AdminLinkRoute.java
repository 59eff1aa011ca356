package dev.spur.cloud.auth;

import dev.spur.cloud.access.Caller;
import dev.spur.runtime.host.LoopbackOwner;
import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Problem;
import java.util.List;
import java.util.OptionalLong;

/// `spur cloud admin-link`: a new link for the first administrator, to whoever runs this host. The
/// kernel says whose process asks; whatever comes by way of a proxy is nobody's.
final class AdminLinkRoute {
    private static final List<String> FORWARDED =
            List.of(
                    "Forwarded",
                    "X-Forwarded-For",
                    "X-Forwarded-Host",
                    "X-Forwarded-Proto",
                    "X-Real-IP",
                    "Via",
                    "Origin");

    /// Numbers below are the system's services, and so is what Debian calls nobody.
    private static final long FIRST_PERSON = 1000;

    private static final long NOBODY = 65_534;

    private final AdminLink link;

    AdminLinkRoute(AdminLink link) {
        this.link = link;
    }

    record Link(String url) {}

    Endpoint<Caller> endpoint() {
        return Endpoint.<Caller>post("/api/auth/admin-link", "renewAdminLink")
                .tag("authentication")
                .says("A new link for the first administrator; root on this host only")
                .answers(200, Link.class)
                .refuses(403, 409)
                .by(call -> {
                    requireRoot(call.request());
                    return Answer.ok(
                            new Link(
                                    link.ifNeeded()
                                            .orElseThrow(() ->
                                                    Problem.of(
                                                            409,
                                                            "has-administrator",
                                                            "There is an administrator already.",
                                                            "Ask them to make you one, too."))));
                });
    }

    private void requireRoot(Incoming request) {
        var isForwarded = FORWARDED.stream().anyMatch(name -> request.header(name).isPresent());
        var uid = isForwarded ? OptionalLong.empty() : asker(request);
        if (uid.isEmpty() || !runsThis(uid.getAsLong())) {
            throw Problem.of(
                    403,
                    "root-only",
                    "Only root on this service's own host can do that.",
                    "Say there, as root: spur cloud admin-link");
        }
    }

    /// Root, or whoever started this daemon for himself; not the services that others' requests
    /// come by.
    private static boolean runsThis(long uid) {
        return uid == 0
                || uid == Users.currentUid()
                        && uid >= FIRST_PERSON
                        && uid != NOBODY
                        && uid != ServiceAccount.usual().uid();
    }

    private static OptionalLong asker(Incoming request) {
        var client = request.remoteAddress();
        var server = request.localAddress();
        return client.getAddress().isLoopbackAddress() && server.getAddress().isLoopbackAddress()
                ? LoopbackOwner.uid(client, server)
                : OptionalLong.empty();
    }
}
