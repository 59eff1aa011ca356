package dev.spur.engine.state;

/// The next number of everything that is numbered.
///
/// @param lastEvent the number of the latest event
public record Counters(
        long revision,
        long schedulingRevision,
        int jobSequence,
        long submitOrder,
        int node,
        int request,
        EventNumber lastEvent) {}
