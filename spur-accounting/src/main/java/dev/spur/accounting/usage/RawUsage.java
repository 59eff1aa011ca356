package dev.spur.accounting.usage;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.job.Months;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/// Usage straight from jobs, nodes and reservations. All that is summed up comes from here, and a
/// report on times that are not summed up as well: both are the same arithmetic on whole seconds.
final class RawUsage {
    /// A job takes its amounts from its start to its end, except while it is suspended.
    private static final String BY_JOBS =
            """
            select part.payer_id, t.tres_id, part.hour, part.reserved, sum(t.amount * part.seconds)::bigint as seconds
              from (select job.payer_id, job.tres, job.amounts, job.reservation <> '' as reserved, hour,
                           greatest(0, extract(epoch from least(job.ended_at, :until, hour + interval '1 hour')
                                                        - greatest(job.started_at, :from, hour)))::bigint as seconds
                      from job
                     cross join lateral generate_series(date_trunc('hour', greatest(job.started_at, :from)),
                                                        least(job.ended_at, :until) - interval '1 second',
                                                        interval '1 hour') as hour
                     where job.cluster_id = :cluster and job.started_at < :until and job.ended_at > :from
                       and job.submitted_at >= :first and job.submitted_at < :until
                    union all
                    select job.payer_id, job.tres, job.amounts, job.reservation <> '' as reserved, hour,
                           -greatest(0, extract(epoch from least(pause.until_at, job.ended_at, :until, hour + interval '1 hour')
                                                         - greatest(pause.from_at, job.started_at, :from, hour)))::bigint
                      from suspension pause
                      join job using (cluster_id, job_id, submitted_at, attempt)
                     cross join lateral generate_series(date_trunc('hour', greatest(pause.from_at, job.started_at, :from)),
                                                        least(pause.until_at, job.ended_at, :until) - interval '1 second',
                                                        interval '1 hour') as hour
                     where pause.cluster_id = :cluster and pause.from_at < :until and pause.until_at > :from
                       and job.started_at < :until and job.ended_at > :from) as part
             cross join lateral unnest(part.tres, part.amounts) as t (tres_id, amount)
             group by part.payer_id, t.tres_id, part.hour, part.reserved
            """;

    /// What jobs asked for while they were eligible and waited.
    private static final String WAITING =
            """
            select 1 as tres_id, hour,
                   sum(job.waiting_cpus
                       * greatest(0, extract(epoch from least(coalesce(job.started_at, job.ended_at), :until,
                                                              hour + interval '1 hour')
                                                      - greatest(job.eligible_at, :from, hour))))::bigint as seconds
              from job
             cross join lateral generate_series(date_trunc('hour', greatest(job.eligible_at, :from)),
                                                least(coalesce(job.started_at, job.ended_at), :until) - interval '1 second',
                                                interval '1 hour') as hour
             where job.cluster_id = :cluster and job.eligible_at < :until and job.ended_at > :from
               and coalesce(job.started_at, job.ended_at) > :from
               and job.submitted_at >= :first and job.submitted_at < :until
             group by hour
            """;

    /// Of a table whose rows are intervals with amounts.
    private static final String INTERVALS =
            """
            select t.tres_id, hour,
                   sum(t.amount * greatest(0, extract(epoch from least(i.until_at, :until, hour + interval '1 hour')
                                                               - greatest(i.from_at, :from, hour))))::bigint as seconds
              from %s i
             cross join lateral generate_series(date_trunc('hour', greatest(i.from_at, :from)),
                                                least(i.until_at, :until) - interval '1 second',
                                                interval '1 hour') as hour
             cross join lateral unnest(i.tres, i.amounts) as t (tres_id, amount)
             where i.cluster_id = :cluster and i.from_at < :until and i.until_at > :from and %s
             group by t.tres_id, hour
            """;

    private static final String IS_MAINTENANCE = "array_to_string(i.flags, ',') ilike '%maint%'";

    /// Amount times seconds that a payer used of a resource in an hour.
    record Part(int payer, int tres, OffsetDateTime hour, boolean reserved, long seconds) {}

