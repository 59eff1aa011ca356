package dev.spur.engine.account;

import java.util.List;

/// What one change did, for the records: everything that it touched, as it is now.
///
/// @param action in Slurm's words, as in `Modify Associations`
/// @param where what was meant
/// @param info what was set
public record AccountsNews(
        String action,
        String where,
        String info,
        List<Association> associations,
        List<Integer> deletedAssociations,
        List<Account> accounts,
        List<User> users,
        List<Qos> qos) {
    public AccountsNews {
        associations = List.copyOf(associations);
        deletedAssociations = List.copyOf(deletedAssociations);
        accounts = List.copyOf(accounts);
        users = List.copyOf(users);
        qos = List.copyOf(qos);
    }
}
