package dev.spur.model;

import dev.spur.model.notation.TimeLimit;
import dev.spur.model.notation.TresWeights;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
}
