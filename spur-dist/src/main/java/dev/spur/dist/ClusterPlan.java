package dev.spur.dist;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// What `./spur up` was asked for.
///
/// @param controllers how many controllers
/// @param nodes how many agents; of a configuration that names nodes, those of the first
/// @param gpus `TYPE:COUNT` of each node, or `none`
/// @param config the user's own spur.conf instead of a generated one
/// @param processes one process per daemon
public record ClusterPlan(
        Layout layout,
        int controllers,
        int nodes,
        String gpus,
        @Nullable Path config,
        boolean processes) {
    public ClusterPlan {
        if (controllers < 1 || controllers > 7) {
            throw new IllegalArgumentException(
                    "--controllers must be between 1 and 7 (1 or 3 make sense), was %d"
                            .formatted(controllers));
        }
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
