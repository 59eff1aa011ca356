package dev.spur.accounting.account;

import dev.spur.accounting.amount.Times;
import dev.spur.api.v1.AccountsChanged;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.ListTransactionsRequest;
import dev.spur.api.v1.Transaction;
import dev.spur.api.v1.UserView;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/// The table `transaction`: who changed accounts, users, associations and QOS.
public final class TransactionRepository {
    private final Handle handle;

    public TransactionRepository(Handle handle) {
        this.handle = handle;
    }

    public void add(int cluster, OffsetDateTime at, AccountsChanged change) {
        handle.createUpdate(
                        """
                        insert into transaction (cluster_id, at, action, actor, selection, info, accounts, users)
                        values (:cluster, :at, :action, :actor, :selection, :info, :accounts, :users)
                        """)
                .bind("cluster", cluster)
                .bind("at", at)
                .bind("action", change.getAction())
                .bind("actor", change.getActor())
                .bind("selection", change.getWhere())
                .bind("info", change.getInfo())
                .bindArray(
                        "accounts",
                        String.class,
                        named(
                                Stream.concat(
                                        change.getAssociationsList().stream()
                                                .map(AssociationView::getAccount),
                                        change.getAccountsList().stream()
                                                .map(account -> account.getName()))))
                .bindArray(
                        "users",
                        String.class,
                        named(
                                Stream.concat(
                                        change.getAssociationsList().stream()
                                                .map(AssociationView::getUser),
                                        change.getUsersList().stream().map(UserView::getName))))
                .execute();
    }

    private static List<String> named(Stream<String> names) {
        return names.filter(name -> !name.isEmpty()).distinct().toList();
    }

    /// Those that a request asks for, the oldest first.
    public void each(ListTransactionsRequest request, Consumer<Transaction> each) {
        handle.createQuery(
                        """
                        select transaction_id, at, action, actor, selection, info, cluster.name as cluster_name
                          from transaction join cluster using (cluster_id)
                         where (cardinality(:actors) = 0 or lower(actor) = any(:actors))
                           and (cardinality(:actions) = 0 or lower(action) = any(:actions))
                           and (cardinality(:accounts) = 0 or accounts && :accounts)
                           and (cardinality(:users) = 0 or users && :users)
                           and (cardinality(:clusters) = 0 or cluster.name = any(:clusters))
                           and at >= :from and at < :until
                         order by transaction_id
                        """)
                .setFetchSize(1_000)
                .bindArray("actors", String.class, lower(request.getActorsList()))
                .bindArray("actions", String.class, lower(request.getActionsList()))
                .bindArray("accounts", String.class, request.getAccountsList())
                .bindArray("users", String.class, request.getUsersList())
                .bindArray("clusters", String.class, request.getClustersList())
                .bind("from", Times.asked(request.getFromMicros()))
                .bind(
                        "until",
                        request.getUntilMicros() == 0
                                ? Times.NEVER
                                : Times.asked(request.getUntilMicros()))
                .map((rows, _) ->
                        Transaction.newBuilder()
                                .setId(rows.getLong("transaction_id"))
                                .setAtMicros(Times.micros(Times.of(rows, "at")))
                                .setAction(rows.getString("action"))
                                .setActor(rows.getString("actor"))
                                .setWhere(rows.getString("selection"))
                                .setInfo(rows.getString("info"))
                                .setCluster(rows.getString("cluster_name"))
                                .build())
                .forEach(each);
    }

    private static List<String> lower(List<String> words) {
        return words.stream().map(word -> word.toLowerCase(java.util.Locale.ROOT)).toList();
    }
}
