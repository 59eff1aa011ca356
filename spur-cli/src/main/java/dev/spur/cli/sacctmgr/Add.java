package dev.spur.cli.sacctmgr;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AddAccounts;
import dev.spur.api.v1.AddCoordinators;
import dev.spur.api.v1.AddQos;
import dev.spur.api.v1.AddUsers;
import dev.spur.api.v1.AddWckeys;
import dev.spur.api.v1.Setting;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.options.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// `sacctmgr add`.
final class Add {
    static final String COMMIT = "Would you like to commit changes?";

    private static final String ROOT = "root";
    private static final String NEW_TO_NOBODY = " Nothing new added.";
    private static final Set<String> PLACES =
            Set.of("cluster", "account", "user", "partition", "wckeys", "names");

    private final Session session;
    private final AccountBook book;

    private Add(Session session, AccountBook book) {
        this.session = session;
        this.book = book;
    }

    static int run(Session session, List<String> words) throws IOException, InterruptedException {
        var entity = words.isEmpty() ? null : Entity.find(words.getFirst()).orElse(null);
        if (entity == null) {
            return noEntity(session);
        }
        var rest = new ArrayList<Word>();
        words.subList(1, words.size()).forEach(text -> rest.add(Word.of(text)));
        return switch (entity) {
            case ACCOUNT -> on(session).accounts(rest);
            case USER -> on(session).users(rest);
            case QOS -> on(session).qos(rest);
            case COORDINATOR -> on(session).coordinators(rest);
            case WCKEY -> on(session).wckeys(rest);
            case CLUSTER -> on(session).clusters(rest);
            case FEDERATION, RESOURCE ->
                    session.fail(
                            " There are no %ss in Spur, so none can be added."
                                    .formatted(entity.name().toLowerCase(Locale.ROOT)));
            case ASSOCIATION,
                    CONFIGURATION,
                    EVENT,
                    INSTANCE,
                    JOB,
                    PROBLEM,
                    RESERVATION,
                    RUNAWAY_JOBS,
                    STATS,
                    TRANSACTION,
                    TRES ->
                    noEntity(session);
        };
    }

    private static Add on(Session session) {
        return new Add(session, session.book());
    }

    private static int noEntity(Session session) {
        return session.fail(
                """
                No valid entity in add command
                Input line must include "account", "coordinator", "qos", "user", or "wckey"\
                """);
    }

    /// The words that say what is added and where, without those that say how.
    private Conditions places(Entity entity, List<Word> words, List<Word> settings) {
        var places = new ArrayList<Word>();
        for (var word : words) {
            (isPlace(entity, word) ? places : settings).add(word);
        }
        var found = Conditions.of(entity, places);
        if (found.areOfAnother(book.cluster())) {
            throw new Refusal(
                    1,
                    " This cluster '%s' doesn't exist.\n        Contact your admin to add it to accounting."
                            .formatted(String.join(",", found.all("cluster"))));
        }
        return found;
    }

    private static boolean isPlace(Entity entity, Word word) {
        if (!word.hasKey() || SettingKeys.of(entity).find(word.key()).isEmpty()) {
            return true;
        }
        var key = word.key().toLowerCase(Locale.ROOT);
        return PLACES.stream().anyMatch(place -> place.equals(key) || (place + "s").equals(key));
    }

    private int accounts(List<Word> words) throws IOException, InterruptedException {
        var how = new ArrayList<Word>();
        var names = places(Entity.ACCOUNT, words, how).all("names");
        if (names.isEmpty()) {
            return session.fail(" Need name of account to add.");
        }
        var settings = new ArrayList<>(SettingKeys.read(SettingKeys.ACCOUNT, how));
        var parent = lower(value(settings, "parent"));
        if (!parent.isEmpty() && !book.accounts().containsKey(parent)) {
            return session.fail(
                    " This parent account '%s' doesn't exist.\n        Contact your admin to add it to accounting."
                            .formatted(parent));
        }
        var added = names.stream().filter(name -> !book.accounts().containsKey(name)).toList();
        if (added.isEmpty()) {
            return session.nothing(NEW_TO_NOBODY);
        }
        var text = new StringBuilder(" Adding Account(s)\n");
        added.forEach(name -> text.append("  ").append(name).append('\n'));
        text.append(" Settings\n  Description     = ")
                .append(or(value(settings, "description"), "Account Name"))
                .append("\n  Organization    = ")
                .append(or(value(settings, "organization"), "Parent/Account Name"))
                .append("\n Associations\n");
        added.forEach(name ->
                text.append("  A = %-10.10s C = %-10.10s\n".formatted(name, book.cluster())));
        // Slurm tells of the parent, too, as soon as it tells of anything.
        if (parent.isEmpty() && !settings.isEmpty()) {
            settings.add(
                    Setting.newBuilder().setKey("parent").setOperator("=").setValue(ROOT).build());
        }
        var limits = SettingsText.ofAssociation(settings);
        text.append(limits.isEmpty() ? "" : " Settings\n" + limits);
        if (value(settings, "organization").isEmpty()
                && !parent.isEmpty()
                && !parent.equals(ROOT)) {
            settings.add(
                    Setting.newBuilder()
                            .setKey("organization")
                            .setOperator("=")
                            .setValue(parent)
                            .build());
        }
        settings.removeIf(setting -> setting.getKey().equals("parent"));
        var change =
                AddAccounts.newBuilder()
                        .addAllNames(added)
                        .setParent(parent)
                        .addAllSettings(settings);
        return commit(
                text.toString(),
                "adding accounts",
                List.of(AccountsChange.newBuilder().setAddAccounts(change).build()));
    }

