package dev.spur.cli.sinfo;

import dev.spur.api.v1.Node;
import dev.spur.api.v1.Partition;
import dev.spur.api.v1.TimeLimit;
import dev.spur.cli.format.Field;
import dev.spur.cli.format.FieldTable;
import dev.spur.cli.format.View;
import dev.spur.model.notation.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// What sinfo can show of a group of nodes: `-o` letter, header, value, `-O` names. The four lists
/// say when two nodes may not share a line: when their partitions differ in a field that is shown,
/// when they themselves do, when their sizes do and `--exact` was given, or never.
final class GroupFields {
    static final List<Field<Group>> OF_PARTITION =
            List.of(
                    Field.of('a', "AVAIL", ofPartition(GroupFields::availability), "available"),
                    Field.of(
                            'B',
                            "MAX_CPUS_PER_NODE",
                            ofPartition(GroupFields::mostCpusPerNode),
                            "maxcpuspernode"),
                    Field.of('g', "GROUPS", ofPartition(GroupFields::groups), "groups"),
                    Field.of(
                            'h',
                            "OVERSUBSCRIBE",
                            ofPartition(GroupFields::oversubscribe),
                            "oversubscribe",
                            "share"),
                    Field.of(
                            'I',
                            "PRIO_JOB_FACTOR",
                            ofPartition(p -> unsigned(p.getPriorityJobFactor())),
                            "priorityjobfactor"),
                    Field.of(
                            'l',
                            "TIMELIMIT",
                            ofPartition(p -> limit(p.getMaxTime(), "infinite")),
                            "time"),
                    Field.of(
                            'L',
                            "DEFAULTTIME",
                            ofPartition(p -> limit(p.getDefaultTime(), "n/a")),
                            "defaulttime"),
                    Field.of(
                            'M',
                            "PREEMPT_MODE",
                            ofPartition(GroupFields::preemption),
                            "preemptmode"),
                    Field.of(
                            'p',
                            "PRIO_TIER",
                            ofPartition(p -> unsigned(p.getPriorityTier())),
                            "prioritytier",
                            "priority"),
                    Field.of('P', "PARTITION", ofPartition(GroupFields::starred), "partition"),
                    Field.of('r', "ROOT", ofPartition(p -> p.getRootOnly() ? "yes" : "no"), "root"),
                    Field.of('R', "PARTITION", ofPartition(Partition::getName), "partitionname"),
                    Field.of('s', "JOB_SIZE", ofPartition(GroupFields::jobSize), "size"),
                    Field.of('S', "ALLOCNODES", ofPartition(_ -> "all"), "allocnodes"),
                    Field.of('V', "CLUSTER", ofPartition(_ -> "N/A"), "cluster"));

    static final List<Field<Group>> OF_NODE =
            List.of(
                    Field.of(
                            'b',
                            "ACTIVE_FEATURES",
                            ofNode(node -> features(node.getActiveFeaturesList())),
                            "features_act"),
                    Field.of('E', "REASON", ofNode(node -> or(node.getReason(), "none")), "reason"),
                    Field.of(
                            'f',
                            "AVAIL_FEATURES",
                            ofNode(node -> features(node.getFeaturesList())),
                            "features"),
                    Field.of('G', "GRES", ofNode(node -> or(node.getGres(), "(null)")), "gres"),
                    Field.of('H', "TIMESTAMP", GroupFields::reasonTime, "timestamp"),
                    Field.of('n', "HOSTNAMES", names(Node::getHostname), "nodehost"),
                    Field.of('o', "NODE_ADDR", names(Node::getAddress), "nodeaddr"),
                    Field.of(
                            't',
                            "STATE",
                            (text, group, _) -> text.append(state(group, NodeState::compact)),
                            "statecompact"),
                    Field.of(
                            'T',
                            "STATE",
                            (text, group, _) -> text.append(state(group, NodeState::full)),
                            "statelong"),
                    Field.of(
                            'u',
                            "USER",
                            ofNode(node -> or(node.getReasonUser(), "Unknown")),
                            "user"),
                    Field.of('U', "USER", ofNode(GroupFields::reasonUser), "userlong"),
                    Field.of('v', "VERSION", ofNode(Node::getVersion), "version"),
                    Field.of(
                            "ALLOCMEM",
                            ofNode(node -> Long.toString(node.getAllocMemMb())),
                            "allocmem"),
                    Field.of("COMMENT", ofNode(node -> or(node.getComment(), "(null)")), "comment"),
                    Field.of("EXTRA", ofNode(node -> or(node.getExtra(), "(null)")), "extra"),
                    Field.of(
                            "GRES_USED",
                            ofNode(node -> or(node.getGresUsed(), "(null)")),
                            "gresused"),
                    Field.of("PORT", ofNode(node -> unsigned(node.getPort())), "port"),
                    Field.of(
                            "STATE",
                            (text, group, _) -> text.append(state(group, NodeState::complete)),
                            "statecomplete"));

