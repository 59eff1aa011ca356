package dev.spur.accounting.account;

import dev.spur.api.v1.AccountsChanged;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Handle;

/// The tables `association`, `account`, `known_user` and `qos`: copies of what the controllers
/// keep, with the time in which it was so.
public final class AccountRepository {
    /// An account or a user within one, as it was last.
    public record Association(
            long id, String account, String user, String partition, String parentAccount) {}

    private final Handle handle;
    private final int cluster;

    public AccountRepository(Handle handle, int cluster) {
        this.handle = handle;
        this.cluster = cluster;
    }

    public void changed(OffsetDateTime at, AccountsChanged change) {
        change.getDeletedAssociationsList()
                .forEach(id -> endAssociation(at, Integer.toUnsignedLong(id)));
        for (var association : change.getAssociationsList()) {
            var id = Integer.toUnsignedLong(association.getId());
            endAssociation(at, id);
            handle.createUpdate(
                            """
                            insert into association (cluster_id, association_id, from_at, account, user_name, partition,
                                                     parent_account, record)
                            values (:cluster, :id, :at, :account, :user, :partition, :parent, :record)
                                on conflict (cluster_id, association_id, from_at) do update
                               set until_at = 'infinity', account = excluded.account, user_name = excluded.user_name,
                                   partition = excluded.partition, parent_account = excluded.parent_account,
                                   record = excluded.record
                            """)
                    .bind("cluster", cluster)
                    .bind("id", id)
                    .bind("at", at)
                    .bind("account", association.getAccount())
                    .bind("user", association.getUser())
                    .bind("partition", association.getPartition())
                    .bind("parent", association.getParentAccount())
                    .bind("record", association.toByteArray())
                    .execute();
        }
        for (var account : change.getAccountsList()) {
            end("account", at, account.getName());
            handle.createUpdate(
                            """
                            insert into account (cluster_id, name, from_at, parent, record)
                            values (:cluster, :name, :at, :parent, :record)
                                on conflict (cluster_id, name, from_at) do update
                               set until_at = 'infinity', parent = excluded.parent, record = excluded.record
                            """)
                    .bind("cluster", cluster)
                    .bind("name", account.getName())
                    .bind("at", at)
                    .bind("parent", account.getParent())
                    .bind("record", account.toByteArray())
                    .execute();
        }
        change.getUsersList()
                .forEach(user -> is("known_user", at, user.getName(), user.toByteArray()));
        change.getQosList().forEach(qos -> is("qos", at, qos.getName(), qos.toByteArray()));
    }

    private void endAssociation(OffsetDateTime at, long id) {
        handle.createUpdate(
                        """
                        update association set until_at = :at
                         where cluster_id = :cluster and association_id = :id and until_at = 'infinity' and from_at < :at
                        """)
                .bind("cluster", cluster)
                .bind("id", id)
                .bind("at", at)
                .execute();
    }

    /// @param table one of ours
    private void end(String table, OffsetDateTime at, String name) {
        handle.createUpdate(
                        """
                        update %s set until_at = :at
                         where cluster_id = :cluster and name = :name and until_at = 'infinity' and from_at < :at
                        """
                                .formatted(table))
                .bind("cluster", cluster)
                .bind("name", name)
                .bind("at", at)
                .execute();
    }

    private void is(String table, OffsetDateTime at, String name, byte[] record) {
        end(table, at, name);
        handle.createUpdate(
                        """
                        insert into %s (cluster_id, name, from_at, record) values (:cluster, :name, :at, :record)
                            on conflict (cluster_id, name, from_at) do update
                           set until_at = 'infinity', record = excluded.record
                        """
                                .formatted(table))
                .bind("cluster", cluster)
                .bind("name", name)
                .bind("at", at)
                .bind("record", record)
                .execute();
    }

    /// Each association as it was last before `until`.
    public List<Association> associations(OffsetDateTime until) {
        return handle.createQuery(
                        """
                        select distinct on (association_id) association_id, account, user_name, partition, parent_account
                          from association
                         where cluster_id = :cluster and from_at < :until
                         order by association_id, from_at desc
                        """)
                .bind("cluster", cluster)
                .bind("until", until)
                .map((rows, _) ->
                        new Association(
                                rows.getLong("association_id"),
                                rows.getString("account"),
                                rows.getString("user_name"),
                                rows.getString("partition"),
                                rows.getString("parent_account")))
                .list();
    }
}
