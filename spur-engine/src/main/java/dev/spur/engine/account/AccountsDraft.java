package dev.spur.engine.account;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Accounts while they are being changed. Nothing of it is seen before all is done.
final class AccountsDraft {
    final Accounts before;
    final TreeMap<String, Account> accounts;
    final TreeMap<String, User> users;
    final TreeMap<Integer, Association> associations;
    final TreeMap<Integer, Qos> qos;
    final TreeMap<Integer, Wckey> wckeys;
    private final Map<Accounts.Key, Integer> byKey = new HashMap<>();
    private int nextAssociation;
    private int nextQos;
    private int nextWckey;

    AccountsDraft(Accounts before) {
        this.before = before;
        accounts = new TreeMap<>(before.accounts());
        users = new TreeMap<>(before.users());
        associations = new TreeMap<>(before.associations());
        qos = new TreeMap<>(before.qos());
        wckeys = new TreeMap<>(before.wckeys());
        associations.values().forEach(one -> byKey.put(Accounts.Key.of(one), one.id()));
        nextAssociation = before.numbers().nextAssociation();
        nextQos = before.numbers().nextQos();
        nextWckey = before.numbers().nextWckey();
    }

    Accounts done() {
        return new Accounts(
                accounts.values(),
                users.values(),
                associations.values(),
                qos.values(),
                wckeys.values(),
                new AccountNumbers(
                        nextAssociation, nextQos, nextWckey, before.numbers().revision() + 1));
    }

    @Nullable Association association(String account, String user, String partition) {
        var id = byKey.get(new Accounts.Key(account, user, partition));
        return id == null ? null : associations.get(id);
    }

    Association add(int parent, String account, String user, String partition) {
        var made = Association.of(nextAssociation++, parent, account, user, partition);
        put(made);
        return made;
    }

    void put(Association association) {
        associations.put(association.id(), association);
        byKey.put(Accounts.Key.of(association), association.id());
    }

    void remove(Association association) {
        associations.remove(association.id());
        byKey.remove(Accounts.Key.of(association));
    }

    Qos addQos(String name) {
        var made = Qos.of(nextQos++, name);
        qos.put(made.id(), made);
        return made;
    }

    @Nullable Qos qos(String name) {
        for (var one : qos.values()) {
            if (one.name().equals(name)) {
                return one;
            }
        }
        return null;
    }

    void addWckey(String name, String user) {
        var made = new Wckey(nextWckey++, name, user);
        wckeys.put(made.id(), made);
    }

    List<Association> ofUser(String user) {
        var found = new ArrayList<Association>();
        for (var one : associations.values()) {
            if (one.user().equals(user)) {
                found.add(one);
            }
        }
        return found;
    }

    List<Association> below(int parent) {
        var found = new ArrayList<Association>();
        for (var one : associations.values()) {
            if (one.parent() == parent) {
                found.add(one);
            }
        }
        return found;
    }

    /// All of them by what they are below of, for whoever looks more than once.
    Map<Integer, List<Association>> children() {
        var children = new HashMap<Integer, List<Association>>();
        for (var one : associations.values()) {
            children.computeIfAbsent(one.parent(), _ -> new ArrayList<>()).add(one);
        }
        return children;
    }

    /// The account above; empty of the root.
    String parentAccount(Association association) {
        var above = associations.get(association.parent());
        return above == null ? "" : above.account();
    }

    /// Whether one is the other or somewhere below it.
    boolean isWithin(Association one, Association other) {
        for (@Nullable Association at = one; at != null; at = associations.get(at.parent())) {
            if (at.id() == other.id()) {
                return true;
            }
        }
        return false;
    }

    List<Integer> qosInForce(Association association) {
        for (@Nullable Association at = association;
                at != null;
                at = associations.get(at.parent())) {
            if (!at.qos().isEmpty()) {
                return at.qos();
            }
        }
        return List.of();
    }

    int defaultQosInForce(Association association) {
        for (@Nullable Association at = association;
                at != null;
                at = associations.get(at.parent())) {
            if (at.defaultQos() != 0) {
                return at.defaultQos();
            }
        }
        return 0;
    }

    boolean isCoordinator(String user, String account) {
        for (@Nullable Association at = association(account, "", "");
                at != null;
                at = associations.get(at.parent())) {
            var known = accounts.get(at.account());
            if (known != null && known.coordinators().contains(user)) {
                return true;
            }
        }
        return false;
    }
}
