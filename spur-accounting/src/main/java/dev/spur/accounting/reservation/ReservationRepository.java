package dev.spur.accounting.reservation;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.amount.TresAmounts;
import dev.spur.api.v1.ReservationRecord;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jdbi.v3.core.Handle;

/// The table `reservation`. A reservation that was changed while it was in force has a row for each
/// form that it had.
public final class ReservationRepository {
    public record Reserved(
            int cluster,
            long id,
            String name,
            OffsetDateTime from,
            OffsetDateTime until,
            String nodes,
            List<String> flags,
            TresAmounts tres) {
        /// Planned down, not given to anybody.
        public boolean isMaintenance() {
            return flags.stream()
                    .anyMatch(flag -> flag.toUpperCase(Locale.ROOT).startsWith("MAINT"));
        }
    }

    private final Handle handle;

    public ReservationRepository(Handle handle) {
        this.handle = handle;
    }

    /// Keeps what a record says.
    ///
    /// @return from when on something else is known now
    public OffsetDateTime changed(int cluster, OffsetDateTime at, ReservationRecord record) {
        var begin = Times.second(record.getStartMicros());
        var end = Times.second(record.getEndMicros());
        endFormer(cluster, at, record);
        if (record.getDeleted() || !end.isAfter(at)) {
            return at;
        }
        var from = Times.later(begin, at);
        insert(cluster, begin.isAfter(at) ? begin : from, end, record);
        return Times.earlier(from, at);
    }

    /// What was to come is no more; what is in force ends now.
    private void endFormer(int cluster, OffsetDateTime at, ReservationRecord record) {
        for (var change :
                List.of(
                        """
                        delete from reservation
                         where cluster_id = :cluster and reservation_id = :id and name = :name and from_at >= :at
                        """,
                        """
                        update reservation set until_at = :at
                         where cluster_id = :cluster and reservation_id = :id and name = :name and until_at > :at
                        """)) {
            handle.createUpdate(change)
                    .bind("cluster", cluster)
                    .bind("id", Integer.toUnsignedLong(record.getId()))
                    .bind("name", record.getName())
                    .bind("at", at)
                    .execute();
        }
    }

    private void insert(
            int cluster, OffsetDateTime from, OffsetDateTime until, ReservationRecord record) {
        var tres = TresAmounts.of(record.getTresMap());
        handle.createUpdate(
                        """
                        insert into reservation (cluster_id, reservation_id, name, from_at, until_at, nodes, flags, users,
                                                 accounts, tres, amounts)
                        values (:cluster, :id, :name, :from, :until, :nodes, :flags, :users, :accounts, :tres, :amounts)
                        """)
                .bind("cluster", cluster)
                .bind("id", Integer.toUnsignedLong(record.getId()))
                .bind("name", record.getName())
                .bind("from", from)
                .bind("until", until)
                .bind("nodes", record.getNodes())
                .bindArray("flags", String.class, record.getFlagsList())
                .bindArray("users", String.class, record.getUsersList())
                .bindArray("accounts", String.class, record.getAccountsList())
                .bind("tres", tres.tres())
                .bind("amounts", tres.amounts())
                .execute();
    }

    public List<Reserved> between(int cluster, OffsetDateTime from, OffsetDateTime until) {
        return handle.createQuery(
                        """
                        select * from reservation
                         where cluster_id = :cluster and until_at > :from and from_at < :until
                         order by from_at, reservation_id
                        """)
                .bind("cluster", cluster)
                .bind("from", from)
                .bind("until", until)
                .map((rows, _) ->
                        new Reserved(
                                rows.getInt("cluster_id"),
                                rows.getLong("reservation_id"),
                                rows.getString("name"),
                                Times.of(rows, "from_at"),
                                Times.of(rows, "until_at"),
                                rows.getString("nodes"),
                                Arrays.asList((String[]) rows.getArray("flags").getArray()),
                                TresAmounts.of(rows)))
                .list();
    }
}
