package dev.spur.cloud.users;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/// The only place that knows the table `ssh_key`.
public final class SshKeys {
    private static final int MOST_OF_ONE_PERSON = 100;

    private final Jdbi db;

    public SshKeys(Jdbi db) {
        this.db = db;
    }

    /// A row; also what the API shows.
    public record SshKey(
            UUID id,
            UUID userId,
            String name,
            String publicKey,
            String fingerprint,
            Instant createdAt) {}

    /// What came of adding a key.
    public enum Refusal {
        DUPLICATE,
        TOO_MANY
    }

    /// What came of adding a key: the key, or why not.
    public sealed interface Added {}

    public record Stored(SshKey key) implements Added {}

    public record Refused(Refusal because) implements Added {}

    public List<SshKey> of(UUID person) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select id, person_id as user_id, name, public_key, fingerprint, created_at
                                  from ssh_key where person_id = :person order by created_at desc, id
                                """)
                        .bind("person", person)
                        .map(ConstructorMapper.of(SshKey.class))
                        .list());
    }

    /// A key of somebody who may use it now.
    public record Holder(UUID keyId, UUID personId) {}

    /// Those who have this key, which usually is one.
    public List<Holder> holders(String fingerprint) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select k.id as key_id, k.person_id from ssh_key k join person p on p.id = k.person_id
                                 where k.fingerprint = :fingerprint and p.is_active order by k.created_at limit 20
                                """)
                        .bind("fingerprint", fingerprint)
                        .map(ConstructorMapper.of(Holder.class))
                        .list());
    }

    public Added add(UUID person, String name, SshPublicKey key, Instant at) {
        return db.inTransaction(handle -> {
            handle.createQuery("select 1 from person where id = :id for update")
                    .bind("id", person)
                    .mapTo(Integer.class)
                    .findOne();
            var number =
                    handle.createQuery("select count(*) from ssh_key where person_id = :id")
                            .bind("id", person)
                            .mapTo(Integer.class)
                            .one();
            if (number >= MOST_OF_ONE_PERSON) {
                return new Refused(Refusal.TOO_MANY);
            }
            Optional<SshKey> stored =
                    handle.createQuery(
                                    """
                                    insert into ssh_key (id, person_id, name, public_key, fingerprint, created_at)
                                    values (:id, :person, :name, :key, :fingerprint, :at)
                                    on conflict (person_id, fingerprint) do nothing
                                    returning id, person_id as user_id, name, public_key, fingerprint, created_at
                                    """)
                            .bind("id", UUID.randomUUID())
                            .bind("person", person)
                            .bind("name", name)
                            .bind("key", (key.text() + " " + key.comment()).strip())
                            .bind("fingerprint", key.fingerprint())
                            .bind("at", at)
                            .map(ConstructorMapper.of(SshKey.class))
                            .findOne();
            return stored.<Added>map(Stored::new).orElseGet(() -> new Refused(Refusal.DUPLICATE));
        });
    }

    public boolean remove(UUID person, UUID key) {
        return db.withHandle(handle ->
                handle.createUpdate("delete from ssh_key where id = :key and person_id = :person")
                        .bind("key", key)
                        .bind("person", person)
                        .execute())
                == 1;
    }
}
