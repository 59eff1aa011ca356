package dev.spur.model;

import dev.spur.model.notation.TimeLimit;
import dev.spur.model.notation.TresWeights;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// `[[partitions]]` of the configuration. Numbers of zero mean "no bound"; empty lists allow
/// everybody.
///
/// @param nodes a hostlist, or `ALL`
/// @param selector nodes whose labels have all these pairs belong too
/// @param qos whose limits hold for all jobs here; empty: none
/// @param billing what a job is billed for; nothing: CPUs
/// @param defaultTime for jobs that name no limit; missing: `maxTime`
public record PartitionSpec(
        String name,
        boolean isDefault,
        PartitionState state,
        String nodes,
        Map<String, String> selector,
        TimeLimit maxTime,
        @Nullable TimeLimit defaultTime,
        int minNodes,
        int maxNodes,
        List<String> allowAccounts,
        List<String> denyAccounts,
        List<String> allowGroups,
        List<String> allowQos,
        List<String> denyQos,
        int priorityTier,
        int priorityJobFactor,
        String preemptMode,
        long defaultMemoryPerCpu,
        long defaultMemoryPerNode,
        long maxMemoryPerCpu,
        long maxMemoryPerNode,
        String oversubscribe,
        boolean hidden,
        boolean rootOnly,
        int graceSeconds,
        int maxCpusPerNode,
        String qos,
        TresWeights billing) {

    public PartitionSpec {
        selector = Collections.unmodifiableMap(new TreeMap<>(selector));
        allowAccounts = List.copyOf(allowAccounts);
        denyAccounts = List.copyOf(denyAccounts);
        allowGroups = List.copyOf(allowGroups);
        allowQos = List.copyOf(allowQos);
        denyQos = List.copyOf(denyQos);
    }

    /// A partition that is up, without limits.
    public static PartitionSpec of(String name, boolean isDefault, String nodes) {
        return new PartitionSpec(
                name,
                isDefault,
                PartitionState.UP,
                nodes,
                Map.of(),
                TimeLimit.UNLIMITED,
                null,
                0,
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                1,
                1,
                "OFF",
                0,
                0,
                0,
                0,
                "NO",
                false,
                false,
                0,
                0,
                "",
                TresWeights.NONE);
    }

    /// A copy that differs in what `change` sets.
    public PartitionSpec with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.done();
    }

    /// A spec that is being changed.
    public static final class Draft {
        public String name;
        public boolean isDefault;
        public PartitionState state;
        public String nodes;
        public Map<String, String> selector;
        public TimeLimit maxTime;
        public @Nullable TimeLimit defaultTime;
        public int minNodes;
        public int maxNodes;
        public List<String> allowAccounts;
        public List<String> denyAccounts;
        public List<String> allowGroups;
        public List<String> allowQos;
        public List<String> denyQos;
        public int priorityTier;
        public int priorityJobFactor;
        public String preemptMode;
        public long defaultMemoryPerCpu;
        public long defaultMemoryPerNode;
        public long maxMemoryPerCpu;
        public long maxMemoryPerNode;
        public String oversubscribe;
        public boolean hidden;
        public boolean rootOnly;
        public int graceSeconds;
        public int maxCpusPerNode;
        public String qos;
        public TresWeights billing;

        private Draft(PartitionSpec from) {
            name = from.name;
            isDefault = from.isDefault;
            state = from.state;
            nodes = from.nodes;
            selector = from.selector;
            maxTime = from.maxTime;
            defaultTime = from.defaultTime;
            minNodes = from.minNodes;
            maxNodes = from.maxNodes;
            allowAccounts = from.allowAccounts;
            denyAccounts = from.denyAccounts;
            allowGroups = from.allowGroups;
            allowQos = from.allowQos;
            denyQos = from.denyQos;
            priorityTier = from.priorityTier;
            priorityJobFactor = from.priorityJobFactor;
            preemptMode = from.preemptMode;
            defaultMemoryPerCpu = from.defaultMemoryPerCpu;
            defaultMemoryPerNode = from.defaultMemoryPerNode;
            maxMemoryPerCpu = from.maxMemoryPerCpu;
            maxMemoryPerNode = from.maxMemoryPerNode;
            oversubscribe = from.oversubscribe;
            hidden = from.hidden;
            rootOnly = from.rootOnly;
            graceSeconds = from.graceSeconds;
            maxCpusPerNode = from.maxCpusPerNode;
            qos = from.qos;
            billing = from.billing;
        }

        private PartitionSpec done() {
            return new PartitionSpec(
                    name,
                    isDefault,
                    state,
                    nodes,
                    selector,
                    maxTime,
                    defaultTime,
                    minNodes,
                    maxNodes,
                    allowAccounts,
                    denyAccounts,
                    allowGroups,
                    allowQos,
                    denyQos,
                    priorityTier,
                    priorityJobFactor,
                    preemptMode,
                    defaultMemoryPerCpu,
                    defaultMemoryPerNode,
                    maxMemoryPerCpu,
                    maxMemoryPerNode,
                    oversubscribe,
                    hidden,
                    rootOnly,
                    graceSeconds,
                    maxCpusPerNode,
                    qos,
                    billing);
        }
    }
}
