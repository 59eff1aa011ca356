package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.AccountView;
import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.QosView;
import dev.spur.api.v1.TresView;
import dev.spur.api.v1.UserView;
import dev.spur.api.v1.WckeyView;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.account.LimitsInForce;
import dev.spur.cli.format.RuledColumn;
import dev.spur.cli.format.RuledTable;
import dev.spur.cli.options.Refusal;
import dev.spur.model.notation.HostAndPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `sacctmgr show`, of what the controllers keep. What spurdbd keeps is in [ShowHistory].
final class Show {
    /// The protocol of the Slurm release that our commands speak like.
    private static final int RELEASE = 9728;

    private final Session session;
    private final Entity entity;
    private final Conditions where;
    private final AccountBook book;

    private record Problem(String account, String user, String text) {}

    private record Coordinator(String account, String user) {}

    private Show(Session session, Entity entity, Conditions where) {
        this.session = session;
        this.entity = entity;
        this.where = where;
        this.book = session.book();
    }

    static int run(Session session, List<String> words) throws IOException, InterruptedException {
        var entity = words.isEmpty() ? null : Entity.find(words.getFirst()).orElse(null);
        if (entity == null) {
            return session.fail(
                    """
                    No valid entity in list command
                    Input line must include "Account", "Association", "Cluster", "Configuration",
                    "Event", "Federation", "Problem", "QOS", "Resource", "Reservation",
                    "RunAwayJobs", "Stats", "Transaction", "TRES", "User", or "WCKey"\
                    """);
        }
        return run(session, entity, words.subList(1, words.size()));
    }

    static int run(Session session, Entity entity, List<String> words)
            throws IOException, InterruptedException {
        var request = Request.of(words);
        if (!request.settings().isEmpty()) {
            throw SettingKeys.unknown(request.settings().getFirst());
        }
        var where = Conditions.of(entity, request.conditions(), true);
        if (where.is("withdeleted")) {
            throw new Refusal(
                    1,
                    " WithDeleted: what was deleted is not kept. Who deleted what tells: sacctmgr show transactions");
        }
        if (session.document().isPresent() && !ShownToPrograms.ENTITIES.contains(entity)) {
            return session.fail(
                    "sacctmgr: error: --json and --yaml are for account, association, cluster, qos,"
                            + " tres, user and wckey");
        }
        return switch (entity) {
            case EVENT, TRANSACTION, RUNAWAY_JOBS, STATS ->
                    new ShowHistory(session, where).show(entity);
            case FEDERATION -> none(session, where, FEDERATIONS);
            case RESOURCE -> none(session, where, RESOURCES);
            case INSTANCE, JOB, RESERVATION -> absent(session, entity);
            case ACCOUNT,
                    ASSOCIATION,
                    CLUSTER,
                    CONFIGURATION,
                    COORDINATOR,
                    PROBLEM,
                    QOS,
                    TRES,
                    USER,
                    WCKEY ->
                    new Show(session, entity, where).show();
        };
    }

    private static final List<RuledColumn<Void>> FEDERATIONS =
            List.of(
                    RuledColumn.text("Federation", 10, (_, _) -> ""),
                    RuledColumn.text("Cluster", 10, (_, _) -> ""),
                    RuledColumn.number("ID", 2, (_, _) -> ""),
                    RuledColumn.text("Features", 20, (_, _) -> ""),
                    RuledColumn.text("FedState", 12, (_, _) -> ""));

    private static final List<RuledColumn<Void>> RESOURCES =
            List.of(
                    RuledColumn.text("Name", 10, (_, _) -> ""),
                    RuledColumn.text("Server", 10, (_, _) -> ""),
                    RuledColumn.text("Type", 8, (_, _) -> ""),
                    RuledColumn.number("Count", 6, (_, _) -> ""),
                    RuledColumn.<Void>number("Allocated", 11, (_, _) -> "").headed("% Allocated"),
                    RuledColumn.text("ServerType", 10, (_, _) -> ""));

