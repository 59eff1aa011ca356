package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.WckeyView;
import dev.spur.api.view.AccountTables;
import dev.spur.api.view.EntityTable;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.format.Document;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// `sacctmgr show` with `--json` or `--yaml`: the same that is shown to people, in Slurm's
/// structures.
record ShownToPrograms(
        Session session, AccountBook book, Conditions where, boolean showsAssociations) {
    /// Those for which Slurm has structures.
    static final Set<Entity> ENTITIES =
            EnumSet.of(
                    Entity.ACCOUNT,
                    Entity.ASSOCIATION,
                    Entity.CLUSTER,
                    Entity.QOS,
                    Entity.TRES,
                    Entity.USER,
                    Entity.WCKEY);

    void show(Entity entity, Document document) {
        switch (entity) {
            case ACCOUNT -> list(document, "accounts", AccountTables.ACCOUNTS, accounts());
            case ASSOCIATION ->
                    list(
                            document,
                            "associations",
                            AccountTables.ASSOCIATIONS,
                            book.associations().stream()
                                    .map(AccountBook.Placed::view)
                                    .filter(one -> Show.isMeant(book, where, one))
                                    .toList());
            case CLUSTER -> list(document, "clusters", AccountTables.CLUSTERS, clusters());
            case QOS ->
                    list(
                            document,
                            "qos",
                            AccountTables.QOS,
                            book.qos().stream().filter(one -> Show.isMeant(where, one)).toList());
            case TRES ->
                    list(
                            document,
                            "TRES",
                            AccountTables.TRES,
                            book.tres().stream().filter(one -> Show.isMeant(where, one)).toList());
            case USER -> list(document, "users", AccountTables.USERS, users());
            case WCKEY -> list(document, "wckeys", AccountTables.WCKEYS, wckeys());
            default -> throw new IllegalStateException(entity.name());
        }
    }

    private <M> void list(Document document, String key, EntityTable<M> table, List<M> all) {
        document.list(key, table, all, book.surroundings()).end(book.cluster());
    }

    private List<AccountTables.Account> accounts() {
        return book.accounts().values().stream()
                .filter(one -> Show.isMeant(book, where, one))
                .map(one ->
                        new AccountTables.Account(
                                one,
                                book.associations().stream()
                                        .map(AccountBook.Placed::view)
                                        .filter(each ->
                                                showsAssociations
                                                        && each.getAccount().equals(one.getName()))
                                        .toList()))
                .toList();
    }

    private List<AccountTables.User> users() {
        return book.users().values().stream()
                .filter(one -> where.match(book, one))
                .map(one ->
                        new AccountTables.User(
                                one,
                                showsAssociations ? book.ofUser(one.getName()) : List.of(),
                                List.of()))
                .toList();
    }

    private List<AccountTables.Cluster> clusters() {
        if (!where.mean(book.cluster()) || where.areOfAnother(book.cluster())) {
            return List.of();
        }
        var ping = session.controller().call(each -> each.ping(PingRequest.getDefaultInstance()));
        return List.of(AccountTables.Cluster.of(ping, book.tres()));
    }

    private List<WckeyView> wckeys() {
        return book.wckeys().stream().filter(one -> Show.isMeant(book, where, one)).toList();
    }
}
