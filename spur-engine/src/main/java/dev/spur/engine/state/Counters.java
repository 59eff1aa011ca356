package dev.spur.engine.state;

/// The next number of everything that is numbered.
public record Counters(
        long revision,
        long schedulingRevision,
        int jobSequence,
        long priority,
        int node,
        int request) {}
