package dev.spur.engine.state;

import java.time.Instant;

/// An answer that was given, kept for a retry.
///
/// @param number counts up; the lowest is the oldest
public record RememberedRequest(int number, String requestId, Instant at, Result result) {}
