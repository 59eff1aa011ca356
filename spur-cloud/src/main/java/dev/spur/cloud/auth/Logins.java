package dev.spur.cloud.auth;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Secrets;
import dev.spur.cloud.users.ApiTokens;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/// Who is signed in where. The only place that knows the tables `login` and `refresh_token`.
///
/// A login is renewed by refresh tokens, each of which works once and is replaced by the next. One
/// that comes again was copied: the login ends, for its owner as for the thief.
public final class Logins {
    /// Two windows of one browser may renew at the same moment.
    private static final Duration RACE = Duration.ofSeconds(10);

    private static final Set<String> EVERYTHING = ApiTokens.SCOPES;
    private static final int LONGEST_AGENT = 200;

    private final Jdbi db;
    private final Duration idle;
    private final InstantSource clock;

    public Logins(Jdbi db, Duration idle, InstantSource clock) {
        this.db = db;
        this.idle = idle;
        this.clock = clock;
    }

    /// A login as its owner sees it.
    ///
    /// @param way by which they signed in: local, github, okta
    public record Login(
            UUID id,
            Instant signedInAt,
            Instant usedAt,
            Instant expiresAt,
            String way,
            String address,
            String agent) {}

    record Begun(UUID id, String refreshToken) {}

    Begun begin(UUID person, String way, String address, String agent) {
        var id = UUID.randomUUID();
        var token = Secrets.text();
        var now = clock.instant();
        db.useTransaction(handle -> {
            handle.createUpdate(
                            """
                            insert into login (id, person_id, signed_in_at, used_at, expires_at, way, address, agent)
                            values (:id, :person, :now, :now, :expires, :way, :address, :agent)
                            """)
                    .bind("id", id)
                    .bind("person", person)
                    .bind("now", now)
                    .bind("expires", now.plus(idle))
                    .bind("way", way)
                    .bind("address", address)
                    .bind("agent", agent.substring(0, Math.min(agent.length(), LONGEST_AGENT)))
                    .execute();
            store(handle, id, token);
            handle.createUpdate("update person set last_login_at = :now where id = :person")
                    .bind("now", now)
                    .bind("person", person)
                    .execute();
        });
        return new Begun(id, token);
    }

    private static void store(Handle handle, UUID login, String token) {
        handle.createUpdate("insert into refresh_token (hash, login_id) values (:hash, :login)")
                .bind("hash", Secrets.hash(token))
                .bind("login", login)
                .execute();
    }

    sealed interface Renewal {}

    record Renewed(UUID login, UUID person, String refreshToken) implements Renewal {}

    /// Unknown, over, or ended.
    record NotRenewed() implements Renewal {}

    /// Somebody else has just renewed with the same token.
    record Raced() implements Renewal {}

    /// The token was used before: the login has ended now.
    record Copied(UUID person) implements Renewal {}

    private record Known(
            UUID loginId,
            UUID personId,
            @Nullable Instant tokenUsedAt,
            @Nullable Instant endedAt,
            Instant expiresAt,
            boolean isActive) {}

    Renewal renew(String token) {
        var now = clock.instant();
        return db.inTransaction(handle -> {
            Optional<Known> found =
                    handle.createQuery(
                                    """
                                    select l.id as login_id, l.person_id, t.used_at as token_used_at, l.ended_at,
                                           l.expires_at, p.is_active
                                      from refresh_token t
                                      join login l on l.id = t.login_id
                                      join person p on p.id = l.person_id
                                     where t.hash = :hash
                                       for update of t, l
                                    """)
                            .bind("hash", Secrets.hash(token))
                            .map(ConstructorMapper.of(Known.class))
                            .findOne();
            if (found.isEmpty()) {
                return new NotRenewed();
            }
            var known = found.get();
            if (known.endedAt() != null || !known.isActive() || !now.isBefore(known.expiresAt())) {
                return new NotRenewed();
            }
            if (known.tokenUsedAt() != null) {
                if (now.isBefore(known.tokenUsedAt().plus(RACE))) {
                    return new Raced();
                }
                end(handle, known.loginId(), now);
                return new Copied(known.personId());
            }
            handle.createUpdate("update refresh_token set used_at = :now where hash = :hash")
                    .bind("now", now)
                    .bind("hash", Secrets.hash(token))
                    .execute();
            handle.createUpdate(
                            "update login set used_at = :now, expires_at = :expires where id = :id")
                    .bind("now", now)
                    .bind("expires", now.plus(idle))
                    .bind("id", known.loginId())
                    .execute();
            var next = Secrets.text();
            store(handle, known.loginId(), next);
            return new Renewed(known.loginId(), known.personId(), next);
        });
    }

