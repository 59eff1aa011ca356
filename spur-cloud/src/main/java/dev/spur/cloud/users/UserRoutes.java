package dev.spur.cloud.users;

import static dev.spur.cloud.access.Needs.ACCOUNT;
import static dev.spur.cloud.access.Needs.LOGIN;
import static dev.spur.cloud.access.Needs.SESSIONS;
import static dev.spur.cloud.access.Needs.USER;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Fields;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Lists;
import dev.spur.runtime.http.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// `/api/users/me`: one's own profile, SSH keys and API tokens.
public final class UserRoutes {
    private static final String TAG = "users";
    private static final int LONGEST_TOKEN_DAYS = 366;

    private final People people;
    private final SshKeys keys;
    private final ApiTokens tokens;
    private final AuditLog audit;
    private final InstantSource clock;

    public UserRoutes(
            People people, SshKeys keys, ApiTokens tokens, AuditLog audit, InstantSource clock) {
        this.people = people;
        this.keys = keys;
        this.tokens = tokens;
        this.audit = audit;
        this.clock = clock;
    }

    /// A person, to themselves and to administrators.
    ///
    /// @param unixName who the person is on nodes, once there was a session
    /// @param linkedName the account on the cluster that is theirs, too
    public record Profile(
            UUID id,
            String email,
            String username,
            @Nullable String displayName,
            @Nullable String avatarUrl,
            boolean isAdmin,
            boolean isActive,
            @Nullable Integer maxGpus,
            boolean hasPassword,
            boolean hasSecondFactor,
            List<String> providers,
            @Nullable String unixName,
            @Nullable Long unixUid,
            @Nullable String linkedName,
            Instant createdAt,
            @Nullable Instant lastLoginAt) {}

    public record ProfileChange(@Nullable String displayName) {}

    public record NewSshKey(@Nullable String name, @Nullable String publicKey) {}

    /// @param scopes of read, sessions, account, billing and admin
    /// @param expiresInDays missing: as long as the person wants
    public record NewApiToken(
            @Nullable String name,
            @Nullable List<String> scopes,
            @Nullable Integer expiresInDays) {}

