package dev.spur.cloud.admin;

import static dev.spur.cloud.access.Needs.ADMIN;
import static dev.spur.cloud.access.Needs.ADMINISTRATION;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Fields;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.auth.Logins;
import dev.spur.cloud.auth.OneTimeCodes;
import dev.spur.cloud.users.People;
import dev.spur.cloud.users.Person;
import dev.spur.cloud.users.UserRoutes;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// `/api/admin`: people, invitations, audit.
public final class AdminRoutes {
    private static final String TAG = "admin";
    private static final Duration INVITATION = Duration.ofDays(7);
    private static final Duration RESET = Duration.ofDays(1);
    private static final int MOST_GPUS = 1_000_000;

    private final People people;
    private final Logins logins;
    private final OneTimeCodes codes;
    private final AuditLog audit;
    private final String publicUrl;
    private final InstantSource clock;
    private final QuotaChanged quotaChanged;

    /// Told when somebody may use more or less than before.
    @FunctionalInterface
    public interface QuotaChanged {
        void apply(Person person);
    }

    public AdminRoutes(
            People people,
            Logins logins,
            OneTimeCodes codes,
            AuditLog audit,
            String publicUrl,
            InstantSource clock,
            QuotaChanged quotaChanged) {
        this.people = people;
        this.logins = logins;
        this.codes = codes;
        this.audit = audit;
        this.publicUrl = publicUrl;
        this.clock = clock;
        this.quotaChanged = quotaChanged;
    }

    /// @param next ask with `after` set to it for the next page; null: this was the last
    public record UserPage(List<UserRoutes.Profile> users, @Nullable UUID next) {}

    /// What is missing stays as it is.
    public record UserChange(@Nullable Boolean isAdmin, @Nullable Boolean isActive) {}

    /// @param email who may use it; missing: whoever has it
    public record Invitation(@Nullable String email) {}

    /// @param url to be sent to whom it is for, who has until then
    public record OneTimeLink(String url, Instant expiresAt) {}

    /// @param maxGpus null: no limit
    public record Quota(@Nullable String email, @Nullable Integer maxGpus) {}

