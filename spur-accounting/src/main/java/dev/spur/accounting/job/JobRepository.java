package dev.spur.accounting.job;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.accounting.amount.Times;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.StepRecord;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The tables `job`, `step`, `suspension` and `stored_file`, as they are written.
public final class JobRepository {
    private final Handle handle;
    private final int cluster;

    public JobRepository(Handle handle, int cluster) {
        this.handle = handle;
        this.cluster = cluster;
    }

    /// The rows that these would replace.
    public Map<JobKey, JobRow> known(Collection<JobKey> keys) {
        var known = new HashMap<JobKey, JobRow>();
        handle.createQuery(
                        """
                        select job.record
                          from unnest(:ids, :submitted, :attempts) as key (job_id, submitted_at, attempt)
                          join job using (job_id, submitted_at, attempt)
                         where cluster_id = :cluster
                        """)
                .bind("cluster", cluster)
                .bindArray("ids", Long.class, keys.stream().map(JobKey::jobId).toArray())
                .bindArray(
                        "submitted",
                        OffsetDateTime.class,
                        keys.stream().map(JobKey::submitted).toArray())
                .bindArray("attempts", Long.class, keys.stream().map(JobKey::attempt).toArray())
                .map((rows, _) -> JobRow.of(job(rows.getBytes("record"))))
                .forEach(row -> known.put(row.key(), row));
        return known;
    }

    /// @param payers gives the number of who pays for a job
    public void store(Collection<JobRow> jobs, ToIntFunction<JobRecord> payers) {
        if (jobs.isEmpty()) {
            return;
        }
        var batch =
                handle.prepareBatch(
                        """
                        insert into job (cluster_id, job_id, submitted_at, attempt, leader_id, part, uid, payer_id,
                                         user_name, account, name, state, reservation, eligible_at, started_at, ended_at,
                                         waiting_cpus, tres, amounts, script, environment, record)
                        values (:cluster, :id, :submitted, :attempt, :leader, :part, :uid, :payer,
                                :user, :account, :name, :state, :reservation, :eligible, :started, :ended,
                                :cpus, :tres, :amounts, :script, :environment, :record)
                            on conflict (cluster_id, job_id, submitted_at, attempt) do update
                           set leader_id = excluded.leader_id, part = excluded.part, uid = excluded.uid,
                               payer_id = excluded.payer_id, user_name = excluded.user_name, account = excluded.account,
                               name = excluded.name, state = excluded.state, reservation = excluded.reservation,
                               eligible_at = excluded.eligible_at, started_at = excluded.started_at,
                               ended_at = excluded.ended_at, waiting_cpus = excluded.waiting_cpus,
                               tres = excluded.tres, amounts = excluded.amounts, script = excluded.script,
                               environment = excluded.environment, record = excluded.record
                        """);
        for (var row : jobs) {
            var record = row.record();
            batch.bind("cluster", cluster)
                    .bind("id", row.key().jobId())
                    .bind("submitted", row.key().submitted())
                    .bind("attempt", row.key().attempt())
                    .bind("leader", row.leader())
                    .bind("part", row.part())
                    .bind("uid", Integer.toUnsignedLong(record.getUid()))
                    .bind("payer", payers.applyAsInt(record))
                    .bind("user", record.getUserName())
                    .bind("account", record.getAccount())
                    .bind("name", record.getName())
                    .bind("state", record.getState())
                    .bind("reservation", record.getReservation())
                    .bind("eligible", row.eligible())
                    .bind("started", row.started())
                    .bind("ended", row.ended())
                    .bind("cpus", row.waitingCpus())
                    .bind("tres", row.tres().tres())
                    .bind("amounts", row.tres().amounts())
                    .bind("script", bytesOrNull(record.getScriptSha256()))
                    .bind("environment", bytesOrNull(record.getEnvironmentSha256()))
                    .bind("record", record.toByteArray())
                    .add();
        }
        batch.execute();
        Months.written(
                handle,
                jobs.stream()
                        .map(row -> Times.month(row.key().submitted()))
                        .collect(Collectors.toSet()));
    }

