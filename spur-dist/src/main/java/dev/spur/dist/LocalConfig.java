package dev.spur.dist;

import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The spur.conf of a local cluster.
///
/// @param nodes those that get an agent; what a file names beyond them never registers
record LocalConfig(SpurConfig config, List<String> nodes) {
    LocalConfig {
        nodes = List.copyOf(nodes);
    }

    /// Writes the plan's configuration into the cluster's directory: the user's own file, or one
    /// made for the plan.
    static LocalConfig write(ClusterPlan plan) throws IOException {
        var target = plan.layout().config();
        Files.writeString(target, plan.config() == null ? generated(plan) : given(plan.config()));
        var config = ConfigFile.load(target).config();
        return new LocalConfig(config, nodes(config, plan.nodes()));
    }

    /// The first nodes that the file names; where it names none, nodes of our own.
    private static List<String> nodes(SpurConfig config, int count) {
        var named = new LinkedHashSet<String>();
        for (var entry : config.nodes()) {
            named.addAll(entry.names().hosts());
        }
        if (named.isEmpty()) {
            return IntStream.rangeClosed(1, count).mapToObj(number -> "node" + number).toList();
        }
        return new ArrayList<>(named).subList(0, Math.min(count, named.size()));
    }

    private static String given(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException(
                    "cannot read the configuration %s given with --config".formatted(file));
        }
        if (ConfigFile.load(file).config().controller().peers().size() > 1) {
            throw new IOException(
                    "%s names several controllers (peers), a local cluster makes its own. Remove that line and use --controllers."
                            .formatted(file));
        }
        return Files.readString(file);
    }

    private static String generated(ClusterPlan plan) {
        var gres = plan.gpus().equals("none") ? "" : "gres = [\"gpu:%s\"]".formatted(plan.gpus());
        var nodes = plan.nodes() == 1 ? "node1" : "node[1-%d]".formatted(plan.nodes());
        return """
        # Made by ./spur up. Give a file of your own with --config.
        cluster_name = "local"

        [controller]
        listen_addr = "%s"
        hosts = [%s]
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
        %s
        """
                .formatted(
                        plan.layout().controllerAddress(1),
                        IntStream.rangeClosed(1, plan.controllers())
                                .mapToObj(plan.layout()::controllerAddress)
                                .map("\"%s\""::formatted)
                                .collect(Collectors.joining(", ")),
                        nodes,
                        nodes,
                        gres,
                        plan.has(ClusterPlan.Part.CLOUD) ? cloud(plan) : "");
    }

    /// Who the cloud's people are. Only root can be somebody else on a node; without root the
    /// controller refuses them in words, and whoever started the cluster links the own account.
    private static String cloud(ClusterPlan plan) {
        return """

        [cloud]
        uid_range = "200000-299999"
        home_dir = "%s"
        """
                .formatted(homes(plan.layout()));
    }

    /// Where all users can go to: a checkout may be below a home that only root enters, or have a
    /// name that no configuration takes.
    private static Path homes(Layout layout) {
        var usual = layout.directory().resolve("homes").toAbsolutePath();
        var isPlain = usual.toString().matches("(/[A-Za-z0-9_.@+-]+)+");
        return isPlain
                        && (Users.currentUid() != 0
                                || ServiceAccount.usual().canReach(layout.directory()))
                ? usual
                : Path.of("/var/lib/spur/homes-" + Integer.toHexString(usual.hashCode()));
    }
}
