package dev.spur.cli.sacctmgr;

import static dev.spur.cli.sacctmgr.Keys.key;

import dev.spur.api.v1.AccountsSelector;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.UserView;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.options.Refusal;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Which of them: the words behind `where`. What is not named does not restrict; a name that is
/// empty stands for none (`user=` means the associations of accounts).
final class Conditions {
    private static final List<String> FLAGS =
            List.of(
                    "onlydefaults",
                    "tree",
                    "withassociations",
                    "withassoc",
                    "withclusters",
                    "withcoordinators",
                    "withdeleted",
                    "withfed",
                    "withrawqoslevel",
                    "withsubaccounts",
                    "wolimits",
                    "wopinformation",
                    "woplimits",
                    "clean");

    /// What only a listing can look for.
    private static final Set<String> FOR_LISTINGS =
            Set.of("description", "organization", "qos", "defaultqos", "flags", "type");

    private static final List<Keys.Key> OF_ALL =
            List.of(
                    key("", "cluster", "clusters"),
                    key("", "format"),
                    key("", "partition", "partitions"),
                    key("", "parent", "parents"),
                    key("", "description"),
                    key("", "organization"),
                    key("", "adminlevel"),
                    key("", "defaultaccount"),
                    key("", "defaultqos"),
                    key("", "id", "ids", "associations"),
                    key("", "qos", "qoslevel"),
                    key("", "type"),
                    key("", "flags"),
                    key("", "start"),
                    key("", "end"),
                    key("", "action", "actions"),
                    key("", "actor", "actors"),
                    key("", "state", "states"),
                    key("", "reason", "reasons"),
                    key("", "nodes", "nodelist"),
                    key("", "event"),
                    key("", "file"),
                    key("", "jobid", "jobs"),
                    key("", "wckeys"));

    private final Map<String, List<String>> values = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();
    private final Set<String> flags = new HashSet<>();

    private Conditions() {}

    static Conditions of(Entity entity, List<Word> words) {
        return of(entity, words, false);
    }

    /// @param isListing whether words alone may say how it shall look, as in `withassoc`
    static Conditions of(Entity entity, List<Word> words, boolean isListing) {
        var keys = keys(entity);
        var conditions = new Conditions();
        for (var word : words) {
            if (!word.operator().equals("=")) {
                throw new Refusal(1, " Unknown condition: " + word.key() + word.operator());
            }
            if (!word.hasKey()) {
                conditions.alone(word.value(), isListing);
                continue;
            }
            var key =
                    keys.find(word.key())
                            .orElseThrow(() ->
                                    new Refusal(
                                            1,
                                            " Unknown condition: %s\n Use keyword 'set' to modify value"
                                                    .formatted(word.key())));
            conditions.texts.put(key.name(), word.value());
            conditions.add(key.name(), word.value());
        }
        return conditions;
    }

    private static Keys keys(Entity entity) {
        var keys = new ArrayList<Keys.Key>();
        switch (entity) {
            case ACCOUNT -> {
                keys.add(key("", "names", "name", "accounts"));
                keys.add(key("", "user", "users"));
            }
            case USER -> {
                keys.add(key("", "names", "name", "users"));
                keys.add(key("", "account", "accounts"));
            }
            case CLUSTER -> keys.add(key("", "names", "name", "cluster", "clusters"));
            case QOS -> keys.add(key("", "names", "name", "qos", "qoslevel"));
            case WCKEY -> {
                keys.add(key("", "names", "name", "wckeys"));
                keys.add(key("", "user", "users"));
            }
            case COORDINATOR -> {
                keys.add(key("", "names", "name", "users"));
                keys.add(key("", "account", "accounts"));
            }
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
                    TRES -> {
                keys.add(key("", "account", "accounts"));
                keys.add(key("", "names", "name"));
                keys.add(key("", "user", "users"));
            }
        }
        keys.addAll(OF_ALL);
        return new Keys(keys);
    }

    private void alone(String text, boolean isListing) {
        var lower = text.toLowerCase(Locale.ROOT);
        if (isListing && lower.length() > 3) {
            for (var flag : FLAGS) {
                if (flag.startsWith(lower)) {
                    flags.add(flag);
                    return;
                }
            }
        }
        add("names", text);
    }

    private void add(String key, String text) {
        var list = values.computeIfAbsent(key, _ -> new ArrayList<>());
        var isExact = key.equals("format") || key.equals("file");
        if (text.isBlank()) {
            list.add("");
        } else {
            split(isExact ? text : text.toLowerCase(Locale.ROOT)).stream()
                    .filter(each -> !list.contains(each))
                    .forEach(list::add);
        }
    }

