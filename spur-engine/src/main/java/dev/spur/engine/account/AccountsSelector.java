package dev.spur.engine.account;

import dev.spur.model.Role;
import java.util.List;

/// Which of them. Empty lists do not restrict.
///
/// @param names of what is asked for: accounts, users, QOS, wckeys
public record AccountsSelector(
        List<String> names,
        List<String> accounts,
        List<String> users,
        List<String> partitions,
        List<Integer> associations,
        List<String> parents,
        List<String> defaultAccounts,
        List<Role> adminLevels) {
    public AccountsSelector {
        names = List.copyOf(names);
        accounts = List.copyOf(accounts);
        users = List.copyOf(users);
        partitions = List.copyOf(partitions);
        associations = List.copyOf(associations);
        parents = List.copyOf(parents);
        defaultAccounts = List.copyOf(defaultAccounts);
        adminLevels = List.copyOf(adminLevels);
    }

    public static AccountsSelector named(String... names) {
        return new AccountsSelector(
                List.of(names),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    public AccountsSelector ofAccounts(String... others) {
        return new AccountsSelector(
                names,
                List.of(others),
                users,
                partitions,
                associations,
                parents,
                defaultAccounts,
                adminLevels);
    }

    public AccountsSelector ofUsers(String... others) {
        return new AccountsSelector(
                names,
                accounts,
                List.of(others),
                partitions,
                associations,
                parents,
                defaultAccounts,
                adminLevels);
    }

    /// Whether it means everything there is, which nobody means.
    boolean isEmpty() {
        return size() == 0;
    }

    /// How many words it has.
    int size() {
        return names.size()
                + accounts.size()
                + users.size()
                + partitions.size()
                + associations.size()
                + parents.size()
                + defaultAccounts.size()
                + adminLevels.size();
    }

    static boolean allows(List<?> some, Object one) {
        return some.isEmpty() || some.contains(one);
    }

    /// `name=bio account=physics`, for the record of what was changed.
    String text() {
        var text = new StringBuilder();
        add(text, "name", names);
        add(text, "account", accounts);
        add(text, "user", users);
        add(text, "partition", partitions);
        add(text, "id", associations);
        add(text, "parent", parents);
        add(text, "defaultaccount", defaultAccounts);
        add(text, "adminlevel", adminLevels);
        return text.toString();
    }

    private static void add(StringBuilder text, String key, List<?> values) {
        if (!values.isEmpty()) {
            text.append(text.isEmpty() ? "" : " ").append(key).append('=');
            text.append(String.join(",", values.stream().map(Object::toString).toList()));
        }
    }
}
