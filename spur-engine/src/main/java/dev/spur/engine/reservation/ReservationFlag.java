package dev.spur.engine.reservation;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// What is special about a reservation, under Slurm's names and in the order in which Slurm shows
/// them. Append-only by name.
public enum ReservationFlag {
    /// Its nodes are being worked on. Its jobs may use what other reservations have.
    MAINT,
    /// Its jobs may begin before it does and end after it, and use other nodes as well.
    FLEX,
    /// It may have nodes that other reservations have at the same time.
    OVERLAP,
    /// What runs on its nodes when it is made does not matter.
    IGNORE_JOBS,
    HOURLY,
    DAILY,
    WEEKDAY,
    WEEKEND,
    WEEKLY,
    /// Its nodes were named, not chosen. Shown, never asked for.
    SPEC_NODES,
    /// It has every node. Shown, never asked for.
    ALL_NODES,
    /// Its jobs may use other nodes as well.
    ANY_NODES,
    /// Nodes that fail are not replaced.
    STATIC,
    /// It has all nodes of its partition, also those that come later.
    PART_NODES,
    /// Nodes that its jobs use, or that fail, are replaced by others.
    REPLACE,
    /// Nodes that fail are replaced by others.
    REPLACE_DOWN,
    /// It ends when no job has wanted it for a while.
    PURGE_COMP,
    /// Jobs that still wait for it when it is over are not held.
    NO_HOLD_JOBS_AFTER_END,
    /// Jobs of those who may use it use it without asking.
    MAGNETIC;

    /// By any of the names that Slurm takes.
    public static Optional<ReservationFlag> find(String name) {
        var word = name.toUpperCase(Locale.ROOT).replace('-', '_');
        return switch (word) {
            case "STATIC_ALLOC" -> Optional.of(STATIC);
            case "NO_HOLD_JOBS_AFTER", "NO_HOLD_JOBS" -> Optional.of(NO_HOLD_JOBS_AFTER_END);
            case "IGN_JOBS", "IGNORE_JOB" -> Optional.of(IGNORE_JOBS);
            case "MAINTENANCE" -> Optional.of(MAINT);
            default -> Arrays.stream(values()).filter(flag -> flag.name().equals(word)).findFirst();
        };
    }
}
