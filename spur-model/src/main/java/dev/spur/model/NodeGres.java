package dev.spur.model;

import java.util.List;

/// Devices of one kind that a node has. All devices of a name are numbered together, kind after
/// kind, so that a number means the same device whatever type it is said to be of.
///
/// @param first the number of the first of them
/// @param cores the CPUs near these devices, as the agent found them
/// @param links how the devices are connected with each other
public record NodeGres(
        String name,
        String type,
        long count,
        int first,
        List<String> files,
        String cores,
        String links) {
    /// More than any node has.
    private static final int MOST = 1 << 20;

    public NodeGres {
        files = List.copyOf(files);
    }

    /// The number after that of the last of them.
    public int end() {
        return first + Math.clamp(count, 0, MOST);
    }

    public static NodeGres of(String name, String type, long count) {
        return new NodeGres(name, type, count, 0, List.of(), "", "");
    }

    public NodeGres from(int number) {
        return new NodeGres(name, type, count, number, files, cores, links);
    }

    public IndexSet indices() {
        return IndexSet.range(first, end());
    }
}
