package dev.spur.accounting.cluster;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.amount.TresAmounts;
import dev.spur.api.v1.ClusterRecord;
import dev.spur.api.v1.TresView;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The tables `cluster`, `tres` and `capacity`.
public final class ClusterRepository {
    /// @param rolledUntil the hours before are summed up; null: none is
    /// @param rawFrom of the hours before, what they were summed up from is purged; null: of none
    public record Cluster(
            int id,
            String name,
            String identity,
            Position position,
            @Nullable OffsetDateTime storedUntil,
            @Nullable OffsetDateTime rolledUntil,
            @Nullable OffsetDateTime rawFrom) {}

    /// What a cluster had in some time.
    public record Capacity(
            OffsetDateTime from, OffsetDateTime until, String nodes, TresAmounts tres) {}

    private static final Logger LOG = LoggerFactory.getLogger(ClusterRepository.class);

    private final Handle handle;

    public ClusterRepository(Handle handle) {
        this.handle = handle;
    }

    /// The cluster, held until the transaction ends: who stores records and who sums them up take
    /// turns.
    public Cluster hold(String name) {
        if (handle.createQuery("select 1 from cluster where name = :name")
                .bind("name", name)
                .mapTo(Integer.class)
                .findOne()
                .isEmpty()) {
            handle.createUpdate(
                            "insert into cluster (name) values (:name) on conflict (name) do nothing")
                    .bind("name", name)
                    .execute();
        }
        return handle.createQuery("select * from cluster where name = :name for update")
                .bind("name", name)
                .map(ClusterRepository::cluster)
                .one();
    }

    /// The cluster of this identity. What another one of the same name left is kept under another
    /// name.
    ///
    /// @param identity empty: whichever has the name
    public Cluster hold(String name, String identity) {
        var named = hold(name);
        if (identity.isEmpty() || named.identity().equals(identity)) {
            return named;
        }
        var same =
                handle.createQuery("select * from cluster where identity = :identity for update")
                        .bind("identity", identity)
                        .map(ClusterRepository::cluster)
                        .findOne();
        if (same.isPresent()) {
            return same.get();
        }
        if (!named.identity().isEmpty()) {
            rename(named);
        }
        handle.createUpdate("update cluster set identity = :identity where cluster_id = :cluster")
                .bind("identity", identity)
                .bind("cluster", hold(name).id())
                .execute();
        return hold(name);
    }

    /// By the day of its last record.
    private void rename(Cluster former) {
        var day = former.storedUntil() == null ? "before" : former.storedUntil().toLocalDate();
        var name = "%s-%s".formatted(former.name(), day);
        for (var i = 2; named(name).isPresent(); i++) {
            name = "%s-%s-%d".formatted(former.name(), day, i);
        }
        LOG.atWarn()
                .addKeyValue("cluster", former.name())
                .addKeyValue("formerIsNow", name)
                .log(
                        "another cluster of this name tells its records; the former one is kept apart");
        handle.createUpdate("update cluster set name = :name where cluster_id = :cluster")
                .bind("name", name)
                .bind("cluster", former.id())
                .execute();
    }

    /// The same of one that is there.
    public Cluster hold(int cluster) {
        return handle.createQuery("select * from cluster where cluster_id = :cluster for update")
                .bind("cluster", cluster)
                .map(ClusterRepository::cluster)
                .one();
    }

    public List<Cluster> all() {
        return handle.createQuery("select * from cluster order by name")
                .map(ClusterRepository::cluster)
                .list();
    }

    public Optional<Cluster> named(String name) {
        return handle.createQuery("select * from cluster where name = :name")
                .bind("name", name)
                .map(ClusterRepository::cluster)
                .findOne();
    }

    public void stored(int cluster, Position position, OffsetDateTime until, boolean gap) {
        handle.createUpdate(
                        """
                        update cluster
                           set last_entry = :entry, last_ordinal = :ordinal, stored_until = :until, gaps = gaps + :gaps
                         where cluster_id = :cluster
                        """)
                .bind("cluster", cluster)
                .bind("entry", position.entry())
                .bind("ordinal", position.ordinal())
                .bind("until", until)
                .bind("gaps", gap ? 1 : 0)
                .execute();
    }

