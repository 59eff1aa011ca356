package dev.spur.cloud.sessions;

import dev.spur.cloud.projects.Projects;
import dev.spur.runtime.http.Problem;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/// The only place that writes the tables `session` and `session_event`, and so the only one that
/// decides which state follows which.
public final class SessionStore {
    /// Events become visible in the order of their ids: who reads behind an id misses none.
    private static final long ORDER_OF_EVENTS = 0x5350_5552_4556_0001L;

    private static final String LIVE =
            "('creating', 'pending', 'running', 'stopping', 'suspended')";

    private final Jdbi db;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public SessionStore(Jdbi db) {
        this.db = db;
    }

    void listen(Runnable listener) {
        listeners.add(listener);
    }

    /// What came of storing an intent.
    sealed interface Stored {}

    record New(Session session) implements Stored {}

    /// The same request came before.
    record Repeated(Session session) implements Stored {}

    /// The key was used for another request.
    record KeyTaken() implements Stored {}

    /// @param what GPUs or sessions
    record OverQuota(String what, long used, long most, long asked) implements Stored {}

    /// @param key of the request, to know a repetition; null: it has none
    record Intent(Session session, @Nullable String key, byte[] bodyHash) {}

    /// Stores the wish for a session if its person may have one more. Two wishes at the same time
    /// are looked at one after the other.
    Stored intend(Intent intent, int mostSessions) {
        var stored = db.inTransaction(handle -> intend(handle, intent, mostSessions));
        tell();
        return stored;
    }

    private static Stored intend(Handle handle, Intent intent, int mostSessions) {
        var session = intent.session();
        var person =
                handle.createQuery(
                                "select max_gpus, is_active from person where id = :id for update")
                        .bind("id", session.person())
                        .map((row, _) ->
                                new Allowed(
                                        row.getObject("max_gpus", Integer.class),
                                        row.getBoolean("is_active")))
                        .findOne()
                        .filter(Allowed::isActive)
                        .orElseThrow(() -> Problem.notFound("user"));
        if (intent.key() != null) {
            var before = repeated(handle, session.person(), intent.key(), intent.bodyHash());
            if (before.isPresent()) {
                return before.get();
            }
        }
        var over = overQuota(handle, session, person.maxGpus(), mostSessions);
        if (over != null) {
            return over;
        }
        insert(handle, session);
        if (intent.key() != null) {
            handle.createUpdate(
                            "insert into session_request (person_id, key, body_hash, session_id, created_at) values (:person, :key, :hash, :session, :at)")
                    .bind("person", session.person())
                    .bind("key", intent.key())
                    .bind("hash", intent.bodyHash())
                    .bind("session", session.id())
                    .bind("at", session.createdAt())
                    .execute();
        }
        event(
                handle,
                session,
                session.createdAt(),
                SessionChange.CREATED,
                "The session was asked for.");
        return new New(session);
    }

    private record Allowed(@Nullable Integer maxGpus, boolean isActive) {}

    private static Optional<Stored> repeated(
            Handle handle, UUID person, String key, byte[] bodyHash) {
        return handle.createQuery(
                        "select body_hash, session_id from session_request where person_id = :person and key = :key")
                .bind("person", person)
                .bind("key", key)
                .map((row, _) ->
                        Arrays.equals(row.getBytes("body_hash"), bodyHash)
                                ? new Repeated(
                                        one(handle, row.getObject("session_id", UUID.class))
                                                .orElseThrow())
                                : new KeyTaken())
                .findOne()
                .map(stored -> (Stored) stored);
    }

    private static @Nullable OverQuota overQuota(
            Handle handle, Session session, @Nullable Integer maxGpus, int mostSessions) {
        var used =
                handle.createQuery(
                                "select count(*) as sessions, coalesce(sum(gpu_count), 0) as gpus from session where person_id = :person and state in "
                                        + LIVE)
                        .bind("person", session.person())
                        .map((row, _) -> new Used(row.getLong("sessions"), row.getLong("gpus")))
                        .one();
        if (used.sessions() + 1 > mostSessions) {
            return new OverQuota("sessions", used.sessions(), mostSessions, 1);
        }
        if (maxGpus != null
                && session.gpuCount() > 0
                && used.gpus() + session.gpuCount() > maxGpus) {
            return new OverQuota("GPUs", used.gpus(), maxGpus, session.gpuCount());
        }
        var project = session.project();
        return project == null ? null : overQuotaOfProject(handle, session, project);
    }

    private record Used(long sessions, long gpus) {}

