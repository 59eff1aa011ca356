package dev.spur.dist;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// What `./spur up` was asked for.
///
/// @param nodes how many agents; of a configuration that names nodes, those of the first
/// @param gpus `TYPE:COUNT` of each node, or `none`
/// @param config the user's own spur.conf instead of a generated one
/// @param processes one process per daemon
/// @param quiet no live summary
public record ClusterPlan(
        Layout layout,
        int nodes,
        String gpus,
        @Nullable Path config,
        boolean processes,
        boolean quiet) {
    public ClusterPlan {
        if (nodes < 1 || nodes > 1000) {
            throw new IllegalArgumentException(
                    "--nodes must be between 1 and 1000, was %d".formatted(nodes));
        }
        if (!gpus.equals("none") && !gpus.matches("[A-Za-z][A-Za-z0-9_.-]*:[0-9]{1,4}")) {
            throw new IllegalArgumentException(
                    "--gpus must be TYPE:COUNT, as in mi300x:8, or none; was \"%s\""
                            .formatted(gpus));
        }
    }
}