    private int users(List<Word> words) throws IOException, InterruptedException {
        var how = new ArrayList<Word>();
        var places = places(Entity.USER, words, how);
        if (!places.has("names")) {
            return session.fail(" Need name of user to add.");
        }
        var settings = SettingKeys.read(SettingKeys.USER, how);
        var usual = lower(value(settings, "defaultaccount"));
        var accounts = new ArrayList<>(places.all("account"));
        if (!usual.isEmpty() && !accounts.contains(usual)) {
            accounts.addFirst(usual);
        }
        if (accounts.isEmpty() && !places.has("wckeys")) {
            return session.fail(" Need name of account to add user to.");
        }
        for (var account : accounts) {
            if (!book.accounts().containsKey(account)) {
                return session.fail(
                        " This account '%s' doesn't exist.\n        Contact your admin to add this account.\n No associations or wckeys created."
                                .formatted(account));
            }
        }
        var names = new ArrayList<String>();
        for (var name : places.all("names")) {
            if (isWanted(name)) {
                names.add(name);
            }
        }
        var text = new StringBuilder();
        newUsers(text, names, settings);
        var associations = associations(names, accounts, places.all("partition"));
        if (!associations.isEmpty()) {
            text.append(" Associations =\n").append(associations).append(" Non Default Settings\n");
            text.append(SettingsText.ofAssociation(settings));
        }
        var keys = wckeyLines(names, places.all("wckeys"));
        text.append(keys.isEmpty() ? "" : " WCKeys =\n" + keys);
        if (associations.isEmpty() && keys.isEmpty()) {
            return session.nothing(NEW_TO_NOBODY);
        }
        var changes = new ArrayList<AccountsChange>();
        if (!associations.isEmpty()) {
            changes.add(
                    AccountsChange.newBuilder()
                            .setAddUsers(
                                    AddUsers.newBuilder()
                                            .addAllNames(names)
                                            .addAllAccounts(accounts)
                                            .addAllPartitions(places.all("partition"))
                                            .addAllSettings(settings))
                            .build());
        }
        if (!keys.isEmpty()) {
            changes.add(
                    AccountsChange.newBuilder()
                            .setAddWckeys(
                                    AddWckeys.newBuilder()
                                            .addAllNames(places.all("wckeys"))
                                            .addAllUsers(names))
                            .build());
        }
        return commit(text.toString(), "adding users", changes);
    }

    /// Somebody whom this host does not know may still be known where jobs run.
    private boolean isWanted(String name) throws IOException, InterruptedException {
        return session.isImmediate()
                || book.users().containsKey(name)
                || session.in().users().uid(name).isPresent()
                || session.agrees(
                        " There is no uid for user '%s'\n Are you sure you want to continue?"
                                .formatted(name));
    }

    private void newUsers(StringBuilder text, List<String> names, List<Setting> settings) {
        var unknown = names.stream().filter(name -> !book.users().containsKey(name)).toList();
        if (unknown.isEmpty()) {
            return;
        }
        text.append(" Adding User(s)\n");
        unknown.forEach(name -> text.append("  ").append(name).append('\n'));
        var usual = lower(value(settings, "defaultaccount"));
        var wckey = value(settings, "defaultwckey");
        var level = value(settings, "adminlevel");
        if (usual.isEmpty() && wckey.isEmpty() && level.isEmpty()) {
            return;
        }
        text.append(" Settings =\n");
        text.append(usual.isEmpty() ? "" : "  Default Account = " + usual + "\n");
        text.append(wckey.isEmpty() ? "" : "  Default WCKey   = " + wckey + "\n");
        text.append(level.isEmpty() ? "" : "  Admin Level     = " + level + "\n");
    }

    private String associations(
            List<String> names, List<String> accounts, List<String> partitions) {
        var text = new StringBuilder();
        for (var name : names) {
            for (var account : accounts) {
                for (var partition : partitions.isEmpty() ? List.of("") : partitions) {
                    if (book.find(account, name, partition).isEmpty()) {
                        text.append(
                                "  U = %-9.9s A = %-10.10s C = %-10.10s"
                                        .formatted(name, account, book.cluster()));
                        text.append(
                                partition.isEmpty()
                                        ? "\n"
                                        : " P = %-10.10s\n".formatted(partition));
                    }
                }
            }
        }
        return text.toString();
    }

