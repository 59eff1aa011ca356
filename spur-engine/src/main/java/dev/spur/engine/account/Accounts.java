package dev.spur.engine.account;

import dev.spur.model.Role;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// All accounts, users, associations and QOS, as they are between two changes: immutable.
public final class Accounts {
    /// The account root with the user root, who may do everything, and the QOS that every cluster
    /// begins with.
    public static final Accounts INITIAL = initial();

    /// How to find an association.
    public record Key(String account, String user, String partition) {
        static Key of(Association association) {
            return new Key(association.account(), association.user(), association.partition());
        }
    }

    private static final Comparator<Association> SIBLINGS =
            Comparator.comparing((Association one) -> !one.isUser())
                    .thenComparing(one -> one.isUser() ? one.user() : one.account())
                    .thenComparing(Association::partition);

    private final SortedMap<String, Account> accounts;
    private final SortedMap<String, User> users;
    private final SortedMap<Integer, Association> associations;
    private final SortedMap<Integer, Qos> qos;
    private final SortedMap<Integer, Wckey> wckeys;
    private final AccountNumbers numbers;
    private final Set<String> coordinators = new HashSet<>();
    private int highestQosPriority;
    private int highestAssociationPriority;

    private final Map<Key, Association> byKey = new HashMap<>();
    private final Map<Role, List<String>> byLevel = new HashMap<>();
    private final Map<String, Qos> qosByName = new HashMap<>();
    private final Map<Integer, List<Association>> children = new HashMap<>();
    private final Map<Integer, Limits> inForce = new HashMap<>();
    private final Map<Integer, List<Association>> groups = new HashMap<>();

    public Accounts(
            Collection<Account> accounts,
            Collection<User> users,
            Collection<Association> associations,
            Collection<Qos> qos,
            Collection<Wckey> wckeys,
            AccountNumbers numbers) {
        var accountsByName = new TreeMap<String, Account>();
        accounts.forEach(account -> accountsByName.put(account.name(), account));
        var usersByName = new TreeMap<String, User>();
        users.forEach(user -> usersByName.put(user.name(), user));
        var associationsById = new TreeMap<Integer, Association>();
        associations.forEach(one -> associationsById.put(one.id(), one));
        var qosById = new TreeMap<Integer, Qos>();
        qos.forEach(one -> qosById.put(one.id(), one));
        var wckeysById = new TreeMap<Integer, Wckey>();
        wckeys.forEach(one -> wckeysById.put(one.id(), one));
        this.accounts = Collections.unmodifiableSortedMap(accountsByName);
        this.users = Collections.unmodifiableSortedMap(usersByName);
        this.associations = Collections.unmodifiableSortedMap(associationsById);
        this.qos = Collections.unmodifiableSortedMap(qosById);
        this.wckeys = Collections.unmodifiableSortedMap(wckeysById);
        this.numbers = numbers;
        index();
    }

    private void index() {
        for (var one : associations.values()) {
            byKey.put(Key.of(one), one);
            if (one.priority() != null) {
                highestAssociationPriority = Math.max(highestAssociationPriority, one.priority());
            }
            if (one.parent() != 0) {
                children.computeIfAbsent(one.parent(), _ -> new ArrayList<>()).add(one);
            }
        }
        children.values().forEach(some -> some.sort(SIBLINGS));
        accounts.values().forEach(account -> coordinators.addAll(account.coordinators()));
        for (var user : users.values()) {
            if (user.adminLevel() != Role.USER) {
                byLevel.computeIfAbsent(user.adminLevel(), _ -> new ArrayList<>()).add(user.name());
            }
        }
        for (var one : qos.values()) {
            qosByName.put(one.name(), one);
            highestQosPriority = Math.max(highestQosPriority, one.priority());
        }
        for (var one : inOrder()) {
            var above = inForce.getOrDefault(one.parent(), Limits.NONE);
            inForce.put(one.id(), one.limits().below(above));
            var groupsAbove = groups.getOrDefault(one.parent(), List.<Association>of());
            if (one.limits().hasGroup()) {
                var all = new ArrayList<Association>();
                all.add(one);
                all.addAll(groupsAbove);
                groups.put(one.id(), all);
            } else {
                groups.put(one.id(), groupsAbove);
            }
        }
    }

    private static Accounts initial() {
        var normal = Qos.of(1, Qos.NORMAL);
        var root =
                Association.of(Association.ROOT, 0, Account.ROOT, "", "")
                        .withQos(List.of(normal.id()));
        var administrator = Association.of(2, root.id(), Account.ROOT, "root", "");
        return new Accounts(
                List.of(new Account(Account.ROOT, "default root account", Account.ROOT, List.of())),
                List.of(new User("root", Account.ROOT, "", Role.ADMIN)),
                List.of(root, administrator),
                List.of(normal),
                List.of(),
                new AccountNumbers(3, 2, 1, 0));
    }

    /// By name.
    public SortedMap<String, Account> accounts() {
        return accounts;
    }

    /// By name.
    public SortedMap<String, User> users() {
        return users;
    }