    public void rolled(int cluster, OffsetDateTime until) {
        handle.createUpdate("update cluster set rolled_until = :until where cluster_id = :cluster")
                .bind("cluster", cluster)
                .bind("until", until)
                .execute();
    }

    /// What there was before is purged.
    public void purged(int cluster, OffsetDateTime before) {
        handle.createUpdate(
                        "update cluster set raw_from = greatest(raw_from, :before) where cluster_id = :cluster")
                .bind("cluster", cluster)
                .bind("before", before)
                .execute();
    }

    /// What the cluster has from now on.
    public void has(int cluster, OffsetDateTime from, ClusterRecord record) {
        handle.createUpdate(
                        "update cluster set control_host = :host, control_port = :port where cluster_id = :cluster")
                .bind("cluster", cluster)
                .bind("host", record.getControlHost())
                .bind("port", record.getControlPort())
                .execute();
        knows(cluster, record.getRegistryList());
        handle.createUpdate(
                        """
                        update capacity set until_at = :from
                         where cluster_id = :cluster and until_at = 'infinity' and from_at < :from
                        """)
                .bind("cluster", cluster)
                .bind("from", from)
                .execute();
        var tres = TresAmounts.of(record.getTresMap());
        handle.createUpdate(
                        """
                        insert into capacity (cluster_id, from_at, nodes, tres, amounts)
                        values (:cluster, :from, :nodes, :tres, :amounts)
                            on conflict (cluster_id, from_at) do update
                           set nodes = excluded.nodes, tres = excluded.tres, amounts = excluded.amounts
                        """)
                .bind("cluster", cluster)
                .bind("from", from)
                .bind("nodes", record.getNodes())
                .bind("tres", tres.tres())
                .bind("amounts", tres.amounts())
                .execute();
    }

    private void knows(int cluster, List<TresView> registry) {
        if (registry.isEmpty()) {
            return;
        }
        var batch =
                handle.prepareBatch(
                        """
                        insert into tres (cluster_id, tres_id, type, name) values (:cluster, :id, :type, :name)
                            on conflict (cluster_id, tres_id) do update set type = excluded.type, name = excluded.name
                        """);
        registry.forEach(tres ->
                batch.bind("cluster", cluster)
                        .bind("id", tres.getId())
                        .bind("type", tres.getType())
                        .bind("name", tres.getName())
                        .add());
        batch.execute();
    }

    public List<TresView> registry(int cluster) {
        return handle.createQuery(
                        "select tres_id, type, name from tres where cluster_id = :cluster order by tres_id")
                .bind("cluster", cluster)
                .map((rows, _) ->
                        TresView.newBuilder()
                                .setId(rows.getInt("tres_id"))
                                .setType(rows.getString("type"))
                                .setName(rows.getString("name"))
                                .build())
                .list();
    }

    /// What the cluster had, as far as it lies in the window.
    public List<Capacity> capacities(int cluster, OffsetDateTime from, OffsetDateTime until) {
        return handle.createQuery(
                        """
                        select from_at, until_at, nodes, tres, amounts from capacity
                         where cluster_id = :cluster and from_at < :until and until_at > :from
                         order by from_at
                        """)
                .bind("cluster", cluster)
                .bind("from", from)
                .bind("until", until)
                .map((rows, _) ->
                        new Capacity(
                                Times.of(rows, "from_at"),
                                Times.of(rows, "until_at"),
                                rows.getString("nodes"),
                                TresAmounts.of(rows)))
                .list();
    }

    private static Cluster cluster(ResultSet rows, StatementContext context) throws SQLException {
        return new Cluster(
                rows.getInt("cluster_id"),
                rows.getString("name"),
                rows.getString("identity"),
                new Position(rows.getLong("last_entry"), rows.getLong("last_ordinal")),
                rows.getObject("stored_until", OffsetDateTime.class),
                rows.getObject("rolled_until", OffsetDateTime.class),
                rows.getObject("raw_from", OffsetDateTime.class));
    }
}
