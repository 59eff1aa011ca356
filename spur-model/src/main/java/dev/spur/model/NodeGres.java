package dev.spur.model;

import java.util.List;

/// Devices of one kind that a node has: numbered from 0, or only counted if there are no files and
/// the agent says so.
///
/// @param cores the CPUs near these devices, as the agent found them
/// @param links how the devices are connected with each other
public record NodeGres(
        String name,
        String type,
        long count,
        List<String> files,
        String cores,
        String links,
        boolean countOnly) {
    public NodeGres {
        files = List.copyOf(files);
    }

    public static NodeGres of(String name, String type, long count) {
        return new NodeGres(name, type, count, List.of(), "", "", false);
    }
}
