package dev.spur.cloud.users;

import dev.spur.cloud.access.Secrets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/// Tokens by which programs call the API in a person's name. The only place that knows the table
/// `api_token`.
public final class ApiTokens {
    /// By which people and scanners of repositories tell such a token.
    public static final String PREFIX = "sct_";

    /// What tokens can be made for.
    public static final Set<String> SCOPES =
            Set.of("read", "sessions", "account", "billing", "admin");

    static final int MOST_OF_ONE_PERSON = 100;

    private final Jdbi db;

    public ApiTokens(Jdbi db) {
        this.db = db;
    }

    /// A token, without itself: that is shown once.
    public record ApiToken(
            UUID id,
            String name,
            List<String> scopes,
            Instant createdAt,
            @Nullable Instant expiresAt,
            @Nullable Instant usedAt) {}

    /// A token at the moment when it is made.
    record Made(String text, ApiToken token) {}

    Optional<Made> create(
            UUID person,
            String name,
            List<String> scopes,
            @Nullable Instant expiresAt,
            Instant at) {
        var text = PREFIX + Secrets.text();
        return db.inTransaction(handle -> {
            handle.createQuery("select 1 from person where id = :id for update")
                    .bind("id", person)
                    .mapTo(Integer.class)
                    .findOne();
            return handle.createQuery(
                            """
                            insert into api_token (id, person_id, name, hash, scopes, created_at, expires_at)
                            select :id, :person, :name, :hash, :scopes, :at, :expires
                             where (select count(*) from api_token
                                     where person_id = :person and revoked_at is null) < :most
                            returning id, name, scopes, created_at, expires_at, used_at
                            """)
                    .bind("id", UUID.randomUUID())
                    .bind("person", person)
                    .bind("name", name)
                    .bind("hash", Secrets.hash(text))
                    .bindArray("scopes", String.class, scopes)
                    .bind("at", at)
                    .bind("expires", expiresAt)
                    .bind("most", MOST_OF_ONE_PERSON)
                    .map(ConstructorMapper.of(ApiToken.class))
                    .findOne()
                    .map(token -> new Made(text, token));
        });
    }

    List<ApiToken> of(UUID person) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select id, name, scopes, created_at, expires_at, used_at from api_token
                                 where person_id = :person and revoked_at is null
                                 order by created_at desc, id
                                """)
                        .bind("person", person)
                        .map(ConstructorMapper.of(ApiToken.class))
                        .list());
    }

    boolean revoke(UUID person, UUID token, Instant at) {
        return db.withHandle(handle ->
                handle.createUpdate(
                                """
                                update api_token set revoked_at = :at
                                 where id = :token and person_id = :person and revoked_at is null
                                """)
                        .bind("at", at)
                        .bind("token", token)
                        .bind("person", person)
                        .execute())
                == 1;
    }
}
