package dev.spur.engine.account;

import java.util.ArrayList;
import java.util.List;

/// Puts stored accounts together again.
public final class AccountsLoader {
    private final List<Account> accounts = new ArrayList<>();
    private final List<User> users = new ArrayList<>();
    private final List<Association> associations = new ArrayList<>();
    private final List<Qos> qos = new ArrayList<>();
    private final List<Wckey> wckeys = new ArrayList<>();
    private AccountNumbers numbers = Accounts.INITIAL.numbers();

    public void numbers(AccountNumbers stored) {
        numbers = stored;
    }

    public void add(Account account) {
        accounts.add(account);
    }

    public void add(User user) {
        users.add(user);
    }

    public void add(Association association) {
        associations.add(association);
    }

    public void add(Qos one) {
        qos.add(one);
    }

    public void add(Wckey wckey) {
        wckeys.add(wckey);
    }

    public Accounts loaded() {
        return new Accounts(accounts, users, associations, qos, wckeys, numbers);
    }
}
