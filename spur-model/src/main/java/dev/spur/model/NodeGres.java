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
    private static final long MOST_NUMBERED = 65_536;
    private static final long MOST_COUNTED = 1L << 50;

    public NodeGres {
        files = List.copyOf(files);
        if (count < 0 || count > (countOnly ? MOST_COUNTED : MOST_NUMBERED)) {
            throw new IllegalArgumentException(
                    "a node cannot have %d %s, unless they are only counted"
                            .formatted(count, name));
        }
    }

    public static NodeGres of(String name, String type, long count) {
        return new NodeGres(name, type, count, List.of(), "", "", false);
    }
}
