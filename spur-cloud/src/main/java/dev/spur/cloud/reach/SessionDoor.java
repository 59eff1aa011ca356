package dev.spur.cloud.reach;

import java.util.UUID;

/// The way into sessions: who may in is decided behind it.
@FunctionalInterface
public interface SessionDoor {
    /// What is behind the door for this person.
    Entry open(UUID person, UUID session);

    /// What somebody finds.
    sealed interface Entry {}

    /// Nothing, as far as this person may know.
    record Absent() implements Entry {}

    /// A session that nobody can enter now.
    ///
    /// @param why for people
    /// @param forGood whether it is over
    record Closed(String why, boolean forGood) implements Entry {}

    /// A session that runs.
    ///
    /// @param run which run of it: shells of another one are gone
    record Open(UUID session, String name, String run, Programs programs, Shells shells)
            implements Entry {}
}
