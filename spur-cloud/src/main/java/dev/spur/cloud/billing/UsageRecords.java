package dev.spur.cloud.billing;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jspecify.annotations.Nullable;

/// The lines of all bills. The only place that knows the tables `usage_record` and
/// `settled_session`.
public final class UsageRecords {
    private final Jdbi db;

    public UsageRecords(Jdbi db) {
        this.db = db;
    }

    /// A session whose last line is not known yet.
    ///
    /// @param isOver whether the session has ended, as far as the cloud knows
    public record Unsettled(
            UUID session,
            UUID person,
            @Nullable UUID project,
            long job,
            long uid,
            String unixName,
            boolean isLinked,
            Instant createdAt,
            boolean isOver) {}

    /// A line, and whose it is.
    ///
    /// @param sessionName as it is called; null when it is gone
    /// @param goneAt when the cloud saw the session end; a line that goes on does not count beyond
    ///   it
    /// @param isFinal whether accounting has said its last word
    public record Billed(
            UUID id,
            UUID session,
            @Nullable String sessionName,
            UUID person,
            String email,
            @Nullable UUID project,
            @Nullable String projectName,
            Line line,
            @Nullable Instant goneAt,
            boolean isFinal) {
        /// Up to when it counts. When it ended accounting knows, not whoever saw the session go.
        Instant until(Instant now) {
            var ended = line.endedAt();
            if (ended != null) {
                return ended.plusSeconds(1); // all of it
            }
            return goneAt != null && goneAt.isBefore(now) ? goneAt : now;
        }
    }

    /// Whose lines.
    ///
    /// @param person null: everybody's
    /// @param project null: of any, and of none
    public record Whose(@Nullable UUID person, @Nullable UUID project, @Nullable UUID session) {}

