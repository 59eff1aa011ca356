package dev.spur.engine.account;

import java.util.List;

/// One thing that somebody wants changed. Append-only.
public sealed interface AccountsChange {
    record AddAccounts(List<String> names, String parent, List<AccountSetting> settings)
            implements AccountsChange {
        public AddAccounts {
            names = List.copyOf(names);
            settings = List.copyOf(settings);
        }
    }

    /// @param accounts to which each of them is added
    /// @param partitions empty: for all
    record AddUsers(
            List<String> names,
            List<String> accounts,
            List<String> partitions,
            List<AccountSetting> settings)
            implements AccountsChange {
        public AddUsers {
            names = List.copyOf(names);
            accounts = List.copyOf(accounts);
            partitions = List.copyOf(partitions);
            settings = List.copyOf(settings);
        }
    }

    record AddQos(List<String> names, List<AccountSetting> settings) implements AccountsChange {
        public AddQos {
            names = List.copyOf(names);
            settings = List.copyOf(settings);
        }
    }

    record AddCoordinators(List<String> accounts, List<String> users) implements AccountsChange {
        public AddCoordinators {
            accounts = List.copyOf(accounts);
            users = List.copyOf(users);
        }
    }

    record AddWckeys(List<String> names, List<String> users) implements AccountsChange {
        public AddWckeys {
            names = List.copyOf(names);
            users = List.copyOf(users);
        }
    }

    record Modify(AccountsEntity entity, AccountsSelector where, List<AccountSetting> settings)
            implements AccountsChange {
        public Modify {
            settings = List.copyOf(settings);
        }
    }

    record Delete(AccountsEntity entity, AccountsSelector where) implements AccountsChange {}
}