    /// There are none here, which is no mistake of whoever asks.
    private static int none(Session session, Conditions where, List<RuledColumn<Void>> columns) {
        var usual = String.join(",", columns.stream().map(RuledColumn::name).toList());
        print(session, where, columns, usual, List.of());
        return 0;
    }

    private static int absent(Session session, Entity entity) {
        return session.fail(
                switch (entity) {
                    case JOB -> " Jobs are shown by sacct.";
                    case RESERVATION -> " Reservations are shown by: scontrol show reservation";
                    default ->
                            " There are no %ss in Spur."
                                    .formatted(entity.name().toLowerCase(Locale.ROOT));
                });
    }

    private int show() {
        var document = session.document();
        if (document.isPresent()) {
            new ShownToPrograms(session, book, where, showsAssociations())
                    .show(entity, document.get());
            return 0;
        }
        switch (entity) {
            case ACCOUNT -> accounts();
            case ASSOCIATION -> associations();
            case CLUSTER -> cluster();
            case CONFIGURATION -> configuration();
            case COORDINATOR -> coordinators();
            case PROBLEM -> problems();
            case QOS ->
                    print(
                            QosColumns.of(book),
                            QosColumns.USUAL,
                            book.qos().stream().filter(qos -> isMeant(where, qos)).toList());
            case TRES -> tres();
            case USER -> users();
            case WCKEY -> wckeys();
            case EVENT,
                    FEDERATION,
                    INSTANCE,
                    JOB,
                    RESERVATION,
                    RESOURCE,
                    RUNAWAY_JOBS,
                    STATS,
                    TRANSACTION ->
                    throw new IllegalStateException(entity.name());
        }
        return 0;
    }

    private boolean showsAssociations() {
        return session.showsAssociations() || where.showsAssociations();
    }

    static boolean isMeant(AccountBook book, Conditions where, AccountView account) {
        return where.mean(account.getName())
                && !where.areOfAnother(book.cluster())
                && where.matchText("description", account.getDescription())
                && where.matchText("organization", account.getOrganization())
                && where.matchText("parent", account.getParent());
    }

    static boolean isMeant(Conditions where, QosView qos) {
        return where.mean(qos.getName()) && where.matchText("description", qos.getDescription());
    }

    static boolean isMeant(Conditions where, TresView one) {
        return where.mean(one.getName())
                && where.matchText("type", one.getType())
                && where.matchText("id", Integer.toUnsignedString(one.getId()));
    }

    static boolean isMeant(AccountBook book, Conditions where, WckeyView one) {
        return where.mean(one.getName())
                && where.matchText("user", one.getUser())
                && !where.areOfAnother(book.cluster());
    }

    private void accounts() {
        var rows = new ArrayList<Line>();
        for (var account : book.accounts().values()) {
            if (!isMeant(book, where, account)) {
                continue;
            }
            var line = Line.of(book, account);
            if (showsAssociations()) {
                book.associations().stream()
                        .filter(one -> one.view().getAccount().equals(account.getName()))
                        .filter(one -> where.match(book, one.view(), Entity.ASSOCIATION))
                        .forEach(one -> rows.add(with(line, one.view(), 0)));
            } else {
                rows.add(line);
            }
        }
        // Slurm has the oldest account, the root, last.
        rows.sort((one, other) ->
                Boolean.compare(
                        one.accountName().equals("root"), other.accountName().equals("root")));
        var usual = new StringBuilder(AssociationColumns.OF_ACCOUNTS);
        if (showsAssociations()) {
            usual.append(",Cluster,ParentName,User,").append(limits(AssociationColumns.OLDER));
        }
        usual.append(where.is("withcoordinators") ? ",Coordinators" : "");
        // Beside accounts Slurm writes out what it shortens elsewhere.
        print(
                AssociationColumns.ALL.stream()
                        .map(column ->
                                column.name().equals("ParentName")
                                        ? column.headed("ParentName")
                                        : column)
                        .toList(),
                usual.toString(),
                rows);
    }

