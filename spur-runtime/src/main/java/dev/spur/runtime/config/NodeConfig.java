package dev.spur.runtime.config;

import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.MemorySize;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One `[[nodes]]` entry in spur.conf: what the named nodes must at least have. What is absent is
/// taken from the node's own report.
public record NodeConfig(
        @Key(live = true) Hostlist names,
        @Key(live = true) Map<String, String> selector,
        @Key(live = true) @Nullable Integer cpus,
        @Key(live = true) @Nullable Integer sockets,
        @Key(live = true) @Nullable Integer coresPerSocket,
        @Key(live = true) @Nullable Integer threadsPerCore,
        @Key(value = "memory_mb", live = true) @Nullable MemorySize memory,
        @Key(value = "tmp_mb", live = true) @Nullable MemorySize tmp,
        @Key(live = true) List<String> gres,
        @Key(live = true) List<String> features,
        @Key(live = true) int weight,
        @Key(live = true) @Nullable String address,
        @Key(live = true) @Nullable Integer port,
        @Key(live = true) State state,
        @Key(live = true) @Nullable String reason) {

    public static final NodeConfig DEFAULTS =
            new NodeConfig(
                    Hostlist.EMPTY,
                    Map.of(),
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    List.of(),
                    List.of(),
                    1,
                    null,
                    null,
                    State.UNKNOWN,
                    null);

    /// The state in which a configured node begins.
    public enum State {
        UNKNOWN,
        DOWN,
        DRAIN,
        FAIL,
        FUTURE
    }

    public NodeConfig {
        selector = Map.copyOf(selector);
        gres = List.copyOf(gres);
        features = List.copyOf(features);
        new Rules()
                .require(cpus == null || cpus >= 0, "cpus", "must not be negative, was %s", cpus)
                .require(
                        sockets == null || sockets >= 1,
                        "sockets",
                        "must be at least 1, was %s",
                        sockets)
                .require(
                        coresPerSocket == null || coresPerSocket >= 1,
                        "cores_per_socket",
                        "must be at least 1, was %s",
                        coresPerSocket)
                .require(
                        threadsPerCore == null || threadsPerCore >= 1,
                        "threads_per_core",
                        "must be at least 1, was %s",
                        threadsPerCore)
                .require(weight >= 0, "weight", "must not be negative, was %d", weight)
                .require(
                        port == null || (port >= 1 && port <= 65_535),
                        "port",
                        "must be between 1 and 65535, was %s",
                        port)
                .check();
    }
}
