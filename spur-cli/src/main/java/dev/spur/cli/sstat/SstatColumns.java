package dev.spur.cli.sstat;

import dev.spur.cli.format.RuledColumn;
import dev.spur.cli.history.UsageColumns;
import dev.spur.model.notation.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Every column of sstat, in the order in which names are looked for.
final class SstatColumns {
    static final String USUAL =
            "jobid,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,maxpages,maxpagesnode,"
                    + "maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,avecpufreq,reqcpufreqmin,reqcpufreqmax,"
                    + "reqcpufreqgov,consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,"
                    + "maxdiskwritenode,maxdiskwritetask,avediskwrite,tresusageinave,tresusageinmax,tresusageinmaxn,tresusageinmaxt,"
                    + "tresusageinmin,tresusageinminn,tresusageinmint,tresusageintot,tresusageoutave,tresusageoutmax,tresusageoutmaxn,"
                    + "tresusageoutmaxt,tresusageoutmin,tresusageoutminn,tresusageoutmint,tresusageouttot";
    static final String PIDS = "jobid,nodelist,pids";

    private static final int DISK = 12;
    private static final UsageColumns<StepRow> USED =
            new UsageColumns<>(StepRow::usage, StepRow::units, SstatColumns::clock);

    static final List<RuledColumn<StepRow>> ALL = List.copyOf(all());

    private SstatColumns() {}

    private static List<RuledColumn<StepRow>> all() {
        var list = new ArrayList<RuledColumn<StepRow>>();
        list.addAll(USED.named("AveCPU", "AveCPUFreq"));
        USED.named("AveDiskRead", "AveDiskWrite").forEach(column -> list.add(column.wide(DISK)));
        list.addAll(
                USED.named(
                        "AvePages", "AveRSS", "AveVMSize", "ConsumedEnergy", "ConsumedEnergyRaw"));
        list.add(RuledColumn.text("JobID", -12, (row, _) -> row.id()));
        list.addAll(
                USED.named(
                        "MaxDiskRead",
                        "MaxDiskReadNode",
                        "MaxDiskReadTask",
                        "MaxDiskWrite",
                        "MaxDiskWriteNode",
                        "MaxDiskWriteTask",
                        "MaxPages",
                        "MaxPagesNode",
                        "MaxPagesTask",
                        "MaxRSS",
                        "MaxRSSNode",
                        "MaxRSSTask",
                        "MaxVMSize",
                        "MaxVMSizeNode",
                        "MaxVMSizeTask",
                        "MinCPU",
                        "MinCPUNode",
                        "MinCPUTask"));
        list.add(RuledColumn.text("Nodelist", 20, (row, _) -> row.nodes()));
        list.add(
                RuledColumn.number(
                        "NTasks",
                        8,
                        (row, _) -> Integer.toUnsignedString(row.step().getUsage().getTasks())));
        list.add(RuledColumn.text("Pids", 20, (row, _) -> row.pidList()));
        list.add(frequency("ReqCPUFreq"));
        list.add(frequency("ReqCPUFreqMin"));
        list.add(frequency("ReqCPUFreqMax"));
        list.add(frequency("ReqCPUFreqGov"));
        list.addAll(
                USED.named(
                        "TRESUsageInAve",
                        "TRESUsageInMax",
                        "TRESUsageInMaxNode",
                        "TRESUsageInMaxTask",
                        "TRESUsageInMin",
                        "TRESUsageInMinNode",
                        "TRESUsageInMinTask",
                        "TRESUsageInTot",
                        "TRESUsageOutAve",
                        "TRESUsageOutMax",
                        "TRESUsageOutMaxNode",
                        "TRESUsageOutMaxTask"));
        // Which task writes least is not kept.
        list.add(RuledColumn.text("TRESUsageOutMin", 15, (_, _) -> ""));
        list.add(RuledColumn.text("TRESUsageOutMinNode", 19, (_, _) -> ""));
        list.add(RuledColumn.text("TRESUsageOutMinTask", 19, (_, _) -> ""));
        list.addAll(USED.named("TRESUsageOutTot"));
        return list;
    }

    private static RuledColumn<StepRow> frequency(String name) {
        return RuledColumn.text(name, 13, (row, _) -> row.requestedFrequency());
    }

    private static String clock(long micros) {
        return Durations.padded(Duration.ofSeconds(micros / 1_000_000));
    }
}