    private static @Nullable OverQuota overQuotaOfProject(
            Handle handle, Session session, UUID project) {
        var most = Projects.lockedQuota(handle, project);
        if (most == null || session.gpuCount() == 0) {
            return null;
        }
        var used =
                handle.createQuery(
                                "select coalesce(sum(gpu_count), 0) from session where project_id = :project and state in "
                                        + LIVE)
                        .bind("project", project)
                        .mapTo(Long.class)
                        .one();
        return used + session.gpuCount() > most
                ? new OverQuota("GPUs of the project", used, most, session.gpuCount())
                : null;
    }

    private static void insert(Handle handle, Session session) {
        handle.createUpdate(
                        """
                        insert into session (id, person_id, project_id, name, state, backend, gpu_type, gpu_count,
                                             cpus, memory_mb, disk_mb, template, image, partition, time_limit_min,
                                             idle_min, ssh_enabled, env, secrets, unix_uid, unix_name, unix_linked,
                                             submit_key, created_at)
                        values (:id, :person, :project, :name, :state, :backend, :gpuType, :gpuCount,
                                :cpus, :memory, :disk, :template, :image, :partition, :limit,
                                :idle, :ssh, cast(:env as jsonb), :secrets, :uid, :unixName, :linked,
                                :key, :at)
                        """)
                .bind("id", session.id())
                .bind("person", session.person())
                .bind("project", session.project())
                .bind("name", session.name())
                .bind("state", session.state().word())
                .bind("backend", session.backend())
                .bind("gpuType", session.gpuType())
                .bind("gpuCount", session.gpuCount())
                .bind("cpus", session.cpus())
                .bind("memory", session.memoryMb())
                .bind("disk", session.diskMb())
                .bind("template", session.template())
                .bind("image", session.image())
                .bind("partition", session.partition())
                .bind("limit", session.timeLimitMin())
                .bind("idle", session.idleMin())
                .bind("ssh", session.sshEnabled())
                .bind("env", Session.json(session.env()))
                .bind("secrets", session.secrets())
                .bind("uid", session.account().uid())
                .bind("unixName", session.account().name())
                .bind("linked", session.account().linked())
                .bind("key", session.submitKey())
                .bind("at", session.createdAt())
                .execute();
    }

    public Optional<Session> find(UUID id) {
        return db.withHandle(handle -> one(handle, id)).filter(s -> s.deletedAt() == null);
    }

    private static Optional<Session> one(Handle handle, UUID id) {
        return handle.createQuery("select * from session where id = :id")
                .bind("id", id)
                .map((row, _) -> Session.read(row))
                .findOne();
    }

    private static final int MOST_MEANT = 500;

