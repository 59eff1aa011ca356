package dev.spur.cloud.projects;

import java.util.Locale;

/// What a member may do in a project. Each may do what those below may.
public enum Role {
    /// Sees the project's sessions.
    VIEWER,
    /// Launches sessions for it, and enters those of the others.
    MEMBER,
    /// Says who is in it, and ends everybody's sessions.
    OWNER;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Role of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    public boolean isAtLeast(Role other) {
        return compareTo(other) >= 0;
    }
}