    private String wckeyLines(List<String> users, List<String> keys) {
        var text = new StringBuilder();
        for (var user : users) {
            for (var key : keys) {
                if (book.wckeys().stream()
                        .noneMatch(
                                one -> one.getName().equals(key) && one.getUser().equals(user))) {
                    text.append(
                            "  U = %-9.9s W = %-10.10s C = %-10.10s\n"
                                    .formatted(user, key, book.cluster()));
                }
            }
        }
        return text.toString();
    }

    private int qos(List<Word> words) throws IOException, InterruptedException {
        var how = new ArrayList<Word>();
        var names = places(Entity.QOS, words, how).all("names");
        if (names.isEmpty()) {
            return session.fail(" Need name of qos to add.");
        }
        var settings = SettingKeys.read(SettingKeys.QOS, how);
        var added = names.stream().filter(name -> book.qos(name).isEmpty()).toList();
        if (added.isEmpty()) {
            return session.nothing(NEW_TO_NOBODY);
        }
        var text = new StringBuilder(" Adding QOS(s)\n");
        added.forEach(name -> text.append("  ").append(name).append('\n'));
        text.append(" Settings\n  Description    = ")
                .append(or(value(settings, "description"), String.join(",", added)))
                .append('\n')
                .append(SettingsText.ofQos(settings));
        return commit(
                text.toString(),
                "adding QOS",
                List.of(
                        AccountsChange.newBuilder()
                                .setAddQos(
                                        AddQos.newBuilder()
                                                .addAllNames(added)
                                                .addAllSettings(settings))
                                .build()));
    }

    private int coordinators(List<Word> words) throws IOException, InterruptedException {
        var how = new ArrayList<Word>();
        var places = places(Entity.COORDINATOR, words, how);
        requireNone(how);
        if (!places.has("names") || !places.has("account")) {
            return session.fail(" Need a user name and an account to add a coordinator.");
        }
        var text = new StringBuilder(" Adding Coordinator User(s)\n");
        places.all("names").forEach(name -> text.append("  ").append(name).append('\n'));
        text.append(" To Account(s) and all sub-accounts\n");
        places.all("account").forEach(name -> text.append("  ").append(name).append('\n'));
        return commit(
                text.toString(),
                "adding coordinator",
                List.of(
                        AccountsChange.newBuilder()
                                .setAddCoordinators(
                                        AddCoordinators.newBuilder()
                                                .addAllAccounts(places.all("account"))
                                                .addAllUsers(places.all("names")))
                                .build()));
    }

    private int wckeys(List<Word> words) throws IOException, InterruptedException {
        var how = new ArrayList<Word>();
        var places = places(Entity.WCKEY, words, how);
        requireNone(how);
        if (!places.has("names") || !places.has("user")) {
            return session.fail(" Need the name of a wckey and a user to add it to.");
        }
        var lines = wckeyLines(places.all("user"), places.all("names"));
        if (lines.isEmpty()) {
            return session.nothing(NEW_TO_NOBODY);
        }
        return commit(
                " WCKeys =\n" + lines,
                "adding wckeys",
                List.of(
                        AccountsChange.newBuilder()
                                .setAddWckeys(
                                        AddWckeys.newBuilder()
                                                .addAllNames(places.all("names"))
                                                .addAllUsers(places.all("user")))
                                .build()));
    }

    /// A cluster adds itself by having controllers.
    private int clusters(List<Word> words) {
        for (var name : Conditions.of(Entity.CLUSTER, words).all("names")) {
            if (!name.equals(book.cluster())) {
                return session.fail(
                        " The cluster %s can't be added: these controllers keep the accounts of %s only."
                                .formatted(name, book.cluster()));
            }
            session.out().println(" This cluster %s already exists.  Not adding.".formatted(name));
        }
        return session.nothing(NEW_TO_NOBODY);
    }

    private static void requireNone(List<Word> how) {
        if (!how.isEmpty()) {
            throw SettingKeys.unknown(how.getFirst());
        }
    }

    private int commit(String preview, String what, List<AccountsChange> changes)
            throws IOException, InterruptedException {
        session.out().print(preview);
        if (!session.agrees(COMMIT)) {
            session.out().println(" Changes Discarded");
            return 0;
        }
        try {
            var affected = session.change(changes, 0).getAffectedCount();
            return affected == 0 ? session.nothing(NEW_TO_NOBODY) : 0;
        } catch (ControllerException e) {
            return session.fail(" Problem %s: %s".formatted(what, e.getMessage()));
        }
    }

    private static String value(List<Setting> settings, String key) {
        return settings.stream()
                .filter(setting -> setting.getKey().equals(key))
                .map(Setting::getValue)
                .reduce("", (_, last) -> last);
    }

    private static String or(String text, String otherwise) {
        return text.isEmpty() ? otherwise : text;
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
