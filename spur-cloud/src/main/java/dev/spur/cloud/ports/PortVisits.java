package dev.spur.cloud.ports;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Grant;
import dev.spur.cloud.access.Secrets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/// Browsers that came by a link. The only place that knows the table `port_visit`.
final class PortVisits {
    static final Duration LIFE = Duration.ofHours(12);

    private final Jdbi db;
    private final InstantSource clock;

    PortVisits(Jdbi db, InstantSource clock) {
        this.db = db;
        this.clock = clock;
    }

    /// @return the cookie's value
    String begin(Caller.Person caller, UUID session) {
        var secret = Secrets.text();
        var now = clock.instant();
        db.useHandle(handle -> {
            handle.createUpdate("delete from port_visit where expires_at < :now")
                    .bind("now", now)
                    .execute();
            handle.createUpdate(
                            """
                            insert into port_visit (hash, session_id, person_id, as_admin, login_id, token_id, expires_at)
                            values (:hash, :session, :person, :admin, :login, :token, :expires)
                            """)
                    .bind("hash", Secrets.hash(secret))
                    .bind("session", session)
                    .bind("person", caller.id())
                    .bind("admin", caller.isAdmin())
                    .bind("login", caller.login())
                    .bind("token", caller.token())
                    .bind("expires", now.plus(LIFE))
                    .execute();
        });
        return secret;
    }

    /// Who came to this session with this cookie.
    Optional<Grant> find(String secret, UUID session) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select person_id, as_admin, login_id, token_id from port_visit
                                 where hash = :hash and session_id = :session and expires_at > :now
                                """)
                        .bind("hash", Secrets.hash(secret))
                        .bind("session", session)
                        .bind("now", clock.instant())
                        .map((row, _) ->
                                new Grant(
                                        row.getObject("person_id", UUID.class),
                                        row.getBoolean("as_admin"),
                                        row.getObject("login_id", UUID.class),
                                        row.getObject("token_id", UUID.class),
                                        null))
                        .findOne());
    }
}
