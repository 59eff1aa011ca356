package dev.spur.model;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What an agent says about its node when it registers.
///
/// @param address host and port of the agent's step service
/// @param bootId changes with every boot: jobs of an earlier boot are gone
public record NodeReport(
        NodeShape shape,
        String address,
        String hostname,
        String bootId,
        @Nullable Instant bootedAt,
        @Nullable Instant agentStartedAt,
        String architecture,
        String operatingSystem,
        String version,
        List<String> features,
        Map<String, String> labels) {

    public NodeReport {
        features = List.copyOf(features);
        labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    }
}
