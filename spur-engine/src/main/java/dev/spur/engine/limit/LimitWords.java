package dev.spur.engine.limit;

import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.PendingReason;

/// Slurm's words for resources in its reasons, which grew over the years: `AssocGrpCpuLimit`,
/// `AssocGrpCPUMinutesLimit`, `AssocGrpGRES`, `QOSMaxMemoryPerJob`.
final class LimitWords {
    private LimitWords() {}

    /// `Cpu`, `Memory`, `Node`, `Billing`, `GRES`, …
    static String of(int id, TresRegistry registry) {
        return switch (id) {
            case TresRegistry.CPU -> "Cpu";
            case TresRegistry.MEM -> "Memory";
            case TresRegistry.NODE -> "Node";
            case TresRegistry.BILLING -> "Billing";
            default -> {
                var name = registry.name(id).orElse("");
                yield name.startsWith("gres/")
                        ? "GRES"
                        : name.startsWith("license/")
                                ? "License"
                                : name.startsWith("bb/")
                                        ? "BB"
                                        : name.equals("energy") ? "Energy" : "Unknown";
            }
        };
    }

    /// Behind `Grp`.
    static String group(int id, TresRegistry registry) {
        return switch (id) {
            case TresRegistry.CPU -> "CpuLimit";
            case TresRegistry.NODE -> "NodeLimit";
            case TresRegistry.MEM -> "MemLimit";
            default -> of(id, registry);
        };
    }

    /// Behind `Grp` or `Max`.
    ///
    /// @param kind `Run` of those that running jobs may still use
    static String minutes(int id, TresRegistry registry, String kind) {
        return id == TresRegistry.CPU
                ? "CPU" + kind + "MinutesLimit"
                : of(id, registry).replace("Memory", "Mem") + kind + "Minutes";
    }

    static String minutesPerJob(int id, TresRegistry registry) {
        return id == TresRegistry.CPU
                ? "CpuMinutesPerJobLimit"
                : of(id, registry).replace("Memory", "Mem") + "MinutesPerJob";
    }

    static String perJob(int id, TresRegistry registry, PendingReason whose) {
        return switch (id) {
            case TresRegistry.CPU -> "CpuPerJobLimit";
            case TresRegistry.NODE -> "NodePerJobLimit";
            case TresRegistry.MEM ->
                    whose == PendingReason.QOS_LIMIT ? "MemoryPerJob" : "MemPerJob";
            default -> of(id, registry) + "PerJob";
        };
    }

    static String perUser(int id, TresRegistry registry) {
        return switch (id) {
            case TresRegistry.CPU -> "CpuPerUserLimit";
            case TresRegistry.NODE -> "NodePerUserLimit";
            default -> of(id, registry) + "PerUser";
        };
    }

    static String tooLittle(int id, TresRegistry registry) {
        return id == TresRegistry.CPU ? "MinCpuNotSatisfied" : "Min" + of(id, registry);
    }
}
