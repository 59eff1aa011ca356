package dev.spur.accounting.job;

import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.amount.Times;
import dev.spur.api.records.RecordFilter;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepRecord;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/// The table `job` as it is searched: what a question says of ids, time, users, accounts and names
/// leads to an index, the rest is left to the caller. The text is put together of fixed parts, each
/// value is bound.
public final class JobSearch {
    private static final int FETCHED_AT_ONCE = 500;

    /// @param index by which Slurm's database knows a job
    public record Found(JobKey key, long index, JobRecord record) {}

    private final Handle handle;
    private final int cluster;
    private final List<String> conditions = new ArrayList<>();
    private final Map<String, Object> values = new LinkedHashMap<>();

    public JobSearch(
            Handle handle, int cluster, RecordQuery query, RecordFilter filter, Viewer viewer) {
        this.handle = handle;
        this.cluster = cluster;
        conditions.add("cluster_id = :cluster");
        byId(filter);
        byTime(filter);
        byUser(query.getUsersList());
        among("account", query.getAccountsList());
        among("name", query.getNamesList());
        among("state", filter.endStates());
        byViewer(viewer);
    }

    private void byId(RecordFilter filter) {
        if (!filter.ids().isEmpty()) {
            bound(
                    "(job_id = any(:ids) or leader_id <> job_id and leader_id = any(:ids))",
                    "ids",
                    filter.ids().stream()
                            .map(id -> Integer.toUnsignedLong(id.job().value()))
                            .toArray(Long[]::new));
        }
    }

    private void byTime(RecordFilter filter) {
        if (filter.hasWindow()) {
            var from = Times.second(filter.fromMicros());
            bound("ended_at >= :from", "from", from);
            bound("submitted_at <= :until", "until", Times.exact(filter.untilMicros()));
            bound("submitted_at >= :first", "first", Months.firstInUse(handle, from));
        }
    }

    private void byUser(List<String> users) {
        if (!users.isEmpty()) {
            bound("uid = any(:uids)", "uids", uids(users));
        }
    }

    private Long[] uids(List<String> users) {
        return handle.createQuery(
                        """
                        select uid from user_uid
                         where cluster_id = :cluster and (user_name = any(:users) or uid::text = any(:users))
                        """)
                .bind("cluster", cluster)
                .bindArray("users", String.class, users)
                .mapTo(Long.class)
                .list()
                .toArray(Long[]::new);
    }

    private void byViewer(Viewer viewer) {
        if (!viewer.seesAllJobs()) {
            values.put("own", viewer.uid());
            bound(
                    "(uid = :own or account = any(:coordinated))",
                    "coordinated",
                    viewer.coordinates().toArray(String[]::new));
        }
    }

    /// @param column one of ours
    private void among(String column, Collection<String> wanted) {
        if (!wanted.isEmpty()) {
            bound("%s = any(:%s)".formatted(column, column), column, wanted.toArray(String[]::new));
        }
    }

    private void bound(String condition, String name, Object value) {
        conditions.add(condition);
        values.put(name, value);
    }

    /// All that may match, by job; the last attempt of each comes first.
    ///
    /// @param each whether more are wanted
    public void each(Predicate<Found> each) {
        var sql =
                "select db_index, record from job where %s order by leader_id, part, job_id, submitted_at desc, attempt desc"
                        .formatted(String.join(" and ", conditions));
        try (var found =
                bind(handle.createQuery(sql))
                        .setFetchSize(FETCHED_AT_ONCE)
                        .map((rows, _) -> {
                            var record = JobRepository.job(rows.getBytes("record"));
                            return new Found(JobKey.of(record), rows.getLong("db_index"), record);
                        })
                        .stream()) {
            for (var next = found.iterator(); next.hasNext(); ) {
                if (!each.test(next.next())) {
                    return;
                }
            }
        }
    }

    private Query bind(Query query) {
        query.bind("cluster", cluster);
        values.forEach((name, value) -> {
            switch (value) {
                case Long[] numbers -> query.bindArray(name, Long.class, (Object[]) numbers);
                case String[] words -> query.bindArray(name, String.class, (Object[]) words);
                case OffsetDateTime time -> query.bind(name, time);
                case Long number -> query.bind(name, number);
                default -> throw new IllegalStateException("no value for SQL: " + value);
            }
        });
        return query;
    }

    /// The steps of these jobs, in the order of their numbers, batch and extern first as `sacct`
    /// shows them.
    public Map<JobKey, List<StepRecord>> steps(Collection<JobKey> jobs) {
        var steps = new HashMap<JobKey, List<StepRecord>>();
        if (jobs.isEmpty()) {
            return steps;
        }
        handle.createQuery(
                        """
                        select step.record
                          from unnest(:ids, :submitted, :attempts) as key (job_id, submitted_at, attempt)
                          join step using (job_id, submitted_at, attempt)
                         where cluster_id = :cluster
                           and submitted_at >= :earliest and submitted_at <= :latest
                         order by case when step_id >= 4294967290 then step_id - 4294967296 else step_id end
                        """)
                .bind("cluster", cluster)
                .bindArray("ids", Long.class, jobs.stream().map(JobKey::jobId).toArray())
                .bindArray(
                        "submitted",
                        OffsetDateTime.class,
                        jobs.stream().map(JobKey::submitted).toArray())
                .bindArray("attempts", Long.class, jobs.stream().map(JobKey::attempt).toArray())
                .bind("earliest", first(jobs))
                .bind("latest", last(jobs))
                .map((rows, _) -> JobRepository.step(rows.getBytes("record")))
                .forEach(step ->
                        steps.computeIfAbsent(JobKey.of(step), _ -> new ArrayList<>()).add(step));
        return steps;
    }

    private static OffsetDateTime first(Collection<JobKey> jobs) {
        return jobs.stream().map(JobKey::submitted).min(OffsetDateTime::compareTo).orElseThrow();
    }

    private static OffsetDateTime last(Collection<JobKey> jobs) {
        return jobs.stream().map(JobKey::submitted).max(OffsetDateTime::compareTo).orElseThrow();
    }
}