    /// @param token shown this once
    public record CreatedApiToken(String token, ApiTokens.ApiToken details) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/api/users/me", "getMe")
                        .tag(TAG)
                        .says("Who I am")
                        .needs(USER, ACCOUNT)
                        .answers(200, Profile.class)
                        .by(call -> Answer.ok(profile(call.caller().person().id()))),
                Endpoint.<Caller>patch("/api/users/me", "changeMe")
                        .tag(TAG)
                        .says("Change my profile")
                        .needs(USER, ACCOUNT)
                        .takes(ProfileChange.class)
                        .answers(200, Profile.class)
                        .by(this::change),
                Endpoint.<Caller>get("/api/users/me/ssh-keys", "listSshKeys")
                        .tag(TAG)
                        .says("My SSH keys, the newest first")
                        .needs(USER, ACCOUNT)
                        .answers(200, Lists.of(SshKeys.SshKey.class))
                        .by(call -> Answer.ok(keys.of(call.caller().person().id()))),
                Endpoint.<Caller>post("/api/users/me/ssh-keys", "addSshKey")
                        .tag(TAG)
                        .says("Add an SSH key; sessions that run know it at once")
                        // A key leads into sessions: a token that may not must make none.
                        .needs(USER, ACCOUNT, SESSIONS)
                        .takes(NewSshKey.class)
                        .answers(201, SshKeys.SshKey.class)
                        .refuses(409)
                        .by(this::addKey),
                Endpoint.<Caller>delete("/api/users/me/ssh-keys/{id}", "deleteSshKey")
                        .tag(TAG)
                        .says("Delete an SSH key; connections that it opened end")
                        .needs(USER, ACCOUNT)
                        .answers(204, Void.class)
                        .by(this::removeKey),
                Endpoint.<Caller>get("/api/users/me/tokens", "listApiTokens")
                        .tag(TAG)
                        .says("My API tokens")
                        .needs(USER, ACCOUNT)
                        .answers(200, Lists.of(ApiTokens.ApiToken.class))
                        .by(call -> Answer.ok(tokens.of(call.caller().person().id()))),
                Endpoint.<Caller>post("/api/users/me/tokens", "createApiToken")
                        .tag(TAG)
                        .says("Make an API token, which is shown this once")
                        .needs(LOGIN)
                        .takes(NewApiToken.class)
                        .answers(201, CreatedApiToken.class)
                        .refuses(409)
                        .by(this::createToken),
                Endpoint.<Caller>delete("/api/users/me/tokens/{id}", "revokeApiToken")
                        .tag(TAG)
                        .says("Revoke an API token")
                        .needs(USER, ACCOUNT)
                        .answers(204, Void.class)
                        .by(this::revokeToken));
    }

    private Profile profile(UUID id) {
        return profile(people, people.find(id).orElseThrow(() -> Problem.notFound("user")));
    }

    public static Profile profile(People people, Person person) {
        return new Profile(
                person.id(),
                person.email(),
                person.username(),
                person.displayName(),
                person.avatarUrl(),
                person.isAdmin(),
                person.isActive(),
                person.maxGpus(),
                person.passwordHash() != null,
                person.hasSecondFactor(),
                people.providersOf(person.id()),
                person.unixName(),
                person.unixUid(),
                person.linkedName(),
                person.createdAt(),
                person.lastLoginAt());
    }

    private Answer change(Call<Caller> call) {
        var wish = call.body(ProfileChange.class);
        var fields = new Fields();
        if (wish.displayName() != null) {
            fields.line("display_name", wish.displayName());
        }
        fields.check();
        var id = call.caller().person().id();
        people.setDisplayName(id, wish.displayName());
        return Answer.ok(profile(id));
    }

    private Answer addKey(Call<Caller> call) {
        var wish = call.body(NewSshKey.class);
        var key = SshPublicKey.parse(wish.publicKey() == null ? "" : wish.publicKey());
        var name =
                wish.name() != null && !wish.name().isBlank()
                        ? wish.name()
                        : key.comment().isEmpty() ? key.type() : key.comment();
        new Fields().line("name", name).check();
        return switch (keys.add(call.caller().person().id(), name, key, clock.instant())) {
            case SshKeys.Stored(var stored) -> {
                audit.add(call, "ssh_key.add", stored.name(), stored.fingerprint());
                yield Answer.created("/api/users/me/ssh-keys/" + stored.id(), stored);
            }
            case SshKeys.Refused(var because) ->
                    throw switch (because) {
                        case DUPLICATE ->
                                Problem.of(
                                        409,
                                        "ssh-key-known",
                                        "You have the key %s already.".formatted(key.fingerprint()),
                                        "Use it, or delete it first.");
                        case TOO_MANY ->
                                Problem.of(
                                        409,
                                        "too-many-ssh-keys",
                                        "You have as many SSH keys as one person can have.",
                                        "Delete those that you do not use.");
                    };
        };
    }

    private Answer removeKey(Call<Caller> call) {
        var id = call.id("id", "SSH key");
        if (!keys.remove(call.caller().person().id(), id)) {
            throw Problem.notFound("SSH key");
        }
        audit.add(call, "ssh_key.delete", id.toString(), "");
        return Answer.nothing();
    }

    private Answer createToken(Call<Caller> call) {
        var wish = call.body(NewApiToken.class);
        var scopes = wish.scopes() == null ? List.<String>of() : List.copyOf(wish.scopes());
        var caller = call.caller().person();
        new Fields()
                .line("name", wish.name())
                .require(
                        !scopes.isEmpty() && ApiTokens.SCOPES.containsAll(scopes),
                        "scopes",
                        "must be some of read, sessions, account, billing, admin")
                .require(
                        caller.isAdmin() || !scopes.contains("admin"),
                        "scopes",
                        "can have admin only if you are an administrator")
                .require(
                        wish.expiresInDays() == null
                                || wish.expiresInDays() >= 1
                                        && wish.expiresInDays() <= LONGEST_TOKEN_DAYS,
                        "expires_in_days",
                        "must be between 1 and %d".formatted(LONGEST_TOKEN_DAYS))
                .check();
        var now = clock.instant();
        var expires =
                wish.expiresInDays() == null
                        ? null
                        : now.plus(Duration.ofDays(wish.expiresInDays()));
        var name = String.valueOf(wish.name());
        var made =
                tokens.create(
                                caller.id(),
                                name,
                                scopes.stream().distinct().sorted().toList(),
                                expires,
                                now)
                        .orElseThrow(() ->
                                Problem.of(
                                        409,
                                        "too-many-tokens",
                                        "You have %d API tokens, the most that one person can have."
                                                .formatted(ApiTokens.MOST_OF_ONE_PERSON),
                                        "Revoke those that you do not use."));
        audit.add(call, "api_token.create", name, String.join(",", scopes));
        return Answer.created(
                "/api/users/me/tokens/" + made.token().id(),
                new CreatedApiToken(made.text(), made.token()));
    }

    private Answer revokeToken(Call<Caller> call) {
        var id = call.id("id", "API token");
        if (!tokens.revoke(call.caller().person().id(), id, clock.instant())) {
            throw Problem.notFound("API token");
        }
        audit.add(call, "api_token.revoke", id.toString(), "");
        return Answer.nothing();
    }
}
