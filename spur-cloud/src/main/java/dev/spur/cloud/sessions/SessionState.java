package dev.spur.cloud.sessions;

import java.util.Locale;

/// Where a session is in its life.
///
/// ```
///  creating ─▶ pending ─▶ running ◀─▶ suspended
///      │          ▲ │        │ │          │
///      │  requeue └─┼────────┘ │          │
///      └────────────┴──────▶ stopping ◀───┘
///                              │
///                completed, failed, cancelled: nothing leads out of them
/// ```
public enum SessionState {
    /// Wanted; the cluster has not said yet that it has it.
    CREATING,
    PENDING,
    RUNNING,
    STOPPING,
    SUSPENDED,
    COMPLETED,
    FAILED,
    CANCELLED;

    public boolean isOver() {
        return switch (this) {
            case COMPLETED, FAILED, CANCELLED -> true;
            case CREATING, PENDING, RUNNING, STOPPING, SUSPENDED -> false;
        };
    }

    /// As in the database and in JSON.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static SessionState of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
