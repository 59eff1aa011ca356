package dev.spur.cloud.auth;

import dev.spur.cloud.access.Secrets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/// Codes that prove something once. The only place that knows the table `one_time_code`; the codes
/// themselves are not in it.
public final class OneTimeCodes {
    private final Jdbi db;
    private final InstantSource clock;

    public OneTimeCodes(Jdbi db, InstantSource clock) {
        this.db = db;
        this.clock = clock;
    }

    /// What codes are for. One of one kind is worth nothing as another.
    public enum Kind {
        FIRST_ADMINISTRATOR,
        INVITATION,
        NEW_PASSWORD,
        LINK_ACCOUNT,
        TERMINAL,
        PORT
    }

    /// What a code was made for.
    ///
    /// @param subject an address, a session: whatever the kind needs
    public record Meant(@Nullable UUID personId, @Nullable String subject) {}

    public String create(
            Kind kind, @Nullable UUID person, @Nullable String subject, Duration lifespan) {
        return create(kind, person, subject, lifespan, Secrets.text());
    }

    public String create(
            Kind kind,
            @Nullable UUID person,
            @Nullable String subject,
            Duration lifespan,
            String code) {
        var now = clock.instant();
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                insert into one_time_code (hash, kind, person_id, subject, created_at, expires_at)
                                values (:hash, :kind, :person, :subject, :now, :expires)
                                """)
                        .bind("hash", Secrets.hash(code))
                        .bind("kind", kind.name())
                        .bind("person", person)
                        .bind("subject", subject)
                        .bind("now", now)
                        .bind("expires", now.plus(lifespan))
                        .execute());
        return code;
    }

    /// Uses a code up; empty if it is unknown, used or over.
    public Optional<Meant> use(Kind kind, String code) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                update one_time_code set used_at = :now
                                 where hash = :hash and kind = :kind and used_at is null and expires_at > :now
                                returning person_id, subject
                                """)
                        .bind("now", clock.instant())
                        .bind("hash", Secrets.hash(code))
                        .bind("kind", kind.name())
                        .map(ConstructorMapper.of(Meant.class))
                        .findOne());
    }

    /// Looks at a code without using it.
    public Optional<Meant> peek(Kind kind, String code) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select person_id, subject from one_time_code
                                 where hash = :hash and kind = :kind and used_at is null and expires_at > :now
                                """)
                        .bind("now", clock.instant())
                        .bind("hash", Secrets.hash(code))
                        .bind("kind", kind.name())
                        .map(ConstructorMapper.of(Meant.class))
                        .findOne());
    }

    /// Gives a code back that was used for something that then failed.
    public void giveBack(Kind kind, String code) {
        db.useHandle(handle ->
                handle.createUpdate(
                                "update one_time_code set used_at = null where hash = :hash and kind = :kind")
                        .bind("hash", Secrets.hash(code))
                        .bind("kind", kind.name())
                        .execute());
    }

    /// From now on none of these is worth anything.
    public void revoke(Kind kind, @Nullable UUID person) {
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                delete from one_time_code
                                 where kind = :kind and used_at is null
                                   and (cast(:person as uuid) is null or person_id = :person)
                                """)
                        .bind("kind", kind.name())
                        .bind("person", person)
                        .execute());
    }
}
