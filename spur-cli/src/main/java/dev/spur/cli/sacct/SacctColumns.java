package dev.spur.cli.sacct;

import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.TimeLimit;
import dev.spur.cli.format.RuledColumn;
import dev.spur.cli.format.View;
import dev.spur.cli.history.Amounts;
import dev.spur.cli.history.UsageColumns;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// Every column of sacct, in the order in which names are looked for.
final class SacctColumns {
    static final String USUAL = "jobid,jobname,partition,account,alloccpus,state,exitcode";
    static final String BRIEF = "jobid,state,exitcode";
    static final String LONG =
            "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,"
                    + "maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,alloccpus,elapsed,state,"
                    + "exitcode,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,maxdiskreadnode,"
                    + "maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,reqtres,alloctres,"
                    + "tresusageinave,tresusageinmax,tresusageinmaxn,tresusageinmaxt,tresusageinmin,tresusageinminn,tresusageinmint,"
                    + "tresusageintot,tresusageoutmax,tresusageoutmaxn,tresusageoutmaxt,tresusageoutave,tresusageouttot";

    private static final long MICROS = 1_000_000;
    private static final int DATE = 19;

    private static final UsageColumns<Row> USED =
            new UsageColumns<>(Row::usage, row -> row.show().units(), SacctColumns::cpu);

    static final List<RuledColumn<Row>> ALL = List.copyOf(all());

    private SacctColumns() {}

