package dev.spur.dist;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What `./spur up` was asked for.
///
/// @param controllers how many controllers
/// @param nodes how many agents; of a configuration that names nodes, those of the first
/// @param gpus `TYPE:COUNT` of each node, or `none`
/// @param config the user's own spur.conf instead of a generated one
/// @param processes one process per daemon
/// @param without what is left out
public record ClusterPlan(
        Layout layout,
        int controllers,
        int nodes,
        String gpus,
        @Nullable Path config,
        boolean processes,
        Set<Part> without) {
    /// What a cluster can do without.
    public enum Part {
        ACCOUNTING,
        REST,
        CLOUD;

        /// As in `--without accounting`.
        static Set<Part> parse(String list) {
            var parts = EnumSet.noneOf(Part.class);
            for (var word : list.split(",", -1)) {
                parts.add(
                        Arrays.stream(values())
                                .filter(part -> part.word().equals(word.strip()))
                                .findFirst()
                                .orElseThrow(() ->
                                        new IllegalArgumentException(
                                                "--without knows %s, was \"%s\""
                                                        .formatted(words(), word))));
            }
            return parts;
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static String words() {
            return Arrays.stream(values()).map(Part::word).collect(Collectors.joining(", "));
        }
    }

    public ClusterPlan {
        without = Set.copyOf(without);
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

    public boolean has(Part part) {
        return !without.contains(part);
    }
}
