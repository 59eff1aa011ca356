package dev.spur.engine.account;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A quality of service: priority and limits that jobs ask for by name.
///
/// @param usageFactor by which the usage of its jobs is multiplied
/// @param usageThreshold the fair share that a job of it must have to start; missing: any
/// @param preempt which it may push aside, by number
/// @param preemptMode empty: that of the cluster
public record Qos(
        int id,
        String name,
        String description,
        int priority,
        List<QosFlag> flags,
        Double usageFactor,
        @Nullable Double usageThreshold,
        List<Integer> preempt,
        String preemptMode,
        int graceSeconds,
        @Nullable Integer preemptExemptSeconds,
        Limits limits) {
    /// The one that every cluster begins with.
    public static final String NORMAL = "normal";

    public Qos {
        flags = List.copyOf(new TreeSet<>(flags));
        preempt = List.copyOf(preempt);
    }

    static Qos of(int id, String name) {
        return new Qos(
                id, name, name, 0, List.of(), 1.0, null, List.of(), "", 0, null, Limits.NONE);
    }

    public boolean has(QosFlag flag) {
        return flags.contains(flag);
    }

    Qos withDescription(String text) {
        return new Qos(
                id,
                name,
                text,
                priority,
                flags,
                usageFactor,
                usageThreshold,
                preempt,
                preemptMode,
                graceSeconds,
                preemptExemptSeconds,
                limits);
    }

    Qos withPriority(int number) {
        return new Qos(
                id,
                name,
                description,
                number,
                flags,
                usageFactor,
                usageThreshold,
                preempt,
                preemptMode,
                graceSeconds,
                preemptExemptSeconds,
                limits);
    }

    Qos withFlags(Set<QosFlag> others) {
        return new Qos(
                id,
                name,
                description,
                priority,
                List.copyOf(others),
                usageFactor,
                usageThreshold,
                preempt,
                preemptMode,
                graceSeconds,
                preemptExemptSeconds,
                limits);
    }

    Qos withUsage(Double factor, @Nullable Double threshold) {
        return new Qos(
                id,
                name,
                description,
                priority,
                flags,
                factor,
                threshold,
                preempt,
                preemptMode,
                graceSeconds,
                preemptExemptSeconds,
                limits);
    }

    Qos withPreemption(
            List<Integer> others, String mode, int grace, @Nullable Integer exemptSeconds) {
        return new Qos(
                id,
                name,
                description,
                priority,
                flags,
                usageFactor,
                usageThreshold,
                others,
                mode,
                grace,
                exemptSeconds,
                limits);
    }

    Qos with(Limits others) {
        return new Qos(
                id,
                name,
                description,
                priority,
                flags,
                usageFactor,
                usageThreshold,
                preempt,
                preemptMode,
                graceSeconds,
                preemptExemptSeconds,
                others);
    }
}