    private static List<RuledColumn<Row>> all() {
        var list = new ArrayList<RuledColumn<Row>>();
        list.add(both("Account", 10, row -> row.job().getAccount()));
        list.add(ofJob("AdminComment", DATE, JobRecord::getAdminComment));
        list.add(count("AllocCPUS", 10, Row::cpus));
        list.add(count("AllocNodes", 10, Row::nodes));
        list.add(both("AllocTRES", 10, SacctColumns::allocated));
        list.add(ofJob("AssocID", 7, job -> number(job.getAssociationId())));
        list.addAll(
                USED.named(
                        "AveCPU",
                        "AveCPUFreq",
                        "AveDiskRead",
                        "AveDiskWrite",
                        "AvePages",
                        "AveRSS",
                        "AveVMSize"));
        list.add(both("BlockID", 16, _ -> ""));
        list.add(both("Cluster", 10, row -> row.history().getCluster()));
        list.add(ofJob("Comment", 14, JobRecord::getComment));
        list.add(ofJob("Constraints", DATE, JobRecord::getConstraint));
        list.addAll(USED.named("ConsumedEnergy", "ConsumedEnergyRaw"));
        list.add(
                both(
                        "Container",
                        19,
                        row ->
                                row.step() == null
                                        ? row.job().getContainer()
                                        : row.step().getContainer()));
        list.add(clock("CPUTime", 10, row -> row.elapsed() * row.cpus()));
        list.add(count("CPUTimeRAW", 10, row -> row.elapsed() * row.cpus()));
        list.add(
                ofJobRow(
                        "DBIndex",
                        20,
                        row ->
                                row.history().getDbIndex() == 0
                                        ? ""
                                        : Long.toUnsignedString(row.history().getDbIndex())));
        list.add(
                ofJob(
                        "DerivedExitCode",
                        15,
                        job -> exit(job.getDerivedExitCode(), job.getDerivedExitSignal())));
        list.add(clock("Elapsed", 10, Row::elapsed));
        list.add(count("ElapsedRaw", 10, Row::elapsed));
        list.add(
                date(
                        "Eligible",
                        row -> row.step() == null ? row.job().getEligibleMicros() : 0,
                        row -> row.isJob() ? "Unknown" : ""));
        list.add(date("End", Row::end, _ -> "Unknown"));
        list.add(
                both(
                        "ExitCode",
                        8,
                        row ->
                                row.step() == null
                                        ? exit(row.job().getExitCode(), row.job().getExitSignal())
                                        : exit(
                                                row.step().getExitCode(),
                                                row.step().getExitSignal())));
        list.add(ofJob("Flags", 20, JobRecord::getFlags));
        list.add(ofJob("GID", 6, job -> Integer.toUnsignedString(job.getGid())));
        list.add(ofJob("Group", 9, JobRecord::getGroupName));
        list.add(both("JobID", -12, Row::id));
        list.add(both("JobIDRaw", -12, Row::rawId));
        list.add(
                both(
                        "JobName",
                        10,
                        row -> row.step() == null ? row.job().getName() : row.step().getName()));
        list.add(
                both(
                        "Layout",
                        9,
                        row -> row.step() == null ? "" : layout(row.step().getDistribution())));
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
                        "MaxVMSizeTask"));
        list.add(ofJob("McsLabel", 10, JobRecord::getMcsLabel));
        list.addAll(USED.named("MinCPU", "MinCPUNode", "MinCPUTask"));
        list.add(count("NCPUS", 10, Row::cpus));
        list.add(count("NNodes", 8, Row::nodes));
        list.add(both("NodeList", 15, SacctColumns::nodeList));
        list.add(both("NTasks", 8, row -> row.step() == null ? "" : number(row.step().getTasks())));
        list.add(ofJob("Priority", 10, job -> Integer.toUnsignedString(job.getPriority())));
        list.add(ofJob("Partition", 10, JobRecord::getPartition));
        list.add(ofJob("QOS", 10, JobRecord::getQos));
        list.add(ofJob("QOSRAW", 6, JobRecord::getQos));
        list.add(ofJob("Reason", 22, job -> job.getReason().isEmpty() ? "None" : job.getReason()));
        list.add(both("ReqCPUFreq", 10, _ -> "Unknown"));
        list.add(both("ReqCPUFreqMin", 13, _ -> "Unknown"));
        list.add(both("ReqCPUFreqMax", 13, _ -> "Unknown"));
        list.add(both("ReqCPUFreqGov", 13, _ -> "Unknown"));
        list.add(count("ReqCPUS", 8, Row::requestedCpus));
        list.add(
                ofJobRow(
                        "ReqMem",
                        10,
                        row ->
                                row.job().getReqMemMb() == 0
                                        ? "0"
                                        : row.show().units().mebibytes(row.job().getReqMemMb())));
        list.add(
                ofJobRow(
                        "ReqNodes",
                        8,
                        row -> Long.toString(row.job().getTresRequestedOrDefault(4, row.nodes()))));
        list.add(ofJobRow("ReqTRES", 10, row -> amounts(row.job().getTresRequestedMap(), row)));
        list.add(ofJob("Reservation", 20, JobRecord::getReservation));
        list.add(ofJob("ReservationId", 8, _ -> ""));
        list.add(ofJobRow("Reserved", 10, row -> clock(row.planned())));
        list.add(ofJobRow("Planned", 10, row -> clock(row.planned())));
        list.add(ofJobRow("PlannedCPU", 10, row -> clock(row.planned() * row.requestedCpus())));
        list.add(
                ofJobRow(
                        "PlannedCPURAW",
                        13,
                        row -> Long.toString(row.planned() * row.requestedCpus())));
        list.add(
                date(
                        "Start",
                        Row::start,
                        row ->
                                row.isJob() && row.job().getState().startsWith("CANCELLED")
                                        ? "None"
                                        : "Unknown"));
        list.add(both("State", 10, Row::state));
        list.add(
                date(
                        "Submit",
                        row ->
                                row.step() == null
                                        ? row.job().getSubmitMicros()
                                        : row.step().getStartMicros(),
                        _ -> "Unknown"));
        list.add(
                both(
                        "SubmitLine",
                        20,
                        row ->
                                row.step() == null
                                        ? row.job().getSubmitLine()
                                        : row.step().getSubmitLine()));
        list.add(clock("Suspended", 10, Row::suspended));
        list.add(cpuTime("SystemCPU", Row::systemMicros));
        list.add(ofJob("SystemComment", DATE, JobRecord::getSystemComment));
        list.add(
                RuledColumn.text(
                        "Timelimit",
                        10,
                        (row, _) -> row.isJob() ? timeLimit(row.job().getTimeLimit()) : ""));
        list.add(ofJob("TimelimitRaw", 12, job -> rawLimit(job.getTimeLimit())));
        list.add(cpuTime("TotalCPU", row -> row.userMicros() + row.systemMicros()));
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
                        "TRESUsageOutMaxTask",
                        "TRESUsageOutTot"));
        list.add(ofJob("UID", 6, job -> Integer.toUnsignedString(job.getUid())));
        list.add(ofJob("User", 9, JobRecord::getUserName));
        list.add(cpuTime("UserCPU", Row::userMicros));
        list.add(ofJob("WCKey", 10, JobRecord::getWckey));
        list.add(ofJobRow("WCKeyID", 8, row -> number(row.history().getWckeyId())));
        list.add(ofJob("WorkDir", DATE, JobRecord::getWorkDir));
        return list;
    }

    private static RuledColumn<Row> both(String name, int width, Function<Row, String> cell) {
        return RuledColumn.text(name, width, (row, _) -> cell.apply(row));
    }

    private static RuledColumn<Row> ofJob(
            String name, int width, Function<JobRecord, String> cell) {
        return both(name, width, row -> row.isJob() ? cell.apply(row.job()) : "");
    }

    private static RuledColumn<Row> ofJobRow(String name, int width, Function<Row, String> cell) {
        return both(name, width, row -> row.isJob() ? cell.apply(row) : "");
    }

    private static RuledColumn<Row> count(String name, int width, ToLongFunction<Row> cell) {
        return RuledColumn.number(name, width, (row, _) -> Long.toString(cell.applyAsLong(row)));
    }

    private static RuledColumn<Row> clock(String name, int width, ToLongFunction<Row> seconds) {
        return RuledColumn.text(name, width, (row, _) -> clock(seconds.applyAsLong(row)));
    }

    private static RuledColumn<Row> cpuTime(String name, ToLongFunction<Row> micros) {
        return RuledColumn.text(name, 10, (row, _) -> cpu(micros.applyAsLong(row)));
    }

    private static RuledColumn<Row> date(
            String name, ToLongFunction<Row> micros, Function<Row, String> missing) {
        return RuledColumn.time(
                name,
                DATE,
                (Row row, View view) ->
                        view.times().text(micros.applyAsLong(row), missing.apply(row)));
    }

    private static String text(int number) {
        return Integer.toUnsignedString(number);
    }

    private static String number(int number) {
        return number == 0 ? "" : text(number);
    }

    private static String exit(int code, int signal) {
        return code + ":" + signal;
    }

    private static String clock(long seconds) {
        return Durations.padded(Duration.ofSeconds(seconds));
    }

    /// Processor time: with thousandths of a second as long as there are no hours.
    private static String cpu(long micros) {
        var seconds = micros / MICROS;
        return seconds >= 3600
                ? clock(seconds)
                : Text.of("%02d:%02d.%03d", seconds / 60, seconds % 60, micros % MICROS / 1000);
    }

    private static String allocated(Row row) {
        return amounts(
                row.step() == null
                        ? row.job().getTresAllocatedMap()
                        : row.step().getTresAllocatedMap(),
                row);
    }

    private static String amounts(Map<Integer, Long> amounts, Row row) {
        return Amounts.text(amounts, row.show().tres(), row.show().units().converts());
    }

    private static String nodeList(Row row) {
        var list = row.step() == null ? row.job().getNodeList() : row.step().getNodeList();
        return list.isEmpty() ? "None assigned" : list;
    }

    private static String layout(String distribution) {
        return switch (distribution) {
            case "cyclic" -> "Cyclic";
            case "block" -> "Block";
            default -> distribution.isEmpty() ? "Unknown" : distribution;
        };
    }

    private static String timeLimit(TimeLimit limit) {
        return switch (limit.getLimitCase()) {
            case MINUTES -> clock(Integer.toUnsignedLong(limit.getMinutes()) * 60);
            case UNLIMITED -> "UNLIMITED";
            case LIMIT_NOT_SET -> "Partition_Limit";
        };
    }

    private static String rawLimit(TimeLimit limit) {
        return switch (limit.getLimitCase()) {
            case MINUTES -> text(limit.getMinutes());
            case UNLIMITED -> "UNLIMITED";
            case LIMIT_NOT_SET -> "Partition_Limit";
        };
    }
}
