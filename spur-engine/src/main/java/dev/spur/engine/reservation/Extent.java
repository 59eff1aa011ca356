package dev.spur.engine.reservation;

/// Which nodes were asked for.
///
/// @param nodes a hostlist, or `ALL`; empty: some
/// @param count how many of those; 0 where they are named
/// @param features that each of those chosen must have, all of them, separated by `&`
/// @param partition of which they are chosen; empty: the default one, or any where they are named
public record Extent(String nodes, int count, String features, String partition) {
    public boolean isAll() {
        return nodes.equalsIgnoreCase("ALL");
    }

    /// Whether the cluster chooses, and may choose again.
    public boolean isChosen() {
        return nodes.isEmpty();
    }
}
