package dev.spur.cli.sacctmgr;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AccountsEntity;
import dev.spur.api.v1.AccountsSelector;
import dev.spur.api.v1.AddAccounts;
import dev.spur.api.v1.AddCoordinators;
import dev.spur.api.v1.AddUsers;
import dev.spur.api.v1.DeleteEntities;
import dev.spur.api.v1.ModifyEntities;
import dev.spur.api.v1.Setting;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.options.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// `sacctmgr load`: makes the accounts and users of a dump, and sets of those that are there what
/// the file says. With `clean` everything that was there goes first.
final class Load {
    private static final int LARGEST_FILE = 64 * 1024 * 1024;

    /// So many changes are one, as many as a request may have: all of them happen or none.
    private static final int AT_ONCE = 1_000;

    private static final Set<String> OF_THE_CLUSTER_ALONE =
            Set.of("classification", "flags", "federation", "fedstate", "features");

    private final AccountBook book;
    private final boolean isClean;
    private final List<AccountsChange> changes = new ArrayList<>();
    private final Set<String> accounts = new HashSet<>();
    private final Set<List<String>> associations = new HashSet<>();
    private final List<String> newAccounts = new ArrayList<>();
    private final List<String> newUsers = new ArrayList<>();
    private final List<String> set = new ArrayList<>();
    private String parent = "root";

    private Load(AccountBook book, boolean isClean) {
        this.book = book;
        this.isClean = isClean;
    }

    static int run(Session session, List<String> words) throws IOException, InterruptedException {
        var where = Conditions.of(Entity.CLUSTER, Request.of(words).conditions(), true);
        var file = where.text("file");
        if (file.isEmpty()) {
            file =
                    words.stream()
                            .filter(word -> !word.contains("=") && !word.equals("clean"))
                            .findFirst()
                            .orElse("");
        }
        if (file.isEmpty()) {
            return session.fail(" No filename specified: sacctmgr load file=FILE");
        }
        var text =
                new String(session.in().files().read(file, LARGEST_FILE), session.in().charset());
        var book = session.book();
        var load = new Load(book, where.is("clean"));
        var number = 0;
        for (var line : text.split("\n", -1)) {
            number++;
            var at = number;
            DumpLine.of(line, at).ifPresent(each -> load.read(each, at));
        }
        return load.commit(session);
    }

    private void read(DumpLine line, int number) {
        switch (line.kind()) {
            case "cluster" -> cluster(line);
            case "parent" -> {
                parent = line.name();
                if (!accounts.contains(parent) && !exists(parent)) {
                    throw new Refusal(
                            1,
                            " line %d: You need to add the parent (%s) first before you can add children to it."
                                    .formatted(number, parent));
                }
            }
            case "account", "project" -> account(line, number);
            case "user" -> user(line, number);
            default ->
                    throw new Refusal(
                            1,
                            " line %d: Misformatted line: %s is neither Cluster, Parent, Account nor User"
                                    .formatted(number, line.kind()));
        }
    }

    private boolean exists(String account) {
        return account.equals("root") || !isClean && book.accounts().containsKey(account);
    }

    /// Another cluster's accounts are as good as ours.
    private void cluster(DumpLine line) {
        clean();
        var options =
                line.options().stream()
                        .filter(word ->
                                !OF_THE_CLUSTER_ALONE.contains(word.key().toLowerCase(Locale.ROOT)))
                        .toList();
        var settings = settings(SettingKeys.ASSOCIATION, options, 0);
        if (!settings.isEmpty()) {
            set.add(" C = " + book.cluster());
            changes.add(
                    modify(
                            AccountsEntity.ACCOUNTS_CLUSTER,
                            AccountsSelector.newBuilder(),
                            settings));
        }
    }

    private void clean() {
        if (!isClean || !changes.isEmpty()) {
            return;
        }
        var doomed =
                book.accounts().keySet().stream().filter(name -> !name.equals("root")).toList();
        if (!doomed.isEmpty()) {
            changes.add(
                    AccountsChange.newBuilder()
                            .setDelete(
                                    DeleteEntities.newBuilder()
                                            .setEntity(AccountsEntity.ACCOUNTS_ACCOUNT)
                                            .setWhere(
                                                    AccountsSelector.newBuilder()
                                                            .addAllNames(doomed)))
                            .build());
        }
    }

    private void account(DumpLine line, int number) {
        var settings = settings(SettingKeys.ACCOUNT, line.options(), number);
        if (exists(line.name()) || !accounts.add(line.name())) {
            if (!settings.isEmpty()) {
                set.add(" A = " + line.name());
                changes.add(
                        modify(
                                AccountsEntity.ACCOUNTS_ACCOUNT,
                                AccountsSelector.newBuilder().addNames(line.name()),
                                settings));
            }
            return;
        }
        newAccounts.add(
                "  A = %-10.10s P = %-10.10s C = %-10.10s"
                        .formatted(line.name(), parent, book.cluster()));
        changes.add(
                AccountsChange.newBuilder()
                        .setAddAccounts(
                                AddAccounts.newBuilder()
                                        .addNames(line.name())
                                        .setParent(parent)
                                        .addAllSettings(settings))
                        .build());
    }

