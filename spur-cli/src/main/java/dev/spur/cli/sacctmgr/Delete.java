package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AccountsSelector;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.DeleteEntities;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.options.Refusal;
import java.io.IOException;
import java.util.List;

/// `sacctmgr delete … where …`.
final class Delete {
    private static final String NOTHING = " Nothing deleted";

    private final Entity entity;
    private final Conditions where;

    private Delete(Entity entity, Conditions where) {
        this.entity = entity;
        this.where = where;
    }

    static int run(Session session, List<String> words) throws IOException, InterruptedException {
        var entity = words.isEmpty() ? null : Entity.find(words.getFirst()).orElse(null);
        if (entity == null) {
            return noEntity(session);
        }
        return switch (entity) {
            case ACCOUNT, USER, QOS, COORDINATOR, WCKEY, CLUSTER ->
                    delete(session, entity, Request.of(words.subList(1, words.size())));
            case ASSOCIATION,
                    CONFIGURATION,
                    EVENT,
                    FEDERATION,
                    INSTANCE,
                    JOB,
                    PROBLEM,
                    RESERVATION,
                    RESOURCE,
                    RUNAWAY_JOBS,
                    STATS,
                    TRANSACTION,
                    TRES ->
                    noEntity(session);
        };
    }

    private static int noEntity(Session session) {
        return session.fail(
                """
                No valid entity in delete command
                Input line must include "account", "coordinator", "qos", "user", or "wckey"\
                """);
    }

    private static int delete(Session session, Entity entity, Request request)
            throws IOException, InterruptedException {
        if (!request.settings().isEmpty()) {
            throw SettingKeys.unknown(request.settings().getFirst());
        }
        var where = Conditions.of(entity, request.conditions());
        if (where.areEmpty()) {
            return session.fail(" No conditions given to remove, not executing.");
        }
        where.selector(); // refuses what cannot be said
        return Commit.run(session, NOTHING, new Delete(entity, where)::plan);
    }

    private Commit.Plan plan(AccountBook book) {
        if (where.areOfAnother(book.cluster())) {
            return new Commit.Plan("", List.of());
        }
        return switch (entity) {
            case ACCOUNT -> plan(accounts(book), entity, where.selector());
            case USER -> users(book);
            case QOS ->
                    plan(
                            listed(
                                    " Deleting QOS(s)...",
                                    book.qos().stream()
                                            .map(qos -> qos.getName())
                                            .filter(where::mean)
                                            .toList()),
                            entity,
                            where.selector());
            case COORDINATOR -> plan(coordinators(book), entity, where.selector());
            case WCKEY ->
                    plan(
                            listed(
                                    " Deleting WCKey(s)...",
                                    book.wckeys().stream()
                                            .filter(key ->
                                                    where.mean(key.getName())
                                                            && where.matchText(
                                                                    "user", key.getUser()))
                                            .map(key ->
                                                    "C = %-10s W = %-20s U = %-9s"
                                                            .formatted(
                                                                    book.cluster(),
                                                                    key.getName(),
                                                                    key.getUser()))
                                            .toList()),
                            entity,
                            where.selector());
            case CLUSTER ->
                    throw new Refusal(
                            1,
                            " The cluster %s can't be deleted: it is there as long as its controllers are."
                                    .formatted(book.cluster()));
            case ASSOCIATION,
                    CONFIGURATION,
                    EVENT,
                    FEDERATION,
                    INSTANCE,
                    JOB,
                    PROBLEM,
                    RESERVATION,
                    RESOURCE,
                    RUNAWAY_JOBS,
                    STATS,
                    TRANSACTION,
                    TRES ->
                    throw new IllegalStateException(entity.name());
        };
    }

    private static Commit.Plan plan(String text, Entity entity, AccountsSelector selector) {
        var change = DeleteEntities.newBuilder().setEntity(entity.kept()).setWhere(selector);
        return new Commit.Plan(
                text, List.of(AccountsChange.newBuilder().setDelete(change).build()));
    }

    private static String listed(String heading, List<String> lines) {
        return lines.isEmpty() ? "" : heading + "\n  " + String.join("\n  ", lines) + "\n";
    }

    private String accounts(AccountBook book) {
        return listed(
                " Deleting accounts...",
                book.associations().stream()
                        .map(AccountBook.Placed::view)
                        .filter(one -> where.match(book, one, entity))
                        .map(AssociationView::getAccount)
                        .toList());
    }

    /// From the accounts that were named, or altogether.
    private Commit.Plan users(AccountBook book) {
        if (!where.nameAssociations()) {
            return plan(
                    listed(
                            " Deleting users...",
                            book.users().values().stream()
                                    .filter(user -> where.match(book, user))
                                    .map(user -> user.getName())
                                    .toList()),
                    entity,
                    where.selector());
        }
        var doomed =
                book.associations().stream()
                        .map(AccountBook.Placed::view)
                        .filter(one -> where.match(book, one, entity))
                        .toList();
        var selector = AccountsSelector.newBuilder();
        doomed.forEach(one -> selector.addAssociationIds(one.getId()));
        return plan(
                listed(
                        " Deleting user associations...",
                        doomed.stream().map(one -> line(book, one)).toList()),
                Entity.ASSOCIATION,
                selector.build());
    }

    private static String line(AccountBook book, AssociationView one) {
        return "C = %-10s A = %-10s U = %-9s"
                        .formatted(book.cluster(), one.getAccount(), one.getUser())
                + (one.getPartition().isEmpty() ? "" : " P = " + one.getPartition());
    }

    private String coordinators(AccountBook book) {
        return listed(
                " Removing Coordinators (sub accounts not listed)...",
                book.accounts().values().stream()
                        .filter(account -> where.matchText("account", account.getName()))
                        .flatMap(account ->
                                account.getCoordinatorsList().stream()
                                        .filter(where::mean)
                                        .map(user ->
                                                "A = %-10s U = %-9s"
                                                        .formatted(account.getName(), user)))
                        .toList());
    }
}
