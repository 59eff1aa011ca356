package dev.spur.dist;

import java.io.IOException;
import java.nio.file.Files;

/// The spur.conf of a local cluster.
final class LocalConfig {
    private LocalConfig() {}

    /// Writes the plan's configuration into the cluster's directory: the user's own file, or one
    /// made for the plan.
    static void write(ClusterPlan plan) throws IOException {
        if (plan.config() != null && !Files.isReadable(plan.config())) {
            throw new IOException(
                    "cannot read the configuration %s given with --config"
                            .formatted(plan.config()));
        }
        var text = plan.config() == null ? generate(plan) : Files.readString(plan.config());
        Files.writeString(plan.layout().config(), text);
    }

    private static String generate(ClusterPlan plan) {
        var gres = plan.gpus().equals("none") ? "" : "gres = [\"gpu:%s\"]".formatted(plan.gpus());
        var nodes = plan.nodes() == 1 ? "node1" : "node[1-%d]".formatted(plan.nodes());
        return """
        # Made by ./spur up. Give a file of your own with --config.
        cluster_name = "local"

        [controller]
        listen_addr = "%s"
        raft_listen_addr = "127.0.0.1:%d"
        hosts = ["127.0.0.1"]
        max_array_size = 100001

        [[partitions]]
        name = "debug"
        default = true
        nodes = "%s"

        [[nodes]]
        names = "%s"
        cpus = 8
        sockets = 1
        cores_per_socket = 8
        threads_per_core = 1
        memory_mb = 16000
        %s
        """
                .formatted(
                        plan.layout().controllerAddress(),
                        plan.layout().raftPort(),
                        nodes,
                        nodes,
                        gres);
    }
}
