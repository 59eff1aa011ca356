package dev.spur.accounting.node;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.amount.TresAmounts;
import dev.spur.api.v1.NodeRecord;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The table `node_event`: intervals in which a node did not serve; at most one of a node is open.
public final class NodeEventRepository {
    private static final int FETCHED_AT_ONCE = 1_000;

    /// @param until {@link Times#NEVER}: it goes on
    public record NodeEvent(
            int cluster,
            String node,
            OffsetDateTime from,
            OffsetDateTime until,
            String state,
            String reason,
            String user,
            TresAmounts tres) {}

    private final Handle handle;

    public NodeEventRepository(Handle handle) {
        this.handle = handle;
    }

    /// Keeps what a record says of a node.
    ///
    /// @return from when on something else is known now, if so
    public @Nullable OffsetDateTime changed(int cluster, OffsetDateTime at, NodeRecord record) {
        var open = open(cluster, record.getName());
        if (record.getServes() || record.getRemoved()) {
            if (open.isEmpty()) {
                return null;
            }
            close(cluster, record.getName(), at);
            return at;
        }
        if (open.filter(known -> saysTheSame(known, record)).isPresent()) {
            return null;
        }
        close(cluster, record.getName(), at);
        insert(cluster, at, record);
        return at;
    }

    private static boolean saysTheSame(NodeEvent known, NodeRecord record) {
        return known.state().equals(record.getState())
                && known.reason().equals(record.getReason())
                && known.user().equals(record.getReasonUser())
                && known.tres().map().equals(record.getTresMap());
    }

    private Optional<NodeEvent> open(int cluster, String node) {
        return handle.createQuery(
                        """
                        select * from node_event
                         where cluster_id = :cluster and node = :node and until_at = 'infinity'
                        """)
                .bind("cluster", cluster)
                .bind("node", node)
                .map((rows, _) -> event(rows))
                .findOne();
    }

    private void close(int cluster, String node, OffsetDateTime at) {
        handle.createUpdate(
                        """
                        update node_event set until_at = greatest(from_at, :at)
                         where cluster_id = :cluster and node = :node and until_at = 'infinity'
                        """)
                .bind("cluster", cluster)
                .bind("node", node)
                .bind("at", at)
                .execute();
    }

    private void insert(int cluster, OffsetDateTime at, NodeRecord record) {
        var tres = TresAmounts.of(record.getTresMap());
        handle.createUpdate(
                        """
                        insert into node_event (cluster_id, node, from_at, state, reason, reason_user, tres, amounts)
                        values (:cluster, :node, :at, :state, :reason, :user, :tres, :amounts)
                            on conflict (cluster_id, node, from_at) do update
                           set until_at = 'infinity', state = excluded.state, reason = excluded.reason,
                               reason_user = excluded.reason_user, tres = excluded.tres, amounts = excluded.amounts
                        """)
                .bind("cluster", cluster)
                .bind("node", record.getName())
                .bind("at", at)
                .bind("state", record.getState())
                .bind("reason", record.getReason())
                .bind("user", record.getReasonUser())
                .bind("tres", tres.tres())
                .bind("amounts", tres.amounts())
                .execute();
    }

    /// Those that lie in the window, as far as they do.
    public void between(
            int cluster, OffsetDateTime from, OffsetDateTime until, Consumer<NodeEvent> each) {
        handle.createQuery(
                        """
                        select * from node_event
                         where cluster_id = :cluster and until_at > :from and from_at < :until
                         order by from_at, node
                        """)
                .bind("cluster", cluster)
                .bind("from", from)
                .bind("until", until)
                .setFetchSize(FETCHED_AT_ONCE)
                .map((rows, _) -> event(rows))
                .forEach(each);
    }

    private static NodeEvent event(java.sql.ResultSet rows) throws java.sql.SQLException {
        return new NodeEvent(
                rows.getInt("cluster_id"),
                rows.getString("node"),
                Times.of(rows, "from_at"),
                Times.of(rows, "until_at"),
                rows.getString("state"),
                rows.getString("reason"),
                rows.getString("reason_user"),
                TresAmounts.of(rows));
    }
}
