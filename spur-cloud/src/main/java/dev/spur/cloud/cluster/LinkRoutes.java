package dev.spur.cloud.cluster;

import static dev.spur.cloud.access.Needs.LOGIN;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ClaimCloudLinkReply;
import dev.spur.api.v1.ClaimCloudLinkRequest;
import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Secrets;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.auth.OneTimeCodes;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/// `/api/users/me/link`: people who have an account on the cluster show that it is theirs. The
/// cloud makes a code, the person types it on the cluster (`spur cloud link CODE`), where it is
/// known who types, and the cloud asks the cluster who that was.
public final class LinkRoutes {
    private static final String TAG = "users";
    private static final Duration LIFE = Duration.ofMinutes(10);
    private static final int LETTERS = 12;

    private final Jdbi db;
    private final OneTimeCodes codes;
    private final AuditLog audit;
    private final InstantSource clock;
    private final Function<ClaimCloudLinkRequest, ClaimCloudLinkReply> cluster;

    /// @param cluster asked in the name of this host
    public LinkRoutes(
            Jdbi db,
            OneTimeCodes codes,
            AuditLog audit,
            InstantSource clock,
            Function<ClaimCloudLinkRequest, ClaimCloudLinkReply> cluster) {
        this.db = db;
        this.codes = codes;
        this.audit = audit;
        this.clock = clock;
        this.cluster = cluster;
    }

    /// @param command to be typed on a host of the cluster
    public record LinkCode(String code, String command, Instant expiresAt) {}

    public record Confirmation(@Nullable String code) {}

    /// @param name of the account on the cluster
    public record Linked(String name, long uid) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>post("/api/users/me/link", "createLinkCode")
                        .tag(TAG)
                        .says("A code by which you show that an account on the cluster is yours")
                        .needs(LOGIN)
                        .answers(201, LinkCode.class)
                        .by(this::create),
                Endpoint.<Caller>post("/api/users/me/link/confirm", "confirmLink")
                        .tag(TAG)
                        .says("After the code was typed there: your sessions run as that account")
                        .needs(LOGIN)
                        .takes(Confirmation.class)
                        .answers(200, Linked.class)
                        .refuses(404, 409)
                        .by(this::confirm),
                Endpoint.<Caller>delete("/api/users/me/link", "removeLink")
                        .tag(TAG)
                        .says("Sessions run as an account of the cloud again")
                        .needs(LOGIN)
                        .answers(204, Void.class)
                        .by(this::remove));
    }

    private Answer create(Call<Caller> call) {
        var person = call.caller().person().id();
        codes.revoke(OneTimeCodes.Kind.LINK_ACCOUNT, person);
        var code =
                codes.create(
                        OneTimeCodes.Kind.LINK_ACCOUNT, person, null, LIFE, Secrets.code(LETTERS));
        return Answer.created(
                "/api/users/me/link",
                new LinkCode(code, "spur cloud link " + code, clock.instant().plus(LIFE)));
    }

    private Answer confirm(Call<Caller> call) {
        var person = call.caller().person().id();
        var code = String.valueOf(call.body(Confirmation.class).code());
        var isMine =
                codes.peek(OneTimeCodes.Kind.LINK_ACCOUNT, code)
                        .filter(meant -> person.equals(meant.personId()))
                        .isPresent();
        if (!isMine) {
            throw unknown();
        }
        var claimed = claim(code);
        var uid = Integer.toUnsignedLong(claimed.getUid());
        link(person, uid, claimed.getName());
        codes.use(OneTimeCodes.Kind.LINK_ACCOUNT, code);
        audit.add(call, "user.link", claimed.getName(), "uid " + uid);
        return Answer.ok(new Linked(claimed.getName(), uid));
    }

    private static Problem unknown() {
        return Problem.of(
                404,
                "code-unknown",
                "The code is not yours, or over.",
                "Make a new one, and type it on the cluster within ten minutes.");
    }

    /// Asked twice for one code, the cluster answers the same.
    private ClaimCloudLinkReply claim(String code) {
        try {
            return cluster.apply(
                    ClaimCloudLinkRequest.newBuilder()
                            .setRequestId(
                                    "link-" + HexFormat.of().formatHex(Secrets.hash(code), 0, 12))
                            .setCode(code)
                            .build());
        } catch (ControllerException e) {
            if (e.kind() != ControllerException.Kind.REFUSED) {
                throw e;
            }
            throw Problem.of(
                            409,
                            "code-not-typed",
                            "Nobody has typed this code on the cluster yet.",
                            "Type on a host of the cluster, as the user that you are there: spur cloud link "
                                    + code)
                    .causedBy(e);
        }
    }

    /// One account is one person's.
    private void link(UUID person, long uid, String name) {
        var isTaken =
                db.inTransaction(handle -> {
                    handle.execute("lock table person in share row exclusive mode");
                    var others =
                            handle.createQuery(
                                            "select count(*) from person where linked_uid = :uid and id <> :person")
                                    .bind("uid", uid)
                                    .bind("person", person)
                                    .mapTo(Long.class)
                                    .one();
                    if (others == 0) {
                        handle.createUpdate(
                                        "update person set linked_uid = :uid, linked_name = :name where id = :person")
                                .bind("uid", uid)
                                .bind("name", name)
                                .bind("person", person)
                                .execute();
                    }
                    return others > 0;
                });
        if (isTaken) {
            throw Problem.of(
                    409,
                    "account-taken",
                    "%s is somebody else's in this cloud.".formatted(name),
                    "Ask an administrator.");
        }
    }

    private Answer remove(Call<Caller> call) {
        var person = call.caller().person();
        db.useHandle(handle ->
                handle.createUpdate(
                                "update person set linked_uid = null, linked_name = null where id = :person")
                        .bind("person", person.id())
                        .execute());
        audit.add(call, "user.unlink", person.email(), "");
        return Answer.nothing();
    }
}
