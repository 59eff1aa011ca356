package dev.spur.accounting.archive;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.accounting.job.HoursToRoll;
import dev.spur.accounting.job.Months;
import java.sql.SQLException;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Removes what is older than it is kept. Jobs and steps that have not ended are never old; what
/// was summed up stays when its jobs go.
///
/// So nothing goes before it is summed up, and hours of which something is gone are never summed up
/// again: what is learned of them later would count without the rest.
public final class Purge {
    private static final Logger LOG = LoggerFactory.getLogger(Purge.class);

    /// In one transaction, so that nobody waits long.
    private static final int AT_ONCE = 5_000;

    /// PostgreSQL's word for "somebody else has it".
    private static final String LOCKED = "55P03";

    private final Jdbi jdbi;
    private final Months months;
    private final InstantSource clock;

    public Purge(Jdbi jdbi, Months months, InstantSource clock) {
        this.jdbi = jdbi;
        this.months = months;
        this.clock = clock;
    }

    public void run(Retention retention) {
        var now = Times.at(clock.instant());
        for (var kind : Retention.Kind.values()) {
            retention
                    .before(kind, now)
                    .ifPresent(before -> {
                        var rows = remove(kind, before);
                        if (rows > 0) {
                            LOG.atInfo()
                                    .addKeyValue("kind", kind)
                                    .addKeyValue("before", before)
                                    .addKeyValue("rows", rows)
                                    .log("old records removed");
                        }
                    });
        }
    }

    /// @return how many rows went
    public long remove(Retention.Kind kind, OffsetDateTime before) {
        return switch (kind) {
            case JOB -> jobs(before);
            case EVENT -> ofClusters("node_event", before);
            case RESV -> ofClusters("reservation", before);
            case STEP ->
                    inParts(
                            """
                            delete from step where (tableoid, ctid) in
                                (select step.tableoid, step.ctid
                                   from step join job using (cluster_id, job_id, submitted_at, attempt)
                                  where ended_at < :before limit :most)
                            """,
                            before);
            case TXN ->
                    inParts(
                            "delete from transaction where ctid in (select ctid from transaction where at < :before limit :most)",
                            before);
            case USAGE -> usage("usage", before) + usage("cluster_usage", before);
        };
    }

    private long jobs(OffsetDateTime before) {
        var rows = 0L;
        var all = before;
        for (var cluster : clusters()) {
            var summed = summedUp(cluster, before);
            if (summed.isEmpty()) {
                all = OffsetDateTime.MIN;
                continue;
            }
            all = Times.earlier(all, summed.get());
        }
        if (all.isAfter(OffsetDateTime.MIN)) {
            rows += dropMonths(all);
        }
        for (var cluster : clusters()) {
            var summed = summedUp(cluster, before);
            if (summed.isPresent()) {
                rows += jobs(cluster, summed.get());
            }
        }
        return rows
                + inParts(
                        """
                        delete from stored_file where sha256 in
                            (select sha256 from stored_file
                              where stored_at < :before
                                and not exists (select 1 from job where job.script = sha256)
                                and not exists (select 1 from job where job.environment = sha256)
                              limit :most)
                        """,
                        before);
    }

    private long jobs(int cluster, OffsetDateTime before) {
        var rows = 0L;
        for (var statement :
                List.of(
                        """
                        delete from step where (tableoid, ctid) in
                            (select step.tableoid, step.ctid from step join job using (cluster_id, job_id, submitted_at, attempt)
                              where cluster_id = :cluster and ended_at < :before limit :most)
                        """,
                        """
                        delete from job where (tableoid, ctid) in
                            (select tableoid, ctid from job where cluster_id = :cluster and ended_at < :before limit :most)
                        """,
                        """
                        delete from suspension where ctid in
                            (select pause.ctid from suspension pause
                              where cluster_id = :cluster and until_at < :before
                                and not exists (select 1 from job
                                                 where job.cluster_id = pause.cluster_id and job.job_id = pause.job_id
                                                   and job.submitted_at = pause.submitted_at
                                                   and job.attempt = pause.attempt)
                              limit :most)
                        """)) {
            rows += inParts(statement, cluster, before);
        }
        return rows;
    }

