package dev.spur.cloud.ssh;

import dev.spur.cloud.reach.Programs;
import java.util.UUID;

/// Somebody at the door of a session.
///
/// @param key by which they came
/// @param label for the log: who, and which session
/// @param programs of the session
public record Guest(UUID person, UUID key, UUID session, String label, Programs programs) {}