    static final List<Field<Group>> OF_SIZE =
            List.of(
                    Field.of(
                            'c',
                            "CPUS",
                            atLeast(node -> Integer.toUnsignedLong(node.getCpus())),
                            "cpus"),
                    Field.of('d', "TMP_DISK", atLeast(Node::getTmpMb), "disk"),
                    Field.of('e', "FREE_MEM", GroupFields::freeMemory, "freemem"),
                    Field.of('m', "MEMORY", atLeast(Node::getMemoryMb), "memory"),
                    Field.of('O', "CPU_LOAD", GroupFields::load, "cpusload"),
                    Field.of(
                            'w',
                            "WEIGHT",
                            atLeast(node -> Integer.toUnsignedLong(node.getWeight())),
                            "weight"),
                    Field.of('X', "SOCKETS", atLeast(Node::getSockets), "sockets"),
                    Field.of('Y', "CORES", atLeast(Node::getCoresPerSocket), "cores"),
                    Field.of('z', "S:C:T", GroupFields::socketsCoresThreads, "socketcorethread"),
                    Field.of('Z', "THREADS", atLeast(Node::getThreadsPerCore), "threads"));

    static final List<Field<Group>> OF_GROUP =
            List.of(
                    Field.of('A', "NODES(A/I)", GroupFields::busyAndIdleNodes, "nodeai"),
                    Field.of('C', "CPUS(A/I/O/T)", GroupFields::cpusByUse, "cpusstate"),
                    Field.of(
                            'D',
                            "NODES",
                            (text, group, _) -> text.append(group.nodes().size()),
                            "nodes"),
                    Field.of('F', "NODES(A/I/O/T)", GroupFields::nodesByUse, "nodeaiot"),
                    Field.of('N', "NODELIST", names(Node::getName), "nodelist"));

    static final FieldTable<Group> TABLE = new FieldTable<>("node", all());

    private GroupFields() {}

    private static List<Field<Group>> all() {
        var fields = new ArrayList<>(OF_PARTITION);
        fields.addAll(OF_NODE);
        fields.addAll(OF_SIZE);
        fields.addAll(OF_GROUP);
        return fields;
    }

    private static Field.Cell<Group> ofPartition(Function<Partition, String> value) {
        return (text, group, _) -> text.append(value.apply(group.partition()));
    }

    private static Field.Cell<Group> ofNode(Function<Node, String> value) {
        return (text, group, _) -> text.append(group.shared(value, "n/a"));
    }

    private static Field.Cell<Group> names(Function<Node, String> name) {
        return (text, group, _) -> text.append(group.names(name));
    }

    /// `8`, or `8+` when some nodes have more.
    private static Field.Cell<Group> atLeast(ToLongFunction<Node> size) {
        return (text, group, _) -> appendAtLeast(text, group, size);
    }

    private static void appendAtLeast(StringBuilder text, Group group, ToLongFunction<Node> size) {
        var least = group.least(size);
        text.append(least).append(group.most(size) > least ? "+" : "");
    }

    private static void socketsCoresThreads(StringBuilder text, Group group, View view) {
        appendAtLeast(text, group, Node::getSockets);
        appendAtLeast(text.append(':'), group, Node::getCoresPerSocket);
        appendAtLeast(text.append(':'), group, Node::getThreadsPerCore);
    }

    private static String availability(Partition partition) {
        return switch (partition.getState()) {
            case "", "UP" -> "up";
            case "DOWN" -> "down";
            case "DRAIN" -> "drain";
            default -> "inact";
        };
    }

