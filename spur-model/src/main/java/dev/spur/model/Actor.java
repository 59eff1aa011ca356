package dev.spur.model;

import java.util.List;

/// Who asked for something, and from where; part of every command that a person or a tool caused.
///
/// @param groups those of the groups to which partitions are open that the user belongs to, as the
///   controller's host knows them; filled in where somebody asks for a partition
public record Actor(
        int uid, String userName, String host, Role role, Origin origin, List<String> groups) {
    /// The cluster itself: time limits, lost nodes, the scheduler.
    public static final Actor CLUSTER = new Actor(0, "spur", "", Role.ADMIN, Origin.CLUSTER);

    /// How the caller's identity became known.
    public enum Origin {
        /// A host's door vouched for the uid of its peer.
        DOOR,
        /// A signed token.
        TOKEN,
        /// A node's agent, by its certificate.
        AGENT,
        /// No caller: the controller acts by itself.
        CLUSTER,
        /// A token of some minutes that one of the cloud's hosts was given for its user.
        CLOUD
    }

    public Actor {
        groups = List.copyOf(groups);
    }

    public Actor(int uid, String userName, String host, Role role, Origin origin) {
        this(uid, userName, host, role, origin, List.of());
    }

    public Actor withGroups(List<String> names) {
        return new Actor(uid, userName, host, role, origin, names);
    }

    public boolean mayManage(int owner) {
        return uid == owner || role.atLeast(Role.OPERATOR);
    }
}
