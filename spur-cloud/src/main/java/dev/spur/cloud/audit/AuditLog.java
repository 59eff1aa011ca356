package dev.spur.cloud.audit;

import dev.spur.cloud.access.Caller;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Incoming;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/// Who did what to whom, when and from where. Lines are only ever added. The only place that knows
/// the table `audit`.
public final class AuditLog {
    private final Jdbi db;
    private final InstantSource clock;

    public AuditLog(Jdbi db, InstantSource clock) {
        this.db = db;
        this.clock = clock;
    }

    /// A line.
    ///
    /// @param actor as they were called then
    /// @param action as in `session.launch`
    /// @param target what it was done to, for people
    public record Line(
            long id,
            Instant at,
            @Nullable UUID actorId,
            String actor,
            String action,
            String target,
            String details,
            String address,
            String requestId) {}

    /// What a person did by a request.
    public void add(Call<Caller> call, String action, String target, String details) {
        var person = call.caller().person();
        add(person.id(), person.email(), call.request(), action, target, details);
    }

    /// What somebody did who is not signed in yet, or not any more.
    public void add(
            @Nullable UUID actor,
            String name,
            Incoming request,
            String action,
            String target,
            String details) {
        db.useHandle(handle ->
                insert(
                        handle,
                        actor,
                        name,
                        action,
                        target,
                        details,
                        request.remoteHost(),
                        request.id()));
    }

    /// What this service did by itself.
    public void addOwn(String action, String target, String details) {
        db.useHandle(handle -> insert(handle, null, "spur-cloud", action, target, details, "", ""));
    }

    private void insert(
            Handle handle,
            @Nullable UUID actor,
            String name,
            String action,
            String target,
            String details,
            String address,
            String request) {
        handle.createUpdate(
                        """
                        insert into audit (at, actor_id, actor, action, target, details, address, request_id)
                        values (:at, :actor, :name, :action, :target, :details, :address, :request)
                        """)
                .bind("at", clock.instant())
                .bind("actor", actor)
                .bind("name", name)
                .bind("action", action)
                .bind("target", target)
                .bind("details", details)
                .bind("address", address)
                .bind("request", request)
                .execute();
    }

    /// The newest first.
    ///
    /// @param before only lines with a smaller id; missing: from the newest on
    public List<Line> lines(
            @Nullable Long before, @Nullable UUID actor, @Nullable String action, int atMost) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select id, at, actor_id, actor, action, target, details, address, request_id
                                  from audit
                                 where (cast(:before as bigint) is null or id < :before)
                                   and (cast(:actor as uuid) is null or actor_id = :actor)
                                   and (cast(:action as text) is null or action = :action or action like :action || '.%')
                                 order by id desc
                                 limit :most
                                """)
                        .bind("before", before)
                        .bind("actor", actor)
                        .bind("action", action)
                        .bind("most", atMost)
                        .map((row, _) ->
                                new Line(
                                        row.getLong("id"),
                                        row.getObject("at", java.time.OffsetDateTime.class)
                                                .toInstant(),
                                        row.getObject("actor_id", UUID.class),
                                        row.getString("actor"),
                                        row.getString("action"),
                                        row.getString("target"),
                                        row.getString("details"),
                                        row.getString("address"),
                                        row.getString("request_id")))
                        .list());
    }
}