    private static String mostCpusPerNode(Partition partition) {
        return partition.getMaxCpusPerNode() == 0
                ? "UNLIMITED"
                : unsigned(partition.getMaxCpusPerNode());
    }

    private static String groups(Partition partition) {
        return partition.getAllowGroupsCount() == 0
                ? "all"
                : String.join(",", partition.getAllowGroupsList());
    }

    private static String oversubscribe(Partition partition) {
        return or(partition.getOversubscribe(), "NO");
    }

    private static String preemption(Partition partition) {
        return or(partition.getPreemptMode(), "OFF");
    }

    private static String starred(Partition partition) {
        return partition.getIsDefault() ? partition.getName() + "*" : partition.getName();
    }

    private static String jobSize(Partition partition) {
        var least = unsigned(Math.max(1, partition.getMinNodes()));
        if (partition.getMaxNodes() == 0) {
            return least + "-infinite";
        }
        var most = unsigned(partition.getMaxNodes());
        return least.equals(most) ? least : least + "-" + most;
    }

    private static String limit(TimeLimit limit, String unset) {
        return switch (limit.getLimitCase()) {
            case MINUTES ->
                    Durations.brief(Duration.ofMinutes(Integer.toUnsignedLong(limit.getMinutes())));
            case UNLIMITED -> "infinite";
            case LIMIT_NOT_SET -> unset;
        };
    }

    private static String features(List<String> features) {
        return features.isEmpty() ? "(null)" : String.join(",", features);
    }

    private static void reasonTime(StringBuilder text, Group group, View view) {
        if (group.isEmpty()) {
            text.append("n/a");
        } else {
            view.times().append(text, group.nodes().getFirst().getReasonMicros(), "Unknown");
        }
    }

    private static String state(Group group, Function<NodeState, String> form) {
        return group.isEmpty() ? "n/a" : form.apply(group.state());
    }

    /// Known only of nodes whose agent has reported.
    private static boolean hasReported(Group group) {
        return group.nodes().stream().anyMatch(node -> node.getAgentStartMicros() != 0);
    }

    private static void freeMemory(StringBuilder text, Group group, View view) {
        if (!hasReported(group)) {
            text.append("N/A");
            return;
        }
        var least = group.least(Node::getFreeMemMb);
        var most = group.most(Node::getFreeMemMb);
        text.append(least);
        if (most > least) {
            text.append('-').append(most);
        }
    }

    private static void load(StringBuilder text, Group group, View view) {
        if (!hasReported(group)) {
            text.append("N/A");
            return;
        }
        var least = group.least(Node::getLoadHundredths);
        var most = group.most(Node::getLoadHundredths);
        hundredths(text, least);
        if (most > least) {
            hundredths(text.append('-'), most);
        }
    }

    private static void hundredths(StringBuilder text, long value) {
        text.append(value / 100).append('.').append(value / 10 % 10).append(value % 10);
    }

    private static void cpusByUse(StringBuilder text, Group group, View view) {
        var counted = group.counted();
        uses(
                text,
                group.sum(Node::getAllocCpus),
                counted.restOfCpus(true),
                counted.restOfCpus(false));
    }

    private static void nodesByUse(StringBuilder text, Group group, View view) {
        var counted = group.counted();
        uses(text, counted.busyNodes(), counted.idleNodes(), counted.otherNodes());
    }

    private static void busyAndIdleNodes(StringBuilder text, Group group, View view) {
        var counted = group.counted();
        text.append(counted.busyNodes()).append('/').append(counted.idleNodes());
    }

    private static void uses(StringBuilder text, long allocated, long idle, long other) {
        text.append(allocated).append('/').append(idle).append('/').append(other).append('/');
        text.append(allocated + idle + other);
    }

    private static String reasonUser(Node node) {
        return node.getReasonUser().isEmpty()
                ? "Unknown"
                : "%s(%s)".formatted(node.getReasonUser(), unsigned(node.getReasonUid()));
    }

    private static String or(String value, String otherwise) {
        return value.isEmpty() ? otherwise : value;
    }

    private static String unsigned(int number) {
        return Integer.toUnsignedString(number);
    }
}
