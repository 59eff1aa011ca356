package dev.spur.runtime.host;

/// An account of this host, as its name service has it.
///
/// @param gid the primary group
public record User(long uid, long gid, String name, String home, String shell) {}