    /// @param table one of ours, of intervals
    private long ofClusters(String table, OffsetDateTime before) {
        var rows = 0L;
        for (var cluster : clusters()) {
            var summed = summedUp(cluster, before);
            if (summed.isPresent()) {
                rows +=
                        inParts(
                                """
                                delete from %1$s where ctid in
                                    (select ctid from %1$s where cluster_id = :cluster and until_at < :before limit :most)
                                """
                                        .formatted(table),
                                cluster,
                                summed.get());
            }
        }
        return rows;
    }

    /// Whole hours, days and months, so that a month never lacks a part of its days.
    private long usage(String table, OffsetDateTime before) {
        return inParts(
                """
                delete from %1$s where ctid in
                    (select ctid from %1$s
                      where from_at < :before and from_at + ('1 ' || span)::interval <= :before limit :most)
                """
                        .formatted(table),
                before);
    }

    private List<Integer> clusters() {
        return jdbi.withHandle(handle ->
                new ClusterRepository(handle)
                        .all().stream().map(ClusterRepository.Cluster::id).toList());
    }

    /// Until when records may go: what is summed up is never summed up anew from now on.
    ///
    /// @return empty if nothing is summed up
    private Optional<OffsetDateTime> summedUp(int cluster, OffsetDateTime before) {
        return jdbi.inTransaction(handle -> {
            var clusters = new ClusterRepository(handle);
            var held = clusters.hold(cluster);
            if (held.rolledUntil() == null) {
                return Optional.empty();
            }
            var until = Times.earlier(Times.hour(before), held.rolledUntil());
            var stale = new HoursToRoll(handle).of(cluster);
            if (!stale.isEmpty()) {
                until = Times.earlier(until, stale.first());
            }
            clusters.purged(cluster, until);
            return Optional.of(until);
        });
    }

    /// A month of which all is old goes at once, and its space with it.
    private long dropMonths(OffsetDateTime before) {
        var old =
                jdbi.withHandle(handle ->
                        handle.createQuery(
                                        """
                                        select month from accounting_month
                                         where in_use_until < :before and month + interval '1 month' < :before
                                        """)
                                .bind("before", before)
                                .mapTo(OffsetDateTime.class)
                                .list());
        var rows = 0L;
        for (var month : old) {
            try {
                rows += drop(month, before);
            } catch (UnableToExecuteStatementException e) {
                if (!isLocked(e)) {
                    throw e;
                }
                LOG.atInfo()
                        .addKeyValue("month", month)
                        .log("somebody reads in a month that is to go; it goes next time");
            }
        }
        if (!old.isEmpty()) {
            months.forget();
        }
        return rows;
    }

    private int drop(OffsetDateTime month, OffsetDateTime before) {
        return jdbi.inTransaction(handle -> {
            handle.execute("set local statement_timeout = '10min'");
            // Who waits to drop something makes all wait who come to read.
            handle.execute("set local lock_timeout = '1s'");
            return handle.createUpdate(
                            "delete from accounting_month where month = :month and in_use_until < :before")
                    .bind("month", month)
                    .bind("before", before)
                    .execute();
        });
    }

    private static boolean isLocked(UnableToExecuteStatementException e) {
        return e.getCause() instanceof SQLException why && LOCKED.equals(why.getSQLState());
    }

    private long inParts(String statement, OffsetDateTime before) {
        return inParts(statement, 0, before);
    }

    private long inParts(String statement, int cluster, OffsetDateTime before) {
        var all = 0L;
        while (true) {
            var rows =
                    jdbi.inTransaction(handle -> {
                        // Of ten million jobs the files alone take longer than a question may.
                        handle.execute("set local statement_timeout = '10min'");
                        var update =
                                handle.createUpdate(statement)
                                        .bind("before", before)
                                        .bind("most", AT_ONCE);
                        return (statement.contains(":cluster")
                                        ? update.bind("cluster", cluster)
                                        : update)
                                .execute();
                    });
            all += rows;
            if (rows < AT_ONCE) {
                return all;
            }
        }
    }
}
