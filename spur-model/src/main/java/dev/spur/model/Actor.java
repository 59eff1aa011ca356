package dev.spur.model;

/// Who asked for something, and from where; part of every command that a person or a tool caused.
public record Actor(int uid, String userName, String host, Role role, Origin origin) {
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
        CLUSTER
    }

    public boolean mayManage(int owner) {
        return uid == owner || role.atLeast(Role.OPERATOR);
    }
}
