package dev.spur.cloud.users;

import dev.spur.cloud.access.Fields;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.jspecify.annotations.Nullable;

/// The only place that knows the table `person`.
public final class People {
    private static final String UNIQUE_VIOLATION = "23505";

    private final Jdbi db;

    public People(Jdbi db) {
        this.db = db;
    }

    /// Somebody new.
    public record New(
            String email,
            boolean emailVerified,
            String username,
            @Nullable String passwordHash,
            @Nullable String displayName,
            @Nullable String avatarUrl,
            boolean isAdmin) {}

    /// What came of adding somebody.
    public sealed interface Added {}

    public record Welcome(Person person) implements Added {}

    /// Somebody has the address or the name already.
    public record Taken() implements Added {}

    public Added add(New person, Instant at) {
        try {
            return db.inTransaction(handle -> new Welcome(insert(handle, person, at)));
        } catch (UnableToExecuteStatementException e) {
            if (isDuplicate(e)) {
                return new Taken();
            }
            throw e;
        }
    }

    public static boolean isDuplicate(UnableToExecuteStatementException e) {
        return e.getCause() instanceof java.sql.SQLException sql
                && UNIQUE_VIOLATION.equals(sql.getSQLState());
    }

    /// Within a transaction of the caller's.
    public static Person insert(Handle handle, New person, Instant at) {
        return handle.createQuery(
                        """
                        insert into person (id, email, email_verified, username, password_hash, display_name,
                                            avatar_url, is_admin, created_at)
                        values (:id, :email, :verified, :username, :hash, :display, :avatar, :admin, :at)
                        returning *
                        """)
                .bind("id", UUID.randomUUID())
                .bind("email", Fields.normalized(person.email()))
                .bind("verified", person.emailVerified())
                .bind("username", person.username())
                .bind("hash", person.passwordHash())
                .bind("display", person.displayName())
                .bind("avatar", person.avatarUrl())
                .bind("admin", person.isAdmin())
                .bind("at", at)
                .map(ConstructorMapper.of(Person.class))
                .one();
    }

    public Optional<Person> find(UUID id) {
        return db.withHandle(handle ->
                handle.createQuery("select * from person where id = :id")
                        .bind("id", id)
                        .map(ConstructorMapper.of(Person.class))
                        .findOne());
    }

    public Optional<Person> byEmail(String email) {
        return db.withHandle(handle ->
                handle.createQuery("select * from person where lower(email) = :email")
                        .bind("email", Fields.normalized(email))
                        .map(ConstructorMapper.of(Person.class))
                        .findOne());
    }

    public Optional<Person> byIdentity(String provider, String subject) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select p.* from person p join identity i on i.person_id = p.id
                                 where i.provider = :provider and i.subject = :subject
                                """)
                        .bind("provider", provider)
                        .bind("subject", subject)
                        .map(ConstructorMapper.of(Person.class))
                        .findOne());
    }

    /// The providers by which somebody may sign in.
    public List<String> providersOf(UUID person) {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select distinct provider from identity where person_id = :id order by 1")
                        .bind("id", person)
                        .mapTo(String.class)
                        .list());
    }

    /// In the order in which they came, filtered by a part of name or address.
    public List<Person> list(@Nullable String text, @Nullable UUID after, int atMost) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select * from person
                                 where (cast(:text as text) is null
                                        or position(lower(:text) in lower(email)) > 0
                                        or position(lower(:text) in lower(username)) > 0)
                                   and (cast(:after as uuid) is null
                                        or (created_at, id) > (select created_at, id from person where id = :after))
                                 order by created_at, id
                                 limit :most
                                """)
                        .bind("text", text)
                        .bind("after", after)
                        .bind("most", atMost)
                        .map(ConstructorMapper.of(Person.class))
                        .list());
    }

    public long administrators() {
        return db.withHandle(handle ->
                handle.createQuery("select count(*) from person where is_admin and is_active")
                        .mapTo(Long.class)
                        .one());
    }

    public void setPassword(UUID id, String hash) {
        update(id, "password_hash = :value", hash);
    }

    public void setQuota(UUID id, @Nullable Integer gpus) {
        update(id, "max_gpus = :value", gpus);
    }

    public void setAdmin(UUID id, boolean is) {
        update(id, "is_admin = :value", is);
    }

    public void setActive(UUID id, boolean is) {
        update(id, "is_active = :value", is);
    }

    public void setDisplayName(UUID id, @Nullable String name) {
        update(id, "display_name = :value", name);
    }

    public void signedIn(UUID id, Instant at) {
        update(id, "last_login_at = :value", at);
    }

    public void startSecondFactor(UUID id, String secret) {
        update(id, "totp_secret = :value, totp_confirmed = false, totp_last_step = 0", secret);
    }

    public void confirmSecondFactor(UUID id, boolean isOn) {
        update(
                id,
                isOn
                        ? "totp_confirmed = :value"
                        : "totp_confirmed = :value, totp_secret = null, totp_last_step = 0",
                isOn);
    }

    /// Takes a step of the second factor; false if it was taken before: a code counts once.
    public boolean takeStep(UUID id, long step) {
        return db.withHandle(handle ->
                handle.createUpdate(
                                "update person set totp_last_step = :step where id = :id and totp_last_step < :step")
                        .bind("id", id)
                        .bind("step", step)
                        .execute())
                == 1;
    }

    public void link(UUID id, @Nullable Long uid, @Nullable String name) {
        db.useHandle(handle ->
                handle.createUpdate(
                                "update person set linked_uid = :uid, linked_name = :name where id = :id")
                        .bind("id", id)
                        .bind("uid", uid)
                        .bind("name", name)
                        .execute());
    }

    private void update(UUID id, String what, @Nullable Object value) {
        db.useHandle(handle ->
                handle.createUpdate("update person set %s where id = :id".formatted(what))
                        .bind("id", id)
                        .bind("value", value)
                        .execute());
    }
}