    public void storeSteps(Collection<StepRecord> steps) {
        if (steps.isEmpty()) {
            return;
        }
        var batch =
                handle.prepareBatch(
                        """
                        insert into step (cluster_id, job_id, submitted_at, attempt, step_id, record)
                        values (:cluster, :id, :submitted, :attempt, :step, :record)
                            on conflict (cluster_id, job_id, submitted_at, attempt, step_id) do update
                           set record = excluded.record
                        """);
        for (var record : steps) {
            var key = JobKey.of(record);
            batch.bind("cluster", cluster)
                    .bind("id", key.jobId())
                    .bind("submitted", key.submitted())
                    .bind("attempt", key.attempt())
                    .bind("step", Integer.toUnsignedLong(record.getStepId()))
                    .bind("record", record.toByteArray())
                    .add();
        }
        batch.execute();
    }

    public void storeFile(byte[] sha256, byte[] content, OffsetDateTime now) {
        handle.createUpdate(
                        """
                        insert into stored_file (sha256, content, stored_at) values (:sha256, :content, :now)
                            on conflict (sha256) do update set stored_at = excluded.stored_at
                        """)
                .bind("sha256", sha256)
                .bind("content", content)
                .bind("now", now)
                .execute();
    }

    /// A time in which a job was suspended.
    private record Suspension(OffsetDateTime from, OffsetDateTime until) {
        long seconds() {
            return java.time.Duration.between(from, until).toSeconds();
        }

        boolean isOpen() {
            return until.isEqual(Times.NEVER);
        }
    }

    /// Keeps when a job was suspended; of that a record tells only the sum, and since when.
    ///
    /// @return from when on something else is known now, if so
    public @Nullable OffsetDateTime suspended(JobRow row) {
        var record = row.record();
        var since = record.getSuspendedSinceMicros();
        var all = suspensions(row.key());
        var closed =
                all.stream().filter(each -> !each.isOpen()).mapToLong(Suspension::seconds).sum();
        var open = all.stream().filter(Suspension::isOpen).findFirst().orElse(null);
        if (since != 0) {
            var begin = Times.second(since);
            if (open == null && all.stream().noneMatch(each -> each.from().isEqual(begin))) {
                put(row.key(), new Suspension(begin, Times.NEVER));
                return begin;
            }
            return null;
        }
        var missing = record.getSuspendedSeconds() - closed;
        if (open != null) {
            var end = open.from().plusSeconds(Math.max(0, missing));
            put(row.key(), new Suspension(open.from(), end));
            return end;
        }
        if (missing > 0 && row.started() != null) {
            // Its begin was in a record that is no more: anywhere after the last one.
            var from = all.isEmpty() ? row.started() : all.getLast().until();
            put(row.key(), new Suspension(from, from.plusSeconds(missing)));
            return from;
        }
        return null;
    }

    private List<Suspension> suspensions(JobKey key) {
        return handle.createQuery(
                        """
                        select from_at, until_at from suspension
                         where cluster_id = :cluster and job_id = :id and submitted_at = :submitted and attempt = :attempt
                         order by from_at
                        """)
                .bind("cluster", cluster)
                .bind("id", key.jobId())
                .bind("submitted", key.submitted())
                .bind("attempt", key.attempt())
                .map((rows, _) ->
                        new Suspension(Times.of(rows, "from_at"), Times.of(rows, "until_at")))
                .list();
    }

    private void put(JobKey key, Suspension suspension) {
        handle.createUpdate(
                        """
                        insert into suspension (cluster_id, job_id, submitted_at, attempt, from_at, until_at)
                        values (:cluster, :id, :submitted, :attempt, :from, :until)
                            on conflict (cluster_id, job_id, submitted_at, attempt, from_at) do update
                           set until_at = excluded.until_at
                        """)
                .bind("cluster", cluster)
                .bind("id", key.jobId())
                .bind("submitted", key.submitted())
                .bind("attempt", key.attempt())
                .bind("from", suspension.from())
                .bind("until", suspension.until())
                .execute();
    }

    private static byte @Nullable [] bytesOrNull(ByteString bytes) {
        return bytes.isEmpty() ? null : bytes.toByteArray();
    }

    static JobRecord job(byte[] record) {
        try {
            return JobRecord.parseFrom(record);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a record of a job in the database is damaged", e);
        }
    }

    static StepRecord step(byte[] record) {
        try {
            return StepRecord.parseFrom(record);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a record of a step in the database is damaged", e);
        }
    }
}
