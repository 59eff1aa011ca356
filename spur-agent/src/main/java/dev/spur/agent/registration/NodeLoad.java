package dev.spur.agent.registration;

/// How the node is, told with each heartbeat.
///
/// @param hundredths the load average of the last minute, times 100
/// @param fault why no job should be started here, as an administrator reads it; empty if all is
///   well
public record NodeLoad(int hundredths, long freeMemoryMb, String fault) {}