    /// By number.
    public SortedMap<Integer, Association> associations() {
        return associations;
    }

    /// By number.
    public SortedMap<Integer, Qos> qos() {
        return qos;
    }

    /// By number.
    public SortedMap<Integer, Wckey> wckeys() {
        return wckeys;
    }

    public AccountNumbers numbers() {
        return numbers;
    }

    /// Counts the changes.
    public long revision() {
        return numbers.revision();
    }

    public Optional<Qos> qos(String name) {
        return Optional.ofNullable(qosByName.get(name));
    }

    /// Operators or administrators, by name.
    public List<String> usersOf(Role level) {
        return Collections.unmodifiableList(byLevel.getOrDefault(level, List.of()));
    }

    /// Of the account itself.
    public Optional<Association> association(String account) {
        return Optional.ofNullable(byKey.get(new Key(account, "", "")));
    }

    /// Exactly this one.
    public Optional<Association> association(String account, String user, String partition) {
        return Optional.ofNullable(byKey.get(new Key(account, user, partition)));
    }

    /// The one that counts for a job: the partition's if there is one.
    public Optional<Association> inForce(String account, String user, String partition) {
        var own = byKey.get(new Key(account, user, partition));
        return Optional.ofNullable(own != null ? own : byKey.get(new Key(account, user, "")));
    }

    /// Whether each association is where it is there.
    public boolean isSameTree(Accounts other) {
        if (this == other) {
            return true;
        }
        if (associations.size() != other.associations.size()) {
            return false;
        }
        for (var one : associations.values()) {
            var same = other.associations.get(one.id());
            if (same == null || same.parent() != one.parent()) {
                return false;
            }
        }
        return true;
    }

    /// Users first, then accounts, each by name.
    public List<Association> childrenOf(int association) {
        return Collections.unmodifiableList(children.getOrDefault(association, List.of()));
    }

    /// Parents before children: an account, its users, the accounts below it.
    public List<Association> inOrder() {
        var all = new ArrayList<Association>(associations.size());
        var root = associations.get(Association.ROOT);
        if (root != null) {
            addWithChildren(root, all);
        }
        return all;
    }

    private void addWithChildren(Association one, List<Association> all) {
        all.add(one);
        for (var child : children.getOrDefault(one.id(), List.of())) {
            addWithChildren(child, all);
        }
    }

    /// The association and all above it, itself first.
    public List<Association> chain(int association) {
        var chain = new ArrayList<Association>();
        for (var one = associations.get(association);
                one != null;
                one = associations.get(one.parent())) {
            chain.add(one);
        }
        return chain;
    }

    /// Those of the association itself, and the inherited ones of above where it has none.
    public Limits limitsInForce(int association) {
        return inForce.getOrDefault(association, Limits.NONE);
    }

    /// The association and those above it that have limits for all below together, nearest first.
    public List<Association> groupsOf(int association) {
        return Collections.unmodifiableList(groups.getOrDefault(association, List.of()));
    }

    /// Which QOS its jobs may ask for: its own, or those of the nearest above that has some.
    public List<Integer> qosInForce(int association) {
        for (var one : chain(association)) {
            if (!one.qos().isEmpty()) {
                return one.qos();
            }
        }
        return List.of();
    }

    /// 0: none.
    public int defaultQosInForce(int association) {
        for (var one : chain(association)) {
            if (one.defaultQos() != 0) {
                return one.defaultQos();
            }
        }
        return 0;
    }

    public int highestQosPriority() {
        return highestQosPriority;
    }

    public int highestAssociationPriority() {
        return highestAssociationPriority;
    }

    /// The nearest of the chain that was set; 0 if none was.
    public int priorityInForce(int association) {
        for (var one : chain(association)) {
            if (one.priority() != null) {
                return one.priority();
            }
        }
        return 0;
    }

    /// The accounts that the user manages, with all below them.
    public List<String> coordinatedBy(String user) {
        var all = new LinkedHashSet<String>();
        for (var account : accounts.values()) {
            if (account.coordinators().contains(user)) {
                association(account.name()).ifPresent(one -> addAccounts(one, all));
            }
        }
        return List.copyOf(all);
    }

    private void addAccounts(Association one, LinkedHashSet<String> names) {
        names.add(one.account());
        for (var child : children.getOrDefault(one.id(), List.of())) {
            if (!child.isUser()) {
                addAccounts(child, names);
            }
        }
    }

    /// Whether the user manages the account, or one above it.
    public boolean isCoordinator(String user, String account) {
        if (!coordinators.contains(user)) {
            return false;
        }
        @Nullable Association one = byKey.get(new Key(account, "", ""));
        while (one != null) {
            var known = accounts.get(one.account());
            if (known != null && known.coordinators().contains(user)) {
                return true;
            }
            one = associations.get(one.parent());
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Accounts that
                && accounts.equals(that.accounts)
                && users.equals(that.users)
                && associations.equals(that.associations)
                && qos.equals(that.qos)
                && wckeys.equals(that.wckeys)
                && numbers.equals(that.numbers);
    }

    @Override
    public int hashCode() {
        return numbers.hashCode();
    }
}