    private static List<String> split(String text) {
        if (!text.contains("[")) {
            return ListingOptions.split(text);
        }
        try {
            return Hostlist.parse(text).hosts();
        } catch (NotationException e) {
            throw new Refusal(1, " " + e.getMessage());
        }
    }

    List<String> all(String key) {
        return values.getOrDefault(key, List.of());
    }

    /// As it was written.
    String text(String key) {
        return texts.getOrDefault(key, "");
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    boolean is(String flag) {
        return flags.contains(flag);
    }

    boolean showsAssociations() {
        return is("withassociations") || is("withassoc");
    }

    private boolean allows(String key, String one) {
        return !has(key) || all(key).contains(one.toLowerCase(Locale.ROOT));
    }

    /// Whether they name another cluster, where nothing is to be found.
    boolean areOfAnother(String cluster) {
        return has("cluster")
                && !all("cluster").contains(cluster.toLowerCase(Locale.ROOT))
                && !all("cluster").contains("");
    }

    boolean mean(String name) {
        return allows("names", name);
    }

    /// @param ofEntity accounts, users or associations: whose name `names` are
    boolean match(AccountBook book, AssociationView one, Entity ofEntity) {
        var named =
                switch (ofEntity) {
                    case ACCOUNT -> one.getUser().isEmpty() && mean(one.getAccount());
                    case USER -> !one.getUser().isEmpty() && mean(one.getUser());
                    case ASSOCIATION, CLUSTER -> true;
                    case CONFIGURATION,
                            COORDINATOR,
                            EVENT,
                            FEDERATION,
                            INSTANCE,
                            JOB,
                            PROBLEM,
                            QOS,
                            RESERVATION,
                            RESOURCE,
                            RUNAWAY_JOBS,
                            STATS,
                            TRANSACTION,
                            TRES,
                            WCKEY ->
                            false;
                };
        var user = book.users().get(one.getUser());
        return named
                && !areOfAnother(book.cluster())
                && allows("account", one.getAccount())
                && allows("user", one.getUser())
                && allows("partition", one.getPartition())
                && allows("id", Integer.toUnsignedString(one.getId()))
                && allows("parent", one.getParentAccount())
                && allows("defaultqos", one.getDefaultQos())
                && (!has("qos") || one.getQosList().stream().anyMatch(qos -> allows("qos", qos)))
                && (!has("defaultaccount")
                        || user != null && allows("defaultaccount", user.getDefaultAccount()))
                && (!has("adminlevel") || user != null && isOfLevel(user))
                && (!is("onlydefaults") || one.getIsDefault());
    }

    boolean match(AccountBook book, UserView user) {
        return mean(user.getName())
                && !areOfAnother(book.cluster())
                && allows("defaultaccount", user.getDefaultAccount())
                && isOfLevel(user)
                && (!has("account") && !has("partition")
                        || book.ofUser(user.getName()).stream()
                                .anyMatch(one ->
                                        allows("account", one.getAccount())
                                                && allows("partition", one.getPartition())));
    }

    private boolean isOfLevel(UserView user) {
        return !has("adminlevel")
                || all("adminlevel").stream()
                        .anyMatch(level ->
                                !level.isEmpty()
                                        && user.getAdminLevel()
                                                .toLowerCase(Locale.ROOT)
                                                .startsWith(level));
    }

    boolean matchText(String key, String value) {
        return allows(key, value);
    }

    /// Whether associations are meant rather than the users or accounts that have them.
    boolean nameAssociations() {
        return has("account")
                || has("user")
                || has("partition")
                || has("cluster")
                || has("parent")
                || has("id");
    }

    boolean areEmpty() {
        return values.isEmpty();
    }

    /// For the controller.
    AccountsSelector selector() {
        var unknown = values.keySet().stream().filter(FOR_LISTINGS::contains).findFirst();
        if (unknown.isPresent()) {
            throw new Refusal(
                    1,
                    " The condition %s works with show only: name those that are meant"
                            .formatted(unknown.get()));
        }
        var selector =
                AccountsSelector.newBuilder()
                        .addAllNames(all("names"))
                        .addAllAccounts(all("account"))
                        .addAllUsers(all("user"))
                        .addAllPartitions(all("partition"))
                        .addAllParents(all("parent"))
                        .addAllDefaultAccounts(all("defaultaccount"))
                        .addAllAdminLevels(all("adminlevel"));
        for (var id : all("id")) {
            try {
                selector.addAssociationIds(Integer.parseUnsignedInt(id));
            } catch (NumberFormatException _) {
                throw new Refusal(1, " \"%s\" is not the number of an association".formatted(id));
            }
        }
        return selector.build();
    }
}