    /// Who is behind a login, as things are now.
    public Optional<Caller.Person> person(UUID login) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select p.id, p.email, p.username, p.is_admin, l.signed_in_at
                                  from login l join person p on p.id = l.person_id
                                 where l.id = :login and l.ended_at is null and l.expires_at > :now and p.is_active
                                """)
                        .bind("login", login)
                        .bind("now", clock.instant())
                        .map((row, _) ->
                                new Caller.Person(
                                        row.getObject("id", UUID.class),
                                        row.getString("email"),
                                        row.getString("username"),
                                        row.getBoolean("is_admin"),
                                        login,
                                        null,
                                        EVERYTHING,
                                        row.getTimestamp("signed_in_at").toInstant()))
                        .findOne());
    }

    /// Who is behind an API token, as things are now.
    public Optional<Caller.Person> personOfToken(String token) {
        return personOfToken("t.hash = :key", Secrets.hash(token));
    }

    Optional<Caller.Person> personOfToken(UUID token) {
        return personOfToken("t.id = :key", token);
    }

    private Optional<Caller.Person> personOfToken(String which, Object key) {
        var now = clock.instant();
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                update api_token t set used_at = :now
                                  from person p
                                 where %s and p.id = t.person_id and p.is_active
                                   and t.revoked_at is null and (t.expires_at is null or t.expires_at > :now)
                                returning t.id as token, t.scopes, t.created_at, p.id, p.email, p.username, p.is_admin
                                """
                                        .formatted(which))
                        .bind("now", now)
                        .bind("key", key)
                        .map((row, _) ->
                                new Caller.Person(
                                        row.getObject("id", UUID.class),
                                        row.getString("email"),
                                        row.getString("username"),
                                        row.getBoolean("is_admin"),
                                        null,
                                        row.getObject("token", UUID.class),
                                        Set.of((String[]) row.getArray("scopes").getArray()),
                                        row.getTimestamp("created_at").toInstant()))
                        .findOne());
    }

    boolean isGoodToken(UUID token) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select exists (
                                    select 1 from api_token t join person p on p.id = t.person_id
                                     where t.id = :token and t.revoked_at is null and p.is_active
                                       and (t.expires_at is null or t.expires_at > :now))
                                """)
                        .bind("token", token)
                        .bind("now", clock.instant())
                        .mapTo(Boolean.class)
                        .one());
    }

    List<Login> of(UUID person) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select id, signed_in_at, used_at, expires_at, way, address, agent from login
                                 where person_id = :person and ended_at is null and expires_at > :now
                                 order by used_at desc limit 200
                                """)
                        .bind("person", person)
                        .bind("now", clock.instant())
                        .map(ConstructorMapper.of(Login.class))
                        .list());
    }

    boolean end(UUID person, UUID login) {
        return db.withHandle(handle ->
                handle.createUpdate(
                                """
                                update login set ended_at = :now
                                 where id = :login and person_id = :person and ended_at is null
                                """)
                        .bind("now", clock.instant())
                        .bind("login", login)
                        .bind("person", person)
                        .execute())
                == 1;
    }

    /// Ends all of a person's logins.
    ///
    /// @param except one that goes on; null: none
    public void endAll(UUID person, @Nullable UUID except) {
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                update login set ended_at = :now
                                 where person_id = :person and ended_at is null
                                   and (cast(:except as uuid) is null or id <> :except)
                                """)
                        .bind("now", clock.instant())
                        .bind("person", person)
                        .bind("except", except)
                        .execute());
    }

    /// The person has just proved again who they are.
    void provedAgain(UUID login) {
        db.useHandle(handle ->
                handle.createUpdate("update login set signed_in_at = :now where id = :login")
                        .bind("now", clock.instant())
                        .bind("login", login)
                        .execute());
    }

    private static void end(Handle handle, UUID login, Instant now) {
        handle.createUpdate("update login set ended_at = :now where id = :login")
                .bind("now", now)
                .bind("login", login)
                .execute();
    }

    /// What nobody will ask for any more.
    public void tidy() {
        var now = clock.instant();
        db.useHandle(handle -> {
            handle.createUpdate("delete from login where coalesce(ended_at, expires_at) < :old")
                    .bind("old", now.minus(Duration.ofDays(30)))
                    .execute();
            handle.createUpdate("delete from authorization_request where expires_at < :now")
                    .bind("now", now)
                    .execute();
            handle.createUpdate("delete from one_time_code where expires_at < :old")
                    .bind("old", now.minus(Duration.ofDays(30)))
                    .execute();
        });
    }
}
