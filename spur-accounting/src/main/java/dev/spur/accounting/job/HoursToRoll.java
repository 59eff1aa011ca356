package dev.spur.accounting.job;

import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/// The table `hour_to_roll`: hours that were summed up and of which something was learned since.
public final class HoursToRoll {
    private final Handle handle;

    public HoursToRoll(Handle handle) {
        this.handle = handle;
    }

    public void add(int cluster, Collection<OffsetDateTime> hours) {
        if (hours.isEmpty()) {
            return;
        }
        handle.createUpdate(
                        """
                        insert into hour_to_roll (cluster_id, hour) select :cluster, unnest(:hours)
                            on conflict do nothing
                        """)
                .bind("cluster", cluster)
                .bindArray("hours", OffsetDateTime.class, hours.toArray())
                .execute();
    }

    public NavigableSet<OffsetDateTime> of(int cluster) {
        return new TreeSet<>(
                handle.createQuery("select hour from hour_to_roll where cluster_id = :cluster")
                        .bind("cluster", cluster)
                        .mapTo(OffsetDateTime.class)
                        .set());
    }

    public void done(int cluster, OffsetDateTime from, OffsetDateTime until) {
        handle.createUpdate(
                        """
                        delete from hour_to_roll
                         where cluster_id = :cluster and hour >= :from and hour < :until
                        """)
                .bind("cluster", cluster)
                .bind("from", from)
                .bind("until", until)
                .execute();
    }
}
