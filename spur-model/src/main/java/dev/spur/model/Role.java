package dev.spur.model;

/// What a caller may do: users act on their own jobs, operators on everybody's, administrators on
/// the cluster itself.
public enum Role {
    USER,
    OPERATOR,
    ADMIN;

    public boolean atLeast(Role needed) {
        return compareTo(needed) >= 0;
    }
}
