package dev.spur.accounting.archive;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.job.Months;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Removes what is older than it is kept. Jobs and steps that have not ended are never old; what
/// was summed up stays when its jobs go.
public final class Purge {
    private static final Logger LOG = LoggerFactory.getLogger(Purge.class);

    /// In one transaction, so that nobody waits long.
    private static final int AT_ONCE = 5_000;

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
            case JOB -> {
                var rows = dropMonths(before);
                for (var statement :
                        List.of(
                                """
                                delete from step where (tableoid, ctid) in
                                    (select step.tableoid, step.ctid from step join job using (cluster_id, job_id, submitted_at, attempt)
                                      where ended_at < :before limit :most)
                                """,
                                "delete from job where (tableoid, ctid) in (select tableoid, ctid from job where ended_at < :before limit :most)",
                                """
                                delete from suspension where ctid in
                                    (select pause.ctid from suspension pause
                                      where until_at < :before
                                        and not exists (select 1 from job
                                                         where job.cluster_id = pause.cluster_id and job.job_id = pause.job_id
                                                           and job.submitted_at = pause.submitted_at
                                                           and job.attempt = pause.attempt)
                                      limit :most)
                                """,
                                """
                                delete from stored_file where sha256 in
                                    (select sha256 from stored_file
                                      where stored_at < :before
                                        and not exists (select 1 from job where job.script = sha256)
                                        and not exists (select 1 from job where job.environment = sha256)
                                      limit :most)
                                """)) {
                    rows += inParts(statement, before);
                }
                yield rows;
            }
            case STEP ->
                    inParts(
                            """
                            delete from step where (tableoid, ctid) in
                                (select step.tableoid, step.ctid
                                   from step join job using (cluster_id, job_id, submitted_at, attempt)
                                  where ended_at < :before limit :most)
                            """,
                            before);
            case EVENT ->
                    inParts(
                            "delete from node_event where ctid in (select ctid from node_event where until_at < :before limit :most)",
                            before);
            case RESV ->
                    inParts(
                            "delete from reservation where ctid in (select ctid from reservation where until_at < :before limit :most)",
                            before);
            case TXN ->
                    inParts(
                            "delete from transaction where ctid in (select ctid from transaction where at < :before limit :most)",
                            before);
            case USAGE ->
                    inParts(
                                    "delete from usage where ctid in (select ctid from usage where from_at < :before limit :most)",
                                    before)
                            + inParts(
                                    "delete from cluster_usage where ctid in (select ctid from cluster_usage where from_at < :before limit :most)",
                                    before);
        };
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
            rows +=
                    jdbi.inTransaction(handle -> {
                        handle.execute("set local statement_timeout = '10min'");
                        return handle.createUpdate(
                                        "delete from accounting_month where month = :month and in_use_until < :before")
                                .bind("month", month)
                                .bind("before", before)
                                .execute();
                    });
        }
        if (!old.isEmpty()) {
            months.forget();
        }
        return rows;
    }

    private long inParts(String statement, OffsetDateTime before) {
        var all = 0L;
        while (true) {
            var rows =
                    jdbi.inTransaction(handle ->
                            handle.createUpdate(statement)
                                    .bind("before", before)
                                    .bind("most", AT_ONCE)
                                    .execute());
            all += rows;
            if (rows < AT_ONCE) {
                return all;
            }
        }
    }
}
