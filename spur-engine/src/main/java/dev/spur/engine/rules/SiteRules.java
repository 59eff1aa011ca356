package dev.spur.engine.rules;

import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeDescription;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Result;
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
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the configuration means for nodes and partitions.
final class SiteRules {
    private final Tables tables;
    private final Map<String, NodeSpec> specs = new HashMap<>();

    /// The nodes that each partition names, in the order of the partitions.
    private List<Set<String>> named = List.of();

    private long effort;

    SiteRules(Tables tables) {
        this.tables = tables;
    }

    /// @param keepsEdits what administrators made of partitions stays; else the configuration
    ///   counts again, and only what it knows nothing of stays
    Result apply(ClusterConfig config, boolean keepsEdits) {
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
        if (!keepsEdits) {
            tables.partitionEdits.values().removeIf(edit -> !edit.created());
        }
        // What a file names from now on is the file's.
        for (var spec : config.partitions()) {
            var edit = tables.partitionEdits.get(spec.name());
            if (edit != null && edit.created()) {
                tables.partitionEdits.remove(spec.name());
            }
        }
        tables.put(config, this::follow);
        return Result.DONE;
    }

    /// What follows from a new configuration.
    private void follow() {
        tables.index.rearm(tables.jobs.publish());
        readNodeNames();
        for (var node : tables.knownNodes()) {
            refresh(node);
        }
        for (var spec : tables.config.nodes()) {
            for (var name : Hostlist.parse(spec.names()).hosts()) {
                if (tables.node(name).isEmpty()) {
                    tables.put(described(newNode(name), null));
                }
            }
        }
        refillPartitions();
    }

    /// After a load: what follows from the configuration alone.
    void restore() {
        readNodeNames();
        refillPartitions();
        // A restart is nothing that happened: what follows from it would follow on this replica
        // only.
        tables.nodesCameOrWent = false;
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
        if (node.description().configured()
                && node.report() == null
                && specOf(node.name(), null) == null) {
            tables.remove(node);
        } else {
            tables.put(described(node, node.report()));
        }
    }

    Node newNode(String name) {
        return Node.named(tables.nextNode++, name);
    }

    /// The node with shape, features and weight as configuration and report have it together.
    Node described(Node node, @Nullable NodeReport report) {
        var spec = specOf(node.name(), report);
        if (spec == null) {
            return report == null
                    ? node
                    : node.with(
                            new NodeDescription(
                                    false,
                                    report.shape().numbered(),
                                    report.features(),
                                    node.weight(),
                                    report.address(),
                                    node.comment()));
        }
        var shape =
                report == null
                        ? spec.shape().numbered()
                        : filled(spec.shape(), report.shape().numbered());
        var features =
                spec.features().isEmpty() && report != null ? report.features() : spec.features();
        var address =
                report != null && !report.address().isEmpty() ? report.address() : spec.address();
        return node.with(
                new NodeDescription(true, shape, features, spec.weight(), address, node.comment()));
    }

    /// The node as its agent describes it now. What an administrator changed by hand stays until
    /// the configuration is read again.
    Node reported(Node known, NodeReport report) {
        var now = described(known, report);
        var before = described(known, known.report());
        if (!known.features().equals(before.features())) {
            now = now.withFeatures(known.features());
        }
        return known.weight() == before.weight() ? now : now.withWeight(known.weight());
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

    /// Configured devices with the numbers, files and links that the agent has for them. Where the
    /// two do not agree, no number may stand for two devices: they are then counted through.
    private static List<NodeGres> located(List<NodeGres> stated, List<NodeGres> reported) {
        var located = found(stated, reported);
        return isEachNumberedOnce(located) ? located : NodeShape.numbered(located);
    }

    private static boolean isEachNumberedOnce(List<NodeGres> kinds) {
        var numbers = new HashMap<String, IndexSet>();
        for (var kind : kinds) {
            var taken = numbers.getOrDefault(kind.name(), IndexSet.EMPTY);
            if (taken.intersects(kind.indices())) {
                return false;
            }
            numbers.put(kind.name(), taken.plus(kind.indices()));
        }
        return true;
    }

    private static List<NodeGres> found(List<NodeGres> stated, List<NodeGres> reported) {
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
                                                found.first(),
                                                found.files(),
                                                found.cores(),
                                                found.links()))
                                .orElseGet(() -> gres.from(0)))
                .toList();
    }

    private static int first(int stated, int reported) {
        return stated > 0 ? stated : reported;
    }

    /// Which nodes belong to which partition.
    void refillPartitions() {
        var specs = tables.partitionSpecs();
        named = specs.stream().map(SiteRules::named).toList();
        var filled = new ArrayList<Partition>();
        for (var spec : specs) {
            filled.add(new Partition(spec, members(spec, named.get(filled.size()))));
        }
        tables.partitions = List.copyOf(filled);
        tables.nodesCameOrWent = true;
    }

    /// A node is new or has other labels. Only that one is looked at: ten thousand may come at
    /// once.
    void refillPartitions(Node node) {
        effort++;
        var one = IndexSet.of(node.index());
        var filled = new ArrayList<Partition>();
        for (var partition : tables.partitions) {
            var belongs = belongs(node, partition.spec(), named.get(filled.size()));
            var nodes = partition.nodes();
            filled.add(
                    belongs == nodes.contains(node.index())
                            ? partition
                            : new Partition(
                                    partition.spec(),
                                    belongs ? nodes.plus(one) : nodes.minus(one)));
        }
        if (!filled.equals(tables.partitions)) {
            tables.partitions = List.copyOf(filled);
            tables.nodesCameOrWent = true;
        }
    }

    /// How many nodes were looked at to fill partitions, ever.
    long effort() {
        return effort;
    }

    private static Set<String> named(PartitionSpec spec) {
        return isAll(spec) ? Set.of() : new HashSet<>(Hostlist.parse(spec.nodes()).hosts());
    }

    private static boolean isAll(PartitionSpec spec) {
        return spec.nodes().equalsIgnoreCase("ALL");
    }

    private IndexSet members(PartitionSpec spec, Set<String> names) {
        var members = new BitSet();
        for (var node : tables.knownNodes()) {
            effort++;
            if (belongs(node, spec, names)) {
                members.set(node.index());
            }
        }
        return IndexSet.of(members);
    }

    private static boolean belongs(Node node, PartitionSpec spec, Set<String> names) {
        return isAll(spec) || names.contains(node.name()) || isSelected(node, spec);
    }

    private static boolean isSelected(Node node, PartitionSpec spec) {
        var report = node.report();
        return !spec.selector().isEmpty()
                && report != null
                && report.labels().entrySet().containsAll(spec.selector().entrySet());
    }
}
