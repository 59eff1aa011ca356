package dev.spur.cli;

import java.util.OptionalLong;

/// Names of users and groups on this host (passwd, LDAP, whatever the name service switch has).
public interface UserDirectory {
    /// The user's name, or the number in digits when nobody has it.
    String userName(long uid);

    String groupName(long gid);

    /// The uid of a user given by name or by number.
    OptionalLong uid(String nameOrNumber);

    OptionalLong gid(String nameOrNumber);
}
