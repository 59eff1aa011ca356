package dev.spur.engine.site;

import dev.spur.model.PartitionSpec;
import dev.spur.model.PartitionState;
import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import dev.spur.model.notation.TresWeights;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What `scontrol create` and `update partition` can set, under Slurm's names. Append-only by name.
public enum PartitionKey {
    ALLOW_ACCOUNTS(
            "AllowAccounts",
            (draft, text) -> {
                draft.allowAccounts = names(text);
                draft.denyAccounts = List.of();
            }),
    ALLOW_GROUPS("AllowGroups", (draft, text) -> draft.allowGroups = names(text)),
    ALLOW_QOS(
            "AllowQos",
            (draft, text) -> {
                draft.allowQos = names(text);
                draft.denyQos = List.of();
            }),
    DENY_ACCOUNTS(
            "DenyAccounts",
            (draft, text) -> {
                draft.denyAccounts = names(text);
                draft.allowAccounts = List.of();
            }),
    DENY_QOS(
            "DenyQos",
            (draft, text) -> {
                draft.denyQos = names(text);
                draft.allowQos = List.of();
            }),
    DEFAULT("Default", (draft, text) -> draft.isDefault = yes(text)),
    DEFAULT_TIME("DefaultTime", (draft, text) -> draft.defaultTime = defaultTime(text)),
    DEF_MEM_PER_CPU(
            "DefMemPerCPU",
            (draft, text) -> {
                draft.defaultMemoryPerCpu = memory(text);
                draft.defaultMemoryPerNode = 0;
            }),
    DEF_MEM_PER_NODE(
            "DefMemPerNode",
            (draft, text) -> {
                draft.defaultMemoryPerNode = memory(text);
                draft.defaultMemoryPerCpu = 0;
            }),
    GRACE_TIME("GraceTime", (draft, text) -> draft.graceSeconds = number(text, 0)),
    HIDDEN("Hidden", (draft, text) -> draft.hidden = yes(text)),
    MAX_CPUS_PER_NODE("MaxCPUsPerNode", (draft, text) -> draft.maxCpusPerNode = number(text, 0)),
    MAX_MEM_PER_CPU(
            "MaxMemPerCPU",
            (draft, text) -> {
                draft.maxMemoryPerCpu = memory(text);
                draft.maxMemoryPerNode = 0;
            }),
    MAX_MEM_PER_NODE(
            "MaxMemPerNode",
            (draft, text) -> {
                draft.maxMemoryPerNode = memory(text);
                draft.maxMemoryPerCpu = 0;
            }),
    MAX_NODES("MaxNodes", (draft, text) -> draft.maxNodes = number(text, 0)),
    MAX_TIME("MaxTime", (draft, text) -> draft.maxTime = TimeLimit.parse(text)),
    MIN_NODES("MinNodes", (draft, text) -> draft.minNodes = number(text, 0)),
    NODES("Nodes", (draft, text) -> draft.nodes = PartitionNodes.changed(draft.nodes, text)),
    PRIORITY_JOB_FACTOR(
            "PriorityJobFactor", (draft, text) -> draft.priorityJobFactor = number(text, 65_533)),
    PRIORITY_TIER("PriorityTier", (draft, text) -> draft.priorityTier = number(text, 65_533)),
    QOS("QoS", (draft, text) -> draft.qos = text.equalsIgnoreCase("N/A") ? "" : text),
    ROOT_ONLY("RootOnly", (draft, text) -> draft.rootOnly = yes(text)),
    STATE("State", (draft, text) -> draft.state = state(text)),
    BILLING("TRESBillingWeights", (draft, text) -> draft.billing = TresWeights.parse(text));

    /// What a text makes of a partition.
    private interface Setter {
        void set(PartitionSpec.Draft draft, String text);
    }

    private final String key;
    private final Setter setter;

    PartitionKey(String key, Setter setter) {
        this.key = key;
        this.setter = setter;
    }

    /// As Slurm writes it.
    public String key() {
        return key;
    }

    /// In any case.
    public static Optional<PartitionKey> find(String key) {
        return Arrays.stream(values()).filter(one -> one.key.equalsIgnoreCase(key)).findFirst();
    }

    /// @throws NotationException if the text says nothing that the key could be
    Consumer<PartitionSpec.Draft> setting(String text) {
        return draft -> setter.set(draft, text);
    }

    private static List<String> names(String text) {
        return text.isEmpty() || text.equalsIgnoreCase("ALL")
                ? List.of()
                : Arrays.stream(text.split(","))
                        .filter(name -> !name.isEmpty())
                        .distinct()
                        .toList();
    }

    private static boolean yes(String text) {
        return switch (text.toUpperCase(Locale.ROOT)) {
            case "YES", "TRUE", "1" -> true;
            case "NO", "FALSE", "0" -> false;
            default -> throw new NotationException(text, "YES or NO", "say which");
        };
    }

    private static @Nullable TimeLimit defaultTime(String text) {
        return text.equalsIgnoreCase("NONE") || text.equals("-1") ? null : TimeLimit.parse(text);
    }

    private static boolean isUnlimited(String text) {
        return text.equalsIgnoreCase("UNLIMITED") || text.equalsIgnoreCase("INFINITE");
    }

    private static long memory(String text) {
        return isUnlimited(text) ? 0 : MemorySize.parse(text).mebibytes();
    }

    /// @param most 0: as many as there are numbers, and no bound is a word
    private static int number(String text, int most) {
        if (most == 0 && isUnlimited(text)) {
            return 0;
        }
        try {
            var number = Integer.parseInt(text);
            if (number >= 0 && (most == 0 || number <= most)) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Said below: a wrong number and no number are the same mistake.
        }
        throw new NotationException(
                text, "a number", "0 and up, where there is no bound UNLIMITED");
    }

    private static PartitionState state(String text) {
        try {
            return PartitionState.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw new NotationException(
                    text, "a state of partitions", "UP, DOWN, DRAIN or INACTIVE");
        }
    }
}
