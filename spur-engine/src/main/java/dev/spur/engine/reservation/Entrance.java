package dev.spur.engine.reservation;

import dev.spur.model.Owner;
import java.util.List;

/// Who may use a reservation: users, or members of groups, and of these whose jobs count for one of
/// the accounts. An empty list asks for nothing.
///
/// @param usersDenied everybody but these users
/// @param accountsDenied every account but these
public record Entrance(
        List<String> users,
        boolean usersDenied,
        List<String> accounts,
        boolean accountsDenied,
        List<Group> groups) {
    public static final Entrance NONE = new Entrance(List.of(), false, List.of(), false, List.of());

    /// A group, by the number that its members' processes carry.
    public record Group(String name, int gid) {}

    public Entrance {
        users = List.copyOf(users);
        accounts = List.copyOf(accounts);
        groups = List.copyOf(groups);
    }

    /// Whether nobody is named, neither to be let in nor to be kept out.
    public boolean isEmpty() {
        return users.isEmpty() && accounts.isEmpty() && groups.isEmpty();
    }

    boolean admits(Owner owner, String account) {
        return admitsUser(owner)
                && (accounts.isEmpty() || accounts.contains(account) != accountsDenied);
    }

    private boolean admitsUser(Owner owner) {
        if (users.isEmpty() && groups.isEmpty()) {
            return true;
        }
        if (usersDenied) {
            return !users.contains(owner.userName());
        }
        return users.contains(owner.userName())
                || groups.stream()
                        .anyMatch(group ->
                                group.gid() == owner.gid() || owner.groups().contains(group.gid()));
    }
}
