package dev.spur.accounting.job;

import dev.spur.accounting.amount.Times;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/// The partitions of `job` and `step`: one for each month in which jobs were submitted, made before
/// the first row comes.
public final class Months {
    private final Jdbi jdbi;
    private final Set<OffsetDateTime> known = ConcurrentHashMap.newKeySet();

    public Months(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    /// In a transaction of its own, beside those who read.
    public void prepare(Collection<OffsetDateTime> times) {
        var missing = new TreeSet<OffsetDateTime>();
        times.forEach(time -> missing.add(Times.month(time)));
        missing.removeAll(known);
        for (var month : missing) {
            jdbi.useTransaction(handle -> create(handle, month));
            known.add(month);
        }
    }

    /// Those that are no more, after a purge.
    public void forget() {
        known.clear();
    }

    private static void create(Handle handle, OffsetDateTime month) {
        handle.createUpdate(
                        "insert into accounting_month (month) values (:month) on conflict do nothing")
                .bind("month", month)
                .execute();
    }

    /// That rows of these months were written: they may be in use without end again.
    static void written(Handle handle, Collection<OffsetDateTime> months) {
        handle.createUpdate(
                        """
                        update accounting_month set in_use_until = 'infinity'
                         where month = any(:months) and in_use_until <> 'infinity'
                        """)
                .bindArray("months", OffsetDateTime.class, months.toArray())
                .execute();
    }

    /// The first month of which something was in use at `from` or later.
    public static OffsetDateTime firstInUse(Handle handle, OffsetDateTime from) {
        return handle.createQuery(
                        """
                        select coalesce(min(month), 'infinity'::timestamptz) from accounting_month
                         where in_use_until >= :from
                        """)
                .bind("from", from)
                .mapTo(OffsetDateTime.class)
                .one();
    }

    /// Looks which months are over: nothing in them goes on, so that questions about later times
    /// need not look there.
    public static void settle(Handle handle, OffsetDateTime now) {
        var open =
                handle.createQuery(
                                """
                                select month from accounting_month
                                 where in_use_until = 'infinity' and month + interval '1 month' < :now
                                """)
                        .bind("now", now)
                        .mapTo(OffsetDateTime.class)
                        .list();
        for (var month : open) {
            handle.createUpdate(
                            """
                            update accounting_month set in_use_until =
                                   coalesce((select max(ended_at) from job
                                              where submitted_at >= :month and submitted_at < :next), '-infinity')
                             where month = :month
                            """)
                    .bind("month", month)
                    .bind("next", month.plusMonths(1))
                    .execute();
        }
    }
}
