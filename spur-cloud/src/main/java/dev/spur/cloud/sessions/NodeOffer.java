package dev.spur.cloud.sessions;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// A node on which sessions may run.
///
/// @param state idle, mixed, allocated, down, drained …
/// @param usable whether something can start there, once it is free
/// @param gpus how many of which type, and how many of those are taken
public record NodeOffer(
        String name,
        String state,
        boolean usable,
        List<String> partitions,
        int cpus,
        long memoryMb,
        long diskMb,
        int freeCpus,
        long freeMemoryMb,
        SortedMap<String, Gpus> gpus) {
    public NodeOffer {
        partitions = List.copyOf(partitions);
        gpus = new TreeMap<>(gpus);
    }

    public record Gpus(int total, int taken) {}

    public int gpus(String type) {
        var some = gpus.get(type);
        return some == null ? 0 : some.total();
    }
}
