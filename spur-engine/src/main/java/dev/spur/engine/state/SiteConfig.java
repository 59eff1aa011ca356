package dev.spur.engine.state;

import dev.spur.model.ClusterConfig;
import dev.spur.model.ErrorCode;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeGres;
import dev.spur.model.NodeReport;
import dev.spur.model.NodeShape;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the configuration means for nodes and partitions.
final class SiteConfig {
    private final Tables tables;
    private final Map<String, NodeSpec> specs = new HashMap<>();

    SiteConfig(Tables tables) {
        this.tables = tables;
    }

    Result apply(ClusterConfig config) {
        try {
            config.nodes().forEach(spec -> Hostlist.parse(spec.names()));
            config.partitions().forEach(spec -> Hostlist.parse(spec.nodes()));
        } catch (NotationException e) {
            return new Result.Refused(ErrorCode.INVALID_NODE, String.valueOf(e.getMessage()));
        }
        for (var spec : config.nodes()) {
            var absurdity = spec.shape().absurdity();
            if (absurdity.isPresent()) {
                return new Result.Refused(
                        ErrorCode.INVALID_REQUEST, spec.names() + ": " + absurdity.get());
            }
        }
        tables.config = config;
        tables.index.rearm(tables.jobs.publish());
        readNodeNames();
        for (var node : tables.knownNodes()) {
            refresh(node);
        }
        for (var spec : config.nodes()) {
            for (var name : Hostlist.parse(spec.names()).hosts()) {
                if (tables.node(name).isEmpty()) {
                    tables.put(described(newNode(name), null));
                }
            }
        }
        refillPartitions();
        tables.tell(new Event.ConfigApplied());
        return Result.DONE;
    }

    /// After a load: what follows from the configuration alone.
    void restore() {
        readNodeNames();
        refillPartitions();
    }

    private void readNodeNames() {
        specs.clear();
        for (var spec : tables.config.nodes()) {
            for (var name : Hostlist.parse(spec.names()).hosts()) {
                specs.putIfAbsent(name, spec);
            }
        }
    }

    /// A node that nobody configures any more and that never came is forgotten.
    private void refresh(Node node) {
        if (node.configured() && node.report() == null && specOf(node.name(), null) == null) {
            tables.remove(node);
        } else {
            tables.put(described(node, node.report()));
        }
    }

    Node newNode(String name) {
        return new Node(
                tables.nextNode++,
                name,
                false,
                NodeShape.UNSTATED,
                List.of(),
                1,
                "",
                null,
                Node.Health.UNKNOWN,
                null,
                false,
                Node.NodeNote.NONE,
                "",
                Usage.NONE,
                null);
    }

    /// The node with shape, features and weight as configuration and report have it together.
    Node described(Node node, @Nullable NodeReport report) {
        var spec = specOf(node.name(), report);
        if (spec == null) {
            return report == null
                    ? node
                    : node.withShape(
                            false,
                            report.shape(),
                            report.features(),
                            node.weight(),
                            report.address());
        }
        var shape = report == null ? spec.shape() : filled(spec.shape(), report.shape());
        var features =
                spec.features().isEmpty() && report != null ? report.features() : spec.features();
        var address =
                report != null && !report.address().isEmpty() ? report.address() : spec.address();
        return node.withShape(true, shape, features, spec.weight(), address);
    }

    private @Nullable NodeSpec specOf(String name, @Nullable NodeReport report) {
        var byName = specs.get(name);
        if (byName != null || report == null) {
            return byName;
        }
        for (var spec : tables.config.nodes()) {
            if (!spec.selector().isEmpty()
                    && report.labels().entrySet().containsAll(spec.selector().entrySet())) {
                return spec;
            }
        }
        return null;
    }

    /// The configured numbers where stated, else the reported ones.
    private static NodeShape filled(NodeShape stated, NodeShape reported) {
        var cpus = stated.cpus() > 0 ? stated.cpus() : reported.cpus();
        var layoutFits = stated.cpus() == 0 || stated.cpus() == reported.cpus();
        return new NodeShape(
                cpus,
                first(stated.boards(), layoutFits ? reported.boards() : 1),
                first(stated.sockets(), layoutFits ? reported.sockets() : 1),
                first(stated.coresPerSocket(), layoutFits ? reported.coresPerSocket() : cpus),
                first(stated.threadsPerCore(), layoutFits ? reported.threadsPerCore() : 1),
                stated.memoryMebibytes() > 0
                        ? stated.memoryMebibytes()
                        : reported.memoryMebibytes(),
                stated.tmpDiskMebibytes() > 0
                        ? stated.tmpDiskMebibytes()
                        : reported.tmpDiskMebibytes(),
                stated.gres().isEmpty()
                        ? reported.gres()
                        : located(stated.gres(), reported.gres()));
    }

    /// Configured devices with the files and links that the agent found for them.
    private static List<NodeGres> located(List<NodeGres> stated, List<NodeGres> reported) {
        return stated.stream()
                .map(gres ->
                        reported.stream()
                                .filter(found ->
                                        found.name().equals(gres.name())
                                                && (gres.type().isEmpty()
                                                        || found.type().equals(gres.type())))
                                .findFirst()
                                .map(found ->
                                        new NodeGres(
                                                gres.name(),
                                                gres.type().isEmpty() ? found.type() : gres.type(),
                                                gres.count(),
                                                found.files(),
                                                found.cores(),
                                                found.links(),
                                                found.countOnly()))
                                .orElse(gres))
                .toList();
    }

    private static int first(int stated, int reported) {
        return stated > 0 ? stated : reported;
    }

    /// Which nodes belong to which partition.
    void refillPartitions() {
        tables.partitions =
                tables.config.partitions().stream()
                        .map(spec -> new Partition(spec, members(spec)))
                        .toList();
    }

    private IndexSet members(PartitionSpec spec) {
        var all = spec.nodes().equalsIgnoreCase("ALL");
        Set<String> named = all ? Set.of() : new HashSet<>(Hostlist.parse(spec.nodes()).hosts());
        var members = new BitSet();
        for (var node : tables.knownNodes()) {
            var labels =
                    node.report() == null ? new TreeMap<String, String>() : node.report().labels();
            var selected =
                    !spec.selector().isEmpty()
                            && labels.entrySet().containsAll(spec.selector().entrySet());
            if (all || selected || named.contains(node.name())) {
                members.set(node.index());
            }
        }
        return IndexSet.of(members);
    }
}
