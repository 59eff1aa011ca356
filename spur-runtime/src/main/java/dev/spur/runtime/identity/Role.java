package dev.spur.runtime.identity;

/// What a person may do. Each role may do all that the ones before it may.
public enum Role {
    /// Own jobs.
    USER,
    /// Also other people's jobs, and nodes.
    OPERATOR,
    /// Everything.
    ADMIN;

    public boolean isAtLeast(Role needed) {
        return compareTo(needed) >= 0;
    }
}