    /// The longest unsettled first, so that none waits behind others for ever.
    List<Unsettled> unsettled(int atMost) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select s.id, s.person_id, s.project_id, s.spur_job_id, s.unix_uid, s.unix_name,
                                       s.unix_linked, s.created_at,
                                       s.state in ('completed', 'failed', 'cancelled') as is_over
                                  from session s
                                 where s.spur_job_id is not null
                                   and not exists (select from settled_session where session_id = s.id)
                                 order by s.created_at, s.id
                                 limit :most
                                """)
                        .bind("most", atMost)
                        .map((row, _) ->
                                new Unsettled(
                                        row.getObject("id", UUID.class),
                                        row.getObject("person_id", UUID.class),
                                        row.getObject("project_id", UUID.class),
                                        row.getLong("spur_job_id"),
                                        row.getLong("unix_uid"),
                                        row.getString("unix_name"),
                                        row.getBoolean("unix_linked"),
                                        row.getObject("created_at", OffsetDateTime.class)
                                                .toInstant(),
                                        row.getBoolean("is_over")))
                        .list());
    }

    long unsettledCount() {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select count(*) from session s
                                 where s.spur_job_id is not null
                                   and not exists (select from settled_session where session_id = s.id)
                                """)
                        .mapTo(Long.class)
                        .one());
    }

    /// Makes these the lines of the session's job. Of several who do this at the same time each
    /// waits for the one before; what has ended is not opened again by whoever heard older news.
    void write(Unsettled session, List<Line> lines, boolean isFinal, Instant now) {
        db.useTransaction(handle -> {
            lock(handle, session.session());
            if (isSettled(handle, session.session())) {
                return;
            }
            lines.forEach(line -> put(handle, session, line));
            removeOthers(handle, session, lines);
            if (isFinal) {
                handle.createUpdate(
                                "insert into settled_session (session_id, settled_at) values (:session, :now)")
                        .bind("session", session.session())
                        .bind("now", now)
                        .execute();
            }
        });
    }

    private static void lock(Handle handle, UUID session) {
        handle.createQuery("select 1 from pg_advisory_xact_lock(:key)")
                .bind("key", session.getMostSignificantBits() ^ session.getLeastSignificantBits())
                .mapTo(Integer.class)
                .one();
    }

    private static boolean isSettled(Handle handle, UUID session) {
        return handle.createQuery(
                        "select exists (select from settled_session where session_id = :session)")
                .bind("session", session)
                .mapTo(Boolean.class)
                .one();
    }

    private static void put(Handle handle, Unsettled session, Line line) {
        handle.createUpdate(
                        """
                        insert into usage_record (id, session_id, person_id, project_id, job, attempt, piece,
                            gpu_type, gpu_count, cpus, started_at, ended_at, seconds, suspended_seconds,
                            suspended_since, gpu_per_hour, cpu_per_hour, free_because)
                        values (:id, :session, :person, :project, :job, :attempt, :piece,
                            :gpuType, :gpus, :cpus, :started, :ended, :seconds, :suspended,
                            :suspendedSince, :gpuRate, :cpuRate, :free)
                        on conflict (session_id, job, attempt, piece) do update set
                            gpu_type = excluded.gpu_type, gpu_count = excluded.gpu_count, cpus = excluded.cpus,
                            started_at = excluded.started_at, ended_at = excluded.ended_at,
                            seconds = excluded.seconds, suspended_seconds = excluded.suspended_seconds,
                            suspended_since = excluded.suspended_since,
                            gpu_per_hour = excluded.gpu_per_hour, cpu_per_hour = excluded.cpu_per_hour,
                            free_because = excluded.free_because
                         where usage_record.ended_at is null or excluded.ended_at is not null
                        """)
                .bind("id", UUID.randomUUID())
                .bind("session", session.session())
                .bind("person", session.person())
                .bind("project", session.project())
                .bind("job", line.job())
                .bind("attempt", line.attempt())
                .bind("piece", line.piece())
                .bind("gpuType", line.gpuType())
                .bind("gpus", line.gpus())
                .bind("cpus", line.cpus())
                .bind("started", line.startedAt())
                .bind("ended", line.endedAt())
                .bind("seconds", line.seconds())
                .bind("suspended", line.suspendedSeconds())
                .bind("suspendedSince", line.suspendedSince())
                .bind("gpuRate", line.rate().gpu())
                .bind("cpuRate", line.rate().cpu())
                .bind("free", line.freeBecause())
                .execute();
    }

    /// Pieces that an attempt has no more: a price was taken back before anybody was billed by it.
    private static void removeOthers(Handle handle, Unsettled session, List<Line> lines) {
        lines.stream()
                .map(Line::attempt)
                .distinct()
                .forEach(attempt ->
                        handle.createUpdate(
                                        """
                                        delete from usage_record
                                         where session_id = :session and job = :job and attempt = :attempt and piece >= :pieces
                                        """)
                                .bind("session", session.session())
                                .bind("job", session.job())
                                .bind("attempt", attempt)
                                .bind(
                                        "pieces",
                                        lines.stream()
                                                .filter(line -> line.attempt() == attempt)
                                                .count())
                                .execute());
    }

    /// Lines that touch a time, the newest first.
    public List<Billed> between(Whose whose, Instant from, Instant until, int atMost) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select u.*, s.name as session_name, coalesce(p.email, '') as email, j.name as project_name,
                                       s.ended_at as gone_at,
                                       exists (select from settled_session f where f.session_id = u.session_id) as is_final
                                  from usage_record u
                                  left join session s on s.id = u.session_id
                                  left join person p on p.id = u.person_id
                                  left join project j on j.id = u.project_id
                                 where u.started_at < :until and (u.ended_at is null or u.ended_at >= :from)
                                   and (cast(:person as uuid) is null or u.person_id = :person)
                                   and (cast(:project as uuid) is null or u.project_id = :project)
                                   and (cast(:session as uuid) is null or u.session_id = :session)
                                 order by u.started_at desc, u.id
                                 limit :most
                                """)
                        .bind("from", from)
                        .bind("until", until)
                        .bind("person", whose.person())
                        .bind("project", whose.project())
                        .bind("session", whose.session())
                        .bind("most", atMost)
                        .map(BILLED)
                        .list());
    }

    private static final RowMapper<Billed> BILLED =
            (row, _) ->
                    new Billed(
                            row.getObject("id", UUID.class),
                            row.getObject("session_id", UUID.class),
                            row.getString("session_name"),
                            row.getObject("person_id", UUID.class),
                            row.getString("email"),
                            row.getObject("project_id", UUID.class),
                            row.getString("project_name"),
                            new Line(
                                    row.getLong("job"),
                                    row.getInt("attempt"),
                                    row.getInt("piece"),
                                    row.getString("gpu_type"),
                                    row.getInt("gpu_count"),
                                    row.getInt("cpus"),
                                    row.getObject("started_at", OffsetDateTime.class).toInstant(),
                                    instant(row.getObject("ended_at", OffsetDateTime.class)),
                                    row.getLong("seconds"),
                                    row.getLong("suspended_seconds"),
                                    instant(row.getObject("suspended_since", OffsetDateTime.class)),
                                    new Rate(
                                            plain(row.getBigDecimal("gpu_per_hour")),
                                            plain(row.getBigDecimal("cpu_per_hour"))),
                                    row.getString("free_because")),
                            instant(row.getObject("gone_at", OffsetDateTime.class)),
                            row.getBoolean("is_final"));

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }

    private static BigDecimal plain(BigDecimal number) {
        var shortest = number.stripTrailingZeros();
        return shortest.scale() < 0 ? shortest.setScale(0) : shortest; // 3600, not 3.6E+3
    }
}
