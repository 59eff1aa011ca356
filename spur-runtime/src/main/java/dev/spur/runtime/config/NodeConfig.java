package dev.spur.runtime.config;

import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.MemorySize;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One `[[nodes]]` entry in spur.conf: what the named nodes must at least have. What is absent is
/// taken from the node's own report.
public record NodeConfig(
        @Means("The nodes that this entry describes, as a hostlist: node[01-16]") @Key(live = true)
                Hostlist names,
        @Means("The labels of Kubernetes nodes that this entry describes")
                @Key(live = true, notYetUsed = true)
                Map<String, String> selector,
        @Means("How many CPUs a node has") @Key(live = true) @Nullable Integer cpus,
        @Means("How many sockets a node has") @Key(live = true) @Nullable Integer sockets,
        @Means("How many cores a socket has") @Key(live = true) @Nullable Integer coresPerSocket,
        @Means("How many threads a core has") @Key(live = true) @Nullable Integer threadsPerCore,
        @Means("Memory for jobs; a number is in MiB, \"512G\" has its unit")
                @Key(value = "memory_mb", live = true)
                @Nullable MemorySize memory,
        @Means("Temporary disk space, as memory_mb") @Key(value = "tmp_mb", live = true)
                @Nullable MemorySize tmp,
        @Means("Countable devices, as in [\"gpu:mi300x:8\"]") @Key(live = true) List<String> gres,
        @Means("What jobs can ask for with --constraint") @Key(live = true) List<String> features,
        @Means("Nodes of lower weight are given first") @Key(live = true) int weight,
        @Means("Where the agent is reached, if not at the node's name") @Key(live = true)
                @Nullable String address,
        @Means("The agent's port, if not network.agent_port") @Key(live = true)
                @Nullable Integer port,
        @Means("The state in which the node begins") @Key(live = true, notYetUsed = true)
                State state,
        @Means("Why, where the state is one in which it does not serve")
                @Key(live = true, notYetUsed = true)
                @Nullable String reason) {

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
