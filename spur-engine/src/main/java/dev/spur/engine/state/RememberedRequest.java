package dev.spur.engine.state;

import java.time.Instant;

/// An answer that was given, kept for a retry.
///
/// @param number counts up; the lowest is the oldest
/// @param uid whose request it was: ids belong to those who made them
public record RememberedRequest(
        int number,
        int uid,
        String requestId,
        RequestKind kind,
        Instant at,
        RememberedAnswer answer) {}