    record Cell(OffsetDateTime hour, int tres) {}

    private final Handle handle;
    private final int cluster;

    RawUsage(Handle handle, int cluster) {
        this.handle = handle;
        this.cluster = cluster;
    }

    List<Part> parts(Window window) {
        return query(BY_JOBS, window)
                .map((rows, _) ->
                        new Part(
                                rows.getInt("payer_id"),
                                rows.getInt("tres_id"),
                                Times.of(rows, "hour"),
                                rows.getBoolean("reserved"),
                                rows.getLong("seconds")))
                .list();
    }

    /// What became of the whole cluster, by hour.
    ///
    /// @param parts what jobs used in the window
    Map<Cell, ClusterTime> cluster(Window window, List<Part> parts) {
        var capacity = intervals("capacity", "true", window);
        var down = intervals("node_event", "true", window);
        var reserved = intervals("reservation", "not " + IS_MAINTENANCE, window);
        var maintenance = intervals("reservation", IS_MAINTENANCE, window);
        var waiting = cells(WAITING, window);
        var allocated = new HashMap<>(reserved);
        var inReservations = new HashMap<Cell, Long>();
        for (var part : parts) {
            var cell = new Cell(part.hour(), part.tres());
            (part.reserved() ? inReservations : allocated).merge(cell, part.seconds(), Long::sum);
        }
        // A reservation counts as a whole; jobs in one that nobody knows count themselves.
        inReservations.forEach((cell, seconds) -> {
            var known = reserved.getOrDefault(cell, 0L) + maintenance.getOrDefault(cell, 0L);
            if (seconds > known) {
                allocated.merge(cell, seconds - known, Long::sum);
            }
        });
        var times =
                new TreeMap<Cell, ClusterTime>(
                        Comparator.comparing(Cell::hour).thenComparing(Cell::tres));
        capacity.forEach((cell, reported) ->
                times.put(
                        cell,
                        ClusterTime.balanced(
                                reported,
                                allocated.getOrDefault(cell, 0L),
                                down.getOrDefault(cell, 0L),
                                maintenance.getOrDefault(cell, 0L),
                                waiting.getOrDefault(cell, 0L))));
        return times;
    }

    /// What jobs of a reservation used in a window, by resource.
    Map<Integer, Long> inReservation(String name, Window window) {
        var used = new HashMap<Integer, Long>();
        handle.createQuery(
                        """
                        select t.tres_id,
                               sum(t.amount * extract(epoch from least(job.ended_at, :until)
                                                                 - greatest(job.started_at, :from))::bigint)::bigint as seconds
                          from job
                         cross join lateral unnest(job.tres, job.amounts) as t (tres_id, amount)
                         where job.cluster_id = :cluster and job.reservation = :name
                           and job.started_at < :until and job.ended_at > :from and job.submitted_at < :until
                         group by t.tres_id
                        """)
                .bind("cluster", cluster)
                .bind("name", name)
                .bind("from", window.from())
                .bind("until", window.until())
                .map((rows, _) -> Map.entry(rows.getInt("tres_id"), rows.getLong("seconds")))
                .forEach(each -> used.put(each.getKey(), each.getValue()));
        return used;
    }

    private Map<Cell, Long> intervals(String table, String condition, Window window) {
        return cells(INTERVALS.formatted(table, condition), window);
    }

    private Map<Cell, Long> cells(String sql, Window window) {
        var cells = new HashMap<Cell, Long>();
        query(sql, window)
                .map((rows, _) ->
                        Map.entry(
                                new Cell(Times.of(rows, "hour"), rows.getInt("tres_id")),
                                rows.getLong("seconds")))
                .forEach(each -> cells.put(each.getKey(), each.getValue()));
        return cells;
    }

    private Query query(String sql, Window window) {
        var query =
                handle.createQuery(sql)
                        .bind("cluster", cluster)
                        .bind("from", window.from())
                        .bind("until", window.until());
        return sql.contains(":first")
                ? query.bind("first", Months.firstInUse(handle, window.from()))
                : query;
    }
}