    private void user(DumpLine line, int number) {
        var partition = "";
        var isCoordinator = false;
        var options = new ArrayList<Word>();
        for (var option : line.options()) {
            switch (option.key().toLowerCase(Locale.ROOT)) {
                case "partition" -> partition = option.value().toLowerCase(Locale.ROOT);
                case "coordinator" -> isCoordinator = true;
                // Keys come with the default one.
                case "wckeys" -> {}
                default -> options.add(option);
            }
        }
        var settings = settings(SettingKeys.USER, options, number);
        var key = List.of(parent, line.name(), partition);
        var isThere = !isClean && book.find(parent, line.name(), partition).isPresent();
        if (isThere || !associations.add(key)) {
            modifyUser(line.name(), partition, settings);
        } else {
            addUser(line.name(), partition, settings);
        }
        if (isCoordinator) {
            changes.add(
                    AccountsChange.newBuilder()
                            .setAddCoordinators(
                                    AddCoordinators.newBuilder()
                                            .addAccounts(parent)
                                            .addUsers(line.name()))
                            .build());
        }
    }

    private void modifyUser(String name, String partition, List<Setting> settings) {
        if (settings.isEmpty()) {
            return;
        }
        set.add(" U = %s A = %s".formatted(name, parent));
        var where = AccountsSelector.newBuilder().addNames(name).addAccounts(parent);
        if (!partition.isEmpty()) {
            where.addPartitions(partition);
        }
        changes.add(modify(AccountsEntity.ACCOUNTS_USER, where, settings));
    }

    /// The default account may stand below the first account that a user is in: it is chosen when
    /// he is in it.
    private void addUser(String name, String partition, List<Setting> settings) {
        newUsers.add(
                "  U = %-9.9s A = %-10.10s C = %-10.10s".formatted(name, parent, book.cluster()));
        var usual =
                settings.stream()
                        .filter(setting -> setting.getKey().equals("defaultaccount"))
                        .toList();
        var rest = new ArrayList<>(settings);
        rest.removeAll(usual);
        var add = AddUsers.newBuilder().addNames(name).addAccounts(parent).addAllSettings(rest);
        if (!partition.isEmpty()) {
            add.addPartitions(partition);
        }
        changes.add(AccountsChange.newBuilder().setAddUsers(add).build());
        if (usual.stream().anyMatch(one -> one.getValue().equalsIgnoreCase(parent))) {
            changes.add(
                    modify(
                            AccountsEntity.ACCOUNTS_USER,
                            AccountsSelector.newBuilder().addNames(name),
                            usual));
        }
    }

    private static AccountsChange modify(
            AccountsEntity entity, AccountsSelector.Builder where, List<Setting> settings) {
        return AccountsChange.newBuilder()
                .setModify(
                        ModifyEntities.newBuilder()
                                .setEntity(entity)
                                .setWhere(where)
                                .addAllSet(settings))
                .build();
    }

    private static List<Setting> settings(Keys keys, List<Word> words, int number) {
        var settings = new ArrayList<Setting>();
        for (var word : words) {
            var key =
                    keys.find(word.key())
                            .orElseThrow(() ->
                                    new Refusal(
                                            1,
                                            " line %d: Unknown option: %s"
                                                    .formatted(number, word.key())));
            if (!word.value().isEmpty()) {
                settings.add(setting(key.name(), word.value()));
            }
        }
        return settings;
    }

    /// Slurm marks each QOS of a list with a plus.
    private static Setting setting(String key, String value) {
        var isList = key.equals("qos") && value.startsWith("+");
        return Setting.newBuilder()
                .setKey(key)
                .setOperator(isList ? "+=" : "=")
                .setValue(isList ? value.replace("+", "") : value)
                .build();
    }

    private int commit(Session session) throws IOException, InterruptedException {
        if (changes.isEmpty()) {
            return session.nothing(" Nothing new added.");
        }
        session.out().println("For cluster " + book.cluster());
        list(session, " Accounts", newAccounts);
        list(session, " Users", newUsers);
        list(session, " Settings of what is there", set);
        if (!session.agrees(Add.COMMIT)) {
            session.out().println(" Changes Discarded");
            return 0;
        }
        for (var from = 0; from < changes.size(); from += AT_ONCE) {
            var until = Math.min(changes.size(), from + AT_ONCE);
            try {
                session.change(changes.subList(from, until), from == 0 ? book.revision() : 0);
            } catch (ControllerException e) {
                return session.fail(
                        " Problem loading: %s%s"
                                .formatted(
                                        e.getMessage(),
                                        from == 0
                                                ? "\n Nothing was changed."
                                                : "\n The first %d of %d changes have happened; load again once this is mended."
                                                        .formatted(from, changes.size())));
            }
        }
        return 0;
    }

    private static void list(Session session, String heading, List<String> lines) {
        if (!lines.isEmpty()) {
            session.out().println(heading).println(String.join("\n", lines));
        }
    }
}