    /// @param next ask with `before` set to it for older lines; null: there are none
    public record AuditPage(List<AuditLog.Line> lines, @Nullable Long next) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/api/admin/users", "listUsers")
                        .tag(TAG)
                        .says("Everybody, in the order in which they came")
                        .needs(ADMIN, ADMINISTRATION)
                        .query("q", String.class, "a part of the name or the e-mail address")
                        .query("after", UUID.class, "the next page: \"next\" of the one before")
                        .query("limit", int.class, "at most so many, 1 to 500")
                        .answers(200, UserPage.class)
                        .by(this::users),
                Endpoint.<Caller>patch("/api/admin/users/{id}", "changeUser")
                        .tag(TAG)
                        .says(
                                "Make somebody an administrator, or disable them; takes effect within 5 seconds everywhere")
                        .needs(ADMIN, ADMINISTRATION)
                        .takes(UserChange.class)
                        .answers(200, UserRoutes.Profile.class)
                        .refuses(409)
                        .by(this::change),
                Endpoint.<Caller>post("/api/admin/users/{id}/reset", "createPasswordReset")
                        .tag(TAG)
                        .says("A one-time link by which somebody sets a new password")
                        .needs(ADMIN, ADMINISTRATION)
                        .answers(201, OneTimeLink.class)
                        .by(this::reset),
                Endpoint.<Caller>post("/api/admin/users/{id}/logout", "endLoginsOfUser")
                        .tag(TAG)
                        .says("End all logins of somebody")
                        .needs(ADMIN, ADMINISTRATION)
                        .answers(204, Void.class)
                        .by(this::endLogins),
                Endpoint.<Caller>post("/api/admin/invitations", "invite")
                        .tag(TAG)
                        .says("A one-time link by which somebody makes an account")
                        .needs(ADMIN, ADMINISTRATION)
                        .takes(Invitation.class)
                        .answers(201, OneTimeLink.class)
                        .by(this::invite),
                Endpoint.<Caller>put("/api/admin/users/quota", "setQuota")
                        .tag(TAG)
                        .says("How many GPUs somebody may use at a time")
                        .needs(ADMIN, ADMINISTRATION)
                        .takes(Quota.class)
                        .answers(200, Quota.class)
                        .refuses(404)
                        .by(this::setQuota),
                Endpoint.<Caller>get("/api/admin/audit", "listAudit")
                        .tag(TAG)
                        .says("Who did what, the newest first")
                        .needs(ADMIN, ADMINISTRATION)
                        .query("before", long.class, "older lines: \"next\" of the page before")
                        .query("actor", UUID.class, "only what this person did")
                        .query(
                                "action",
                                String.class,
                                "only this action, or kind of actions, as in session")
                        .query("limit", int.class, "at most so many, 1 to 500")
                        .answers(200, AuditPage.class)
                        .by(this::audit));
    }

    private Answer users(Call<Caller> call) {
        var limit = call.number("limit", 1, 500, 100);
        var found =
                people.list(
                        call.query("q").orElse(null),
                        call.query("after").map(text -> uuid("after", text)).orElse(null),
                        limit + 1);
        var page = found.stream().limit(limit).map(p -> UserRoutes.profile(people, p)).toList();
        return Answer.ok(new UserPage(page, found.size() > limit ? page.getLast().id() : null));
    }

    private static UUID uuid(String field, String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Problem.field(field, "is not an id").causedBy(e);
        }
    }

    private Person user(Call<Caller> call) {
        return people.find(call.id("id", "user")).orElseThrow(() -> Problem.notFound("user"));
    }

    private Answer change(Call<Caller> call) {
        var person = user(call);
        var wish = call.body(UserChange.class);
        var loses =
                person.isAdmin()
                        && person.isActive()
                        && (Boolean.FALSE.equals(wish.isAdmin())
                                || Boolean.FALSE.equals(wish.isActive()));
        if (loses && people.administrators() <= 1) {
            throw Problem.of(
                    409,
                    "last-administrator",
                    "%s is the only administrator.".formatted(person.email()),
                    "Make somebody else an administrator first.");
        }
        var isAdmin = wish.isAdmin();
        if (isAdmin != null && isAdmin != person.isAdmin()) {
            people.setAdmin(person.id(), isAdmin);
            audit.add(call, "user.admin", person.email(), isAdmin.toString());
        }
        var isActive = wish.isActive();
        if (isActive != null && isActive != person.isActive()) {
            people.setActive(person.id(), isActive);
            audit.add(call, "user.active", person.email(), isActive.toString());
            if (!isActive) {
                logins.endAll(person.id(), null);
            }
        }
        return Answer.ok(UserRoutes.profile(people, user(call)));
    }

    private Answer reset(Call<Caller> call) {
        var person = user(call);
        codes.revoke(OneTimeCodes.Kind.NEW_PASSWORD, person.id());
        var code = codes.create(OneTimeCodes.Kind.NEW_PASSWORD, person.id(), null, RESET);
        audit.add(call, "user.reset_link", person.email(), "");
        return link("/reset?code=" + code, RESET);
    }

    private Answer endLogins(Call<Caller> call) {
        var person = user(call);
        logins.endAll(person.id(), null);
        audit.add(call, "user.end_logins", person.email(), "");
        return Answer.nothing();
    }

    private Answer invite(Call<Caller> call) {
        var email = call.body(Invitation.class).email();
        if (email != null) {
            new Fields().email(email).check();
        }
        var address = email == null ? null : Fields.normalized(email);
        var code = codes.create(OneTimeCodes.Kind.INVITATION, null, address, INVITATION);
        audit.add(call, "user.invite", address == null ? "anybody" : address, "");
        return link("/register?invitation=" + code, INVITATION);
    }

    private Answer link(String path, Duration life) {
        var url = publicUrl + path;
        return Answer.created(url, new OneTimeLink(url, clock.instant().plus(life)));
    }

    private Answer setQuota(Call<Caller> call) {
        var wish = call.body(Quota.class);
        var gpus = wish.maxGpus();
        new Fields()
                .email(wish.email())
                .require(
                        gpus == null || gpus >= 0 && gpus <= MOST_GPUS,
                        "max_gpus",
                        "must be a number from 0 to %d, or null for no limit".formatted(MOST_GPUS))
                .check();
        var person =
                people.byEmail(String.valueOf(wish.email()))
                        .orElseThrow(() -> Problem.notFound("user"));
        people.setQuota(person.id(), gpus);
        quotaChanged.apply(people.find(person.id()).orElseThrow());
        audit.add(call, "user.quota", person.email(), gpus == null ? "no limit" : gpus + " GPUs");
        return Answer.ok(new Quota(person.email(), gpus));
    }

    private Answer audit(Call<Caller> call) {
        var limit = call.number("limit", 1, 500, 100);
        var before = call.query("before").map(text -> number("before", text)).orElse(null);
        var actor = call.query("actor").map(text -> uuid("actor", text)).orElse(null);
        var found = audit.lines(before, actor, call.query("action").orElse(null), limit + 1);
        var page = found.stream().limit(limit).toList();
        return Answer.ok(new AuditPage(page, found.size() > limit ? page.getLast().id() : null));
    }

    private static Long number(String field, String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw Problem.field(field, "must be a number").causedBy(e);
        }
    }
}
