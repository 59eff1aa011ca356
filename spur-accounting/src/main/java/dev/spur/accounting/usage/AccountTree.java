package dev.spur.accounting.usage;

import dev.spur.accounting.account.AccountRepository.Association;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which account is below which. One of which nothing is known is below the root.
final class AccountTree {
    static final String ROOT = "root";

    private final Map<String, String> parents = new HashMap<>();

    AccountTree(List<Association> associations) {
        for (var each : associations) {
            if (each.user().isEmpty() && !each.account().equals(ROOT)) {
                parents.put(
                        each.account(),
                        each.parentAccount().isEmpty() ? ROOT : each.parentAccount());
            }
        }
    }

    /// Empty for the root.
    String parent(String account) {
        return account.equals(ROOT) ? "" : parents.getOrDefault(account, ROOT);
    }

    int depth(String account) {
        return upwards(account).size() - 1;
    }

    /// The account, what it is below of, and so on to the root.
    Set<String> upwards(String account) {
        var path = new LinkedHashSet<String>();
        for (var each = account; !each.isEmpty() && path.add(each); ) {
            each = parent(each);
        }
        return path;
    }

    boolean isBelow(String account, Collection<String> some) {
        return upwards(account).stream().anyMatch(some::contains);
    }

    /// Parents before their children, children by name.
    List<String> inOrder(Collection<String> accounts) {
        return accounts.stream().sorted(Comparator.comparing(this::path)).toList();
    }

    private String path(String account) {
        return String.join("\0", List.copyOf(upwards(account)).reversed()) + "\0";
    }
}
