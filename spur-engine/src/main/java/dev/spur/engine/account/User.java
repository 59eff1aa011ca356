package dev.spur.engine.account;

import dev.spur.model.Role;

/// A user who is known to accounting.
///
/// @param defaultAccount of jobs that name none
/// @param defaultWckey empty: none
/// @param adminLevel what he may do on the word of a host that is believed about administrators
public record User(String name, String defaultAccount, String defaultWckey, Role adminLevel) {
    User withDefaultAccount(String account) {
        return new User(name, account, defaultWckey, adminLevel);
    }

    User withDefaultWckey(String wckey) {
        return new User(name, defaultAccount, wckey, adminLevel);
    }

    User withAdminLevel(Role level) {
        return new User(name, defaultAccount, defaultWckey, level);
    }
}
