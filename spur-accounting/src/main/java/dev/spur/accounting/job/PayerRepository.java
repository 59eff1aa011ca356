package dev.spur.accounting.job;

import dev.spur.api.v1.JobRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/// The tables `payer` and `user_uid`. What was committed once is remembered; what a transaction
/// adds counts only when it is committed.
public final class PayerRepository {
    private record Payer(long association, String account, String user, String wckey) {}

    private record KnownUser(String name, long uid) {}

    /// Users choose wckeys as they like.
    private static final int MOST_REMEMBERED = 100_000;

    private final Map<Payer, Integer> payers = new HashMap<>();
    private final Set<KnownUser> users = new HashSet<>();

    /// What is known after the transaction, if it is committed.
    public final class Pending {
        private final Handle handle;
        private final int cluster;
        private final Map<Payer, Integer> newPayers = new HashMap<>();
        private final Set<KnownUser> newUsers = new HashSet<>();

        private Pending(Handle handle, int cluster) {
            this.handle = handle;
            this.cluster = cluster;
        }

        public int of(JobRecord job) {
            var user = new KnownUser(job.getUserName(), Integer.toUnsignedLong(job.getUid()));
            if (!users.contains(user) && newUsers.add(user)) {
                handle.createUpdate(
                                """
                                insert into user_uid (cluster_id, user_name, uid) values (:cluster, :name, :uid)
                                    on conflict do nothing
                                """)
                        .bind("cluster", cluster)
                        .bind("name", user.name())
                        .bind("uid", user.uid())
                        .execute();
            }
            var payer =
                    new Payer(
                            Integer.toUnsignedLong(job.getAssociationId()),
                            job.getAccount(),
                            job.getUserName(),
                            job.getWckey());
            var known = payers.get(payer);
            return known != null ? known : newPayers.computeIfAbsent(payer, this::number);
        }

        private int number(Payer payer) {
            return handle.createQuery(
                            """
                            insert into payer (cluster_id, association_id, account, user_name, wckey)
                            values (:cluster, :association, :account, :user, :wckey)
                                on conflict (cluster_id, association_id, account, user_name, wckey) do update
                               set wckey = excluded.wckey
                            returning payer_id
                            """)
                    .bind("cluster", cluster)
                    .bind("association", payer.association())
                    .bind("account", payer.account())
                    .bind("user", payer.user())
                    .bind("wckey", payer.wckey())
                    .mapTo(Integer.class)
                    .one();
        }

        public void committed() {
            if (payers.size() > MOST_REMEMBERED || users.size() > MOST_REMEMBERED) {
                payers.clear();
                users.clear();
            }
            payers.putAll(newPayers);
            users.addAll(newUsers);
        }
    }

    /// To be used by one thread, for one cluster.
    public Pending in(Handle handle, int cluster) {
        return new Pending(handle, cluster);
    }
}
