package dev.spur.cli.scontrol;

import static dev.spur.cli.squeue.JobText.unsigned;

import dev.spur.api.v1.Partition;
import java.util.List;

/// A partition as `scontrol show partition` lays it out.
final class PartitionRecord {
    private PartitionRecord() {}

    static String of(Partition partition, boolean isOneLine) {
        var record = new RecordText(isOneLine);
        record.line("PartitionName=" + partition.getName());
        record.line(
                "AllowGroups=%s %s %s"
                        .formatted(
                                list(partition.getAllowGroupsList(), "ALL"),
                                allowance(
                                        "Accounts",
                                        partition.getAllowAccountsList(),
                                        partition.getDenyAccountsList()),
                                allowance(
                                        "Qos",
                                        partition.getAllowQosList(),
                                        partition.getDenyQosList())));
        record.line(
                "AllocNodes=ALL Default=%s QoS=%s"
                        .formatted(yes(partition.getIsDefault()), or(partition.getQos(), "N/A")));
        record.line(
                "DefaultTime=%s DisableRootJobs=NO ExclusiveUser=NO GraceTime=%d Hidden=%s"
                        .formatted(
                                JobRecord.limit(partition.getDefaultTime(), "NONE"),
                                unsigned(partition.getGraceSeconds()),
                                yes(partition.getHidden())));
        record.line(
                "MaxNodes=%s MaxTime=%s MinNodes=%d LLN=NO MaxCPUsPerNode=%s"
                        .formatted(
                                orUnlimited(unsigned(partition.getMaxNodes())),
                                JobRecord.limit(partition.getMaxTime(), "UNLIMITED"),
                                unsigned(partition.getMinNodes()),
                                orUnlimited(unsigned(partition.getMaxCpusPerNode()))));
        record.line("Nodes=" + or(partition.getNodes(), "(null)"));
        record.line(
                "PriorityJobFactor=%d PriorityTier=%d RootOnly=%s ReqResv=NO OverSubscribe=%s"
                        .formatted(
                                unsigned(partition.getPriorityJobFactor()),
                                unsigned(partition.getPriorityTier()),
                                yes(partition.getRootOnly()),
                                or(partition.getOversubscribe(), "NO")));
        record.line("OverTimeLimit=NONE PreemptMode=" + or(partition.getPreemptMode(), "OFF"));
        record.line(
                "State=%s TotalCPUs=%d TotalNodes=%d SelectTypeParameters=NONE"
                        .formatted(
                                or(partition.getState(), "UP"),
                                unsigned(partition.getTotalCpus()),
                                unsigned(partition.getTotalNodes())));
        record.line("JobDefaults=(null)");
        record.line(
                "%s %s"
                        .formatted(
                                memory(
                                        "Def",
                                        partition.getDefMemPerCpuMb(),
                                        partition.getDefMemPerNodeMb()),
                                memory(
                                        "Max",
                                        partition.getMaxMemPerCpuMb(),
                                        partition.getMaxMemPerNodeMb())));
        record.line("TRES=" + or(partition.getTres(), "(null)"));
        return record.toString();
    }

    private static String allowance(String what, List<String> allowed, List<String> denied) {
        return allowed.isEmpty() && !denied.isEmpty()
                ? "Deny%s=%s".formatted(what, String.join(",", denied))
                : "Allow%s=%s".formatted(what, list(allowed, "ALL"));
    }

    private static String memory(String which, long perCpu, long perNode) {
        return perCpu != 0
                ? which + "MemPerCPU=" + perCpu
                : which + "MemPerNode=" + orUnlimited(perNode);
    }

    private static String list(List<String> names, String none) {
        return names.isEmpty() ? none : String.join(",", names);
    }

    private static String orUnlimited(long number) {
        return number == 0 ? "UNLIMITED" : Long.toString(number);
    }

    private static String yes(boolean isSet) {
        return isSet ? "YES" : "NO";
    }

    private static String or(String text, String otherwise) {
        return text.isEmpty() ? otherwise : text;
    }
}