    private String limits(String all) {
        return where.is("wolimits") ? "Share,QOS,DefaultQOS" : all;
    }

    private void users() {
        var rows = new ArrayList<Line>();
        for (var user : book.users().values()) {
            if (!where.match(book, user)) {
                continue;
            }
            var line = Line.of(book, user);
            if (showsAssociations()) {
                book.ofUser(user.getName()).stream()
                        .filter(one -> where.match(book, one, Entity.USER))
                        .forEach(one -> rows.add(with(line, one, 0)));
            } else {
                rows.add(line);
            }
        }
        var usual = new StringBuilder(AssociationColumns.OF_USERS);
        if (showsAssociations()) {
            usual.append(",Cluster,Account,Partition,")
                    .append(limits(AssociationColumns.OLDER_OF_USERS));
        }
        usual.append(where.is("withcoordinators") ? ",Coordinators" : "");
        print(AssociationColumns.ALL, usual.toString(), rows);
    }

    private Line with(Line line, AssociationView one, int indent) {
        AssociationLimits limits =
                where.is("woplimits") ? one.getLimits() : LimitsInForce.of(book, one);
        return line.with(one, limits, !where.is("wopinformation"), indent);
    }

    private void associations() {
        var rows = new ArrayList<Line>();
        for (var one : book.associations()) {
            if (isMeant(book, where, one.view())) {
                var account = book.accounts().get(one.view().getAccount());
                var user = book.users().get(one.view().getUser());
                var line =
                        new Line(
                                book,
                                account == null ? AccountView.getDefaultInstance() : account,
                                user == null ? UserView.getDefaultInstance() : user,
                                one.view(),
                                one.view().getLimits(),
                                true,
                                0);
                rows.add(with(line, one.view(), where.is("tree") ? one.depth() : 0));
            }
        }
        var usual =
                where.is("wolimits") ? AssociationColumns.WITHOUT_LIMITS : AssociationColumns.USUAL;
        print(
                AssociationColumns.ALL,
                // Left-bound and wide, so that the tree is seen.
                where.is("tree") ? usual.replace("Account", "Account%-20") : usual,
                rows);
    }

    /// With `withsubaccounts` also if an account above it is.
    static boolean isMeant(AccountBook book, Conditions where, AssociationView one) {
        if (where.match(book, one, Entity.ASSOCIATION)) {
            return true;
        }
        var above = where.is("withsubaccounts") ? book.above(one) : null;
        return above != null && isMeant(book, where, above);
    }

    private void cluster() {
        var ping = session.controller().call(each -> each.ping(PingRequest.getDefaultInstance()));
        var leader =
                ping.getControllersList().stream()
                        .filter(peer -> peer.getLeader())
                        .map(peer -> peer.getAddress())
                        .findFirst()
                        .orElse("");
        var address =
                leader.isEmpty()
                        ? session.controller().addresses().getFirst()
                        : HostAndPort.parse(leader, HostAndPort.CONTROLLER_PORT);
        var rows = new ArrayList<Line>();
        if (where.mean(book.cluster()) && !where.areOfAnother(book.cluster())) {
            book.associations().stream()
                    .map(AccountBook.Placed::view)
                    .filter(one -> one.getParentId() == 0 && one.getUser().isEmpty())
                    .findFirst()
                    .ifPresent(root ->
                            rows.add(
                                    Line.of(book, AccountView.getDefaultInstance())
                                            .with(root, root.getLimits(), true, 0)));
        }
        print(
                AssociationColumns.ofCluster(address.host(), address.port(), RELEASE),
                AssociationColumns.OF_CLUSTER,
                rows);
    }

    private void tres() {
        List<RuledColumn<TresView>> columns =
                List.of(
                        RuledColumn.text("Type", 8, (one, _) -> one.getType()),
                        RuledColumn.text("Name", 15, (one, _) -> one.getName()),
                        RuledColumn.number(
                                "ID", 6, (one, _) -> Integer.toUnsignedString(one.getId())));
        print(
                columns,
                "Type,Name,ID",
                book.tres().stream().filter(one -> isMeant(where, one)).toList());
    }