    /// A person's sessions and those of their projects, what runs or will before what is over, for
    /// whoever says one by a part of its name. Who may enter is not decided here.
    public List<Session> ofThoseWhoMayBeIn(UUID person) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select * from session
                                 where deleted_at is null
                                   and (person_id = :person
                                        or project_id in (select project_id from project_member
                                                           where person_id = :person))
                                 order by ended_at is not null, created_at desc limit :most
                                """)
                        .bind("person", person)
                        .bind("most", MOST_MEANT)
                        .map((row, _) -> Session.read(row))
                        .list());
    }

    /// What of the list is wanted.
    ///
    /// @param person whose own and whose projects' it must be; null: everybody's
    /// @param after the last one of the page before; null: from the first on
    record Wanted(
            @Nullable UUID person,
            boolean ownOnly,
            List<String> states,
            @Nullable String gpuType,
            @Nullable UUID project,
            @Nullable String text,
            boolean oldestFirst,
            @Nullable UUID after,
            int atMost) {}

    List<Session> list(Wanted wanted) {
        var order = wanted.oldestFirst() ? "asc" : "desc";
        var beyond = wanted.oldestFirst() ? ">" : "<";
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select s.* from session s
                                 where s.deleted_at is null
                                   and (cast(:person as uuid) is null or s.person_id = :person
                                        or not :own and s.project_id in (select project_id from project_member
                                                                          where person_id = :person))
                                   and (:states = '' or s.state = any(string_to_array(:states, ',')))
                                   and (cast(:gpu as text) is null or s.gpu_type = :gpu)
                                   and (cast(:project as uuid) is null or s.project_id = :project)
                                   and (cast(:text as text) is null or position(lower(:text) in lower(s.name)) > 0)
                                   and (cast(:after as uuid) is null
                                        or (s.created_at, s.id) %s (select created_at, id from session where id = :after))
                                 order by s.created_at %s, s.id %s
                                 limit :most
                                """
                                        .formatted(beyond, order, order))
                        .bind("person", wanted.person())
                        .bind("own", wanted.ownOnly())
                        .bind("states", String.join(",", wanted.states()))
                        .bind("gpu", wanted.gpuType())
                        .bind("project", wanted.project())
                        .bind("text", wanted.text())
                        .bind("after", wanted.after())
                        .bind("most", wanted.atMost())
                        .map((row, _) -> Session.read(row))
                        .list());
    }

    /// All that are not over, the oldest first.
    List<Session> live() {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select * from session where state in "
                                        + LIVE
                                        + " order by created_at, id")
                        .map((row, _) -> Session.read(row))
                        .list());
    }

    /// The session, not over, that this job is; also by its key, if the number is not noted yet.
    Optional<Session> liveOf(long job, String key) {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select * from session where state in "
                                        + LIVE
                                        + " and (spur_job_id = :job or spur_job_id is null and submit_key = :key)")
                        .bind("job", job)
                        .bind("key", key)
                        .map((row, _) -> Session.read(row))
                        .findFirst());
    }

    /// What still runs of people who may do nothing here any more: their programs would go on, and
    /// ask the cluster for more.
    List<UUID> ofTheDisabled() {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select s.id from session s join person p on p.id = s.person_id where not p.is_active and s.stop_requested_at is null and s.state in "
                                        + LIVE)
                        .mapTo(UUID.class)
                        .list());
    }

    /// What shall become of a session; null: nothing.
    ///
    /// @param kind of the event; null: nobody is told
    record Change(Session session, @Nullable String kind, String text) {}

    /// Changes a session as it is now. What is over stays over: nothing is asked then.
    Optional<Session> change(UUID id, Instant at, Function<Session, @Nullable Change> deciding) {
        var result =
                db.inTransaction(handle -> {
                    var now = locked(handle, id);
                    if (now == null || now.state().isOver()) {
                        return Optional.ofNullable(now);
                    }
                    return Optional.of(store(handle, now, deciding.apply(now), at));
                });
        tell();
        return result;
    }

    /// As {@link #change}, for what also those that are over have: a name, that they are deleted.
    Optional<Session> note(UUID id, Instant at, Function<Session, @Nullable Change> deciding) {
        var result =
                db.inTransaction(handle -> {
                    var now = locked(handle, id);
                    return now == null
                            ? Optional.<Session>empty()
                            : Optional.of(store(handle, now, deciding.apply(now), at));
                });
        tell();
        return result;
    }

    private static @Nullable Session locked(Handle handle, UUID id) {
        return handle.createQuery("select * from session where id = :id for update")
                .bind("id", id)
                .map((row, _) -> Session.read(row))
                .findOne()
                .orElse(null);
    }

    private static Session store(
            Handle handle, Session before, @Nullable Change change, Instant at) {
        if (change == null) {
            return before;
        }
        var after = change.session();
        if (before.state().isOver() && after.state() != before.state()) {
            throw new IllegalStateException("a session that is over was to be reopened");
        }
        var stored =
                handle.createQuery(
                                """
                                update session
                                   set name = :name, state = :state, reason = :reason, spur_job_id = :job,
                                       spur_attempt = :attempt, node_name = :node, started_at = :started,
                                       ended_at = :ended, ends_at = :ends, expected_start = :expected,
                                       queue_position = :position, error_message = :error,
                                       time_limit_min = :limit, warned_at = :warned, used_at = :used,
                                       stop_requested_at = :stop, stop_reason = :stopReason,
                                       deleted_at = :deleted, secrets = :secrets,
                                       revision = revision + 1
                                 where id = :id
                                returning *
                                """)
                        .bind("id", before.id())
                        .bind("name", after.name())
                        .bind("state", after.state().word())
                        .bind("reason", after.reason())
                        .bind("job", after.job())
                        .bind("attempt", after.attempt())
                        .bind("node", after.node())
                        .bind("started", after.startedAt())
                        .bind("ended", after.endedAt())
                        .bind("ends", after.endsAt())
                        .bind("expected", after.expectedStart())
                        .bind("position", after.queuePosition())
                        .bind("error", after.errorMessage())
                        .bind("limit", after.timeLimitMin())
                        .bind("warned", after.warnedAt())
                        .bind("used", after.usedAt())
                        .bind("stop", after.stopRequestedAt())
                        .bind("stopReason", after.stopReason())
                        .bind("deleted", after.deletedAt())
                        .bind("secrets", after.secrets())
                        .map((row, _) -> Session.read(row))
                        .one();
        if (change.kind() != null) {
            event(handle, stored, at, Objects.requireNonNull(change.kind()), change.text());
        }
        return stored;
    }

    private static void event(
            Handle handle, Session session, Instant at, String kind, String text) {
        handle.createQuery("select pg_advisory_xact_lock(:order)")
                .bind("order", ORDER_OF_EVENTS)
                .map((_, _) -> true)
                .one();
        handle.createUpdate(
                        """
                        insert into session_event (session_id, person_id, project_id, at, kind, text, revision)
                        values (:session, :person, :project, :at, :kind, :text, :revision)
                        """)
                .bind("session", session.id())
                .bind("person", session.person())
                .bind("project", session.project())
                .bind("at", at)
                .bind("kind", kind)
                .bind("text", text)
                .bind("revision", session.revision())
                .execute();
    }

    /// Places in the queue change with every job: they are stored without an event.
    void place(UUID id, Backend.Place place) {
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                update session
                                   set queue_position = :position, expected_start = :start, reason = :reason,
                                       revision = revision + 1
                                 where id = :id and state = 'pending'
                                   and (queue_position, expected_start, reason)
                                       is distinct from (cast(:position as integer), cast(:start as timestamptz), cast(:reason as text))
                                """)
                        .bind("id", id)
                        .bind("position", place.position())
                        .bind("start", place.expectedStart())
                        .bind("reason", place.reason())
                        .execute());
    }

    /// Somebody or something worked in it.
    public void used(UUID id, Instant at) {
        db.useHandle(handle ->
                handle.createUpdate(
                                "update session set used_at = :at where id = :id and (used_at is null or used_at < :at)")
                        .bind("id", id)
                        .bind("at", at)
                        .execute());
    }

    long lastEvent() {
        return db.withHandle(handle ->
                handle.createQuery("select coalesce(max(id), 0) from session_event")
                        .mapTo(Long.class)
                        .one());
    }

    List<SessionChange> eventsAfter(long id, int atMost) {
        return events("id > :id order by id limit :most", id, null, atMost);
    }

    /// Of one session, from the beginning.
    List<SessionChange> events(UUID session, long after, int atMost) {
        return events(
                "id > :id and session_id = :session order by id limit :most",
                after,
                session,
                atMost);
    }

    private List<SessionChange> events(String which, long id, @Nullable UUID session, int atMost) {
        return db.withHandle(handle -> {
            var query =
                    handle.createQuery(
                                    "select id, session_id, person_id, project_id, at, kind, text, revision from session_event where "
                                            + which)
                            .bind("id", id)
                            .bind("most", atMost);
            if (session != null) {
                query.bind("session", session);
            }
            return query.map((row, _) ->
                            new SessionChange(
                                    row.getLong("id"),
                                    row.getObject("session_id", UUID.class),
                                    row.getObject("person_id", UUID.class),
                                    row.getObject("project_id", UUID.class),
                                    row.getObject("at", java.time.OffsetDateTime.class).toInstant(),
                                    row.getString("kind"),
                                    row.getString("text"),
                                    row.getLong("revision")))
                    .list();
        });
    }

    Optional<String> cursor() {
        return db.withHandle(handle ->
                handle.createQuery("select cursor from cluster_position")
                        .mapTo(String.class)
                        .findOne());
    }

    void moveTo(String cursor, Instant at) {
        db.useHandle(handle ->
                handle.createUpdate(
                                "insert into cluster_position (cursor, at) values (:cursor, :at) on conflict (only_one) do update set cursor = :cursor, at = :at")
                        .bind("cursor", cursor)
                        .bind("at", at)
                        .execute());
    }

    /// A measurement; cpus in use follow from the one before.
    void measured(UUID session, Instant at, Backend.Use use) {
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                insert into session_usage (session_id, at, cpu_seconds, cpu_load, memory_bytes)
                                select :session, :at, :cpu,
                                       (select case when :cpu >= u.cpu_seconds and :at > u.at
                                                    then (:cpu - u.cpu_seconds) / extract(epoch from (:at - u.at))
                                               end
                                          from session_usage u where u.session_id = :session
                                         order by u.at desc limit 1),
                                       :memory
                                    on conflict do nothing
                                """)
                        .bind("session", session)
                        .bind("at", at)
                        .bind("cpu", use.cpuSeconds())
                        .bind("memory", use.memoryBytes())
                        .execute());
    }

    /// @param cpus in use on average since the one before; null for the first
    public record Measured(Instant at, @Nullable Double cpus, long memoryBytes) {}

    List<Measured> usage(UUID session, Instant since) {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select at, cpu_load, memory_bytes from session_usage where session_id = :session and at >= :since order by at")
                        .bind("session", session)
                        .bind("since", since)
                        .map((row, _) ->
                                new Measured(
                                        row.getObject("at", java.time.OffsetDateTime.class)
                                                .toInstant(),
                                        row.getObject("cpu_load", Double.class),
                                        row.getLong("memory_bytes")))
                        .list());
    }

    void forgetUsage(Instant before) {
        db.useHandle(handle ->
                handle.createUpdate("delete from session_usage where at < :before")
                        .bind("before", before)
                        .execute());
    }

    void forgetRequests(Instant before) {
        db.useHandle(handle ->
                handle.createUpdate("delete from session_request where created_at < :before")
                        .bind("before", before)
                        .execute());
    }

    private void tell() {
        listeners.forEach(Runnable::run);
    }
}