    private void wckeys() {
        List<RuledColumn<WckeyView>> columns =
                List.of(
                        RuledColumn.<WckeyView>text(
                                "WCKey",
                                10,
                                (one, _) -> (one.getIsDefault() ? "*" : "") + one.getName()),
                        RuledColumn.text("Cluster", 10, (_, _) -> book.cluster()),
                        RuledColumn.text("User", 10, (one, _) -> one.getUser()),
                        RuledColumn.number(
                                "ID", 6, (one, _) -> Integer.toUnsignedString(one.getId())));
        print(
                columns,
                "WCKey,Cluster,User",
                book.wckeys().stream().filter(one -> isMeant(book, where, one)).toList());
    }

    private void coordinators() {
        var rows = new ArrayList<Coordinator>();
        for (var account : book.accounts().values()) {
            for (var user : account.getCoordinatorsList()) {
                if (where.mean(user) && where.matchText("account", account.getName())) {
                    rows.add(new Coordinator(account.getName(), user));
                }
            }
        }
        List<RuledColumn<Coordinator>> columns =
                List.of(
                        RuledColumn.text("Account", 10, (one, _) -> one.account()),
                        RuledColumn.text("User", 10, (one, _) -> one.user()));
        print(columns, "Account,User", rows);
    }

    /// What is there and does nothing, or cannot do what it is there for.
    private void problems() {
        var rows = new ArrayList<Problem>();
        for (var one : book.associations()) {
            var view = one.view();
            if (view.getUser().isEmpty() && book.below(view).isEmpty()) {
                rows.add(new Problem(view.getAccount(), "", "Account has no users or accounts"));
            }
            if (!view.getUser().isEmpty() && session.in().users().uid(view.getUser()).isEmpty()) {
                rows.add(
                        new Problem(
                                view.getAccount(),
                                view.getUser(),
                                "User does not have a uid here"));
            }
        }
        for (var user : book.users().values()) {
            if (book.ofUser(user.getName()).isEmpty()) {
                rows.add(new Problem("", user.getName(), "User has no associations"));
            }
        }
        List<RuledColumn<Problem>> columns =
                List.of(
                        RuledColumn.text("Cluster", 10, (_, _) -> book.cluster()),
                        RuledColumn.text("Account", 10, (one, _) -> one.account()),
                        RuledColumn.text("User", 10, (one, _) -> one.user()),
                        RuledColumn.text("Problem", 40, (one, _) -> one.text()));
        print(columns, "Cluster,Account,User,Problem", rows);
    }

    private void configuration() {
        var ping = session.controller().call(each -> each.ping(PingRequest.getDefaultInstance()));
        var accounting = ping.getAccountingAddress();
        session.out()
                .println(
                        "Configuration data as of "
                                + session.view().times().text(book.nowMicros(), "Unknown"));
        setting("AccountingStorageEnforce", String.join(",", book.enforced()));
        setting("AccountingStorageHost", accounting.isEmpty() ? "(null)" : accounting);
        setting("ClusterName", book.cluster());
        setting("ControlAddr", String.valueOf(session.controller().addresses()));
    }

    private void setting(String key, String value) {
        session.out()
                .println(SettingsText.padded(key, 25) + "= " + (value.isEmpty() ? "none" : value));
    }

    private <R> void print(List<RuledColumn<R>> columns, String usual, List<R> rows) {
        print(session, where, columns, usual, rows);
    }

    static <R> void print(
            Session session,
            Conditions where,
            List<RuledColumn<R>> columns,
            String usual,
            List<R> rows) {
        var format = where.has("format") ? where.text("format") : usual;
        var chosen =
                RuledTable.choose(
                        columns,
                        format,
                        name -> new Refusal(1, "Unknown field '%s'".formatted(name)));
        new RuledTable<>(chosen, session.style()).print(session.out(), session.view(), rows);
    }
}
