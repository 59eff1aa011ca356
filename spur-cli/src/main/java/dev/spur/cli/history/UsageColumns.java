package dev.spur.cli.history;

import dev.spur.api.v1.StepUsage;
import dev.spur.cli.format.RuledColumn;
import dev.spur.cli.format.Units;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// What a step used, in columns that sacct and sstat have in common. Nothing is shown of what was
/// not measured.
public final class UsageColumns<R> {
    private static final long MICROS = 1_000_000;

    private final Map<String, RuledColumn<R>> all = new LinkedHashMap<>();
    private final Function<R, @Nullable StepUsage> usage;
    private final Function<R, Units> units;

    /// @param usage of a row; missing: not measured
    /// @param cpuMicros writes processor time
    public UsageColumns(
            Function<R, @Nullable StepUsage> usage,
            Function<R, Units> units,
            LongFunction<String> cpuMicros) {
        this.usage = usage;
        this.units = units;
        used("AveCPU", 10, use -> cpuMicros.apply(use.getAveCpuMicros()));
        used("AveCPUFreq", 10, use -> frequency(use.getAveCpuFreqKhz()));
        used("ConsumedEnergy", 14, use -> Long.toString(use.getConsumedEnergyJoules()));
        used("ConsumedEnergyRaw", 17, use -> Long.toString(use.getConsumedEnergyJoules()));
        used("MinCPU", 10, use -> cpuMicros.apply(use.getMinCpuMicros()));
        used("MinCPUNode", 10, StepUsage::getMinCpuNode);
        task("MinCPUTask", 10, StepUsage::getMinCpuTask);
        disk();
        memory();
        tres();
    }

    private void disk() {
        bytes("AveDiskRead", 14, StepUsage::getAveReadBytes);
        bytes("AveDiskWrite", 14, StepUsage::getAveWriteBytes);
        bytes("MaxDiskRead", 12, StepUsage::getMaxReadBytes);
        used("MaxDiskReadNode", 15, StepUsage::getMaxReadNode);
        task("MaxDiskReadTask", 15, StepUsage::getMaxReadTask);
        bytes("MaxDiskWrite", 12, StepUsage::getMaxWriteBytes);
        used("MaxDiskWriteNode", 16, StepUsage::getMaxWriteNode);
        task("MaxDiskWriteTask", 16, StepUsage::getMaxWriteTask);
    }

    private void memory() {
        used("AvePages", 10, use -> Long.toString(use.getAvePages()));
        kibibytes("AveRSS", 10, StepUsage::getAveRssKb);
        kibibytes("AveVMSize", 10, StepUsage::getAveVmsizeKb);
        used("MaxPages", 8, use -> Long.toString(use.getMaxPages()));
        used("MaxPagesNode", 12, StepUsage::getMaxPagesNode);
        task("MaxPagesTask", 14, StepUsage::getMaxPagesTask);
        kibibytes("MaxRSS", 10, StepUsage::getMaxRssKb);
        used("MaxRSSNode", 10, StepUsage::getMaxRssNode);
        task("MaxRSSTask", 10, StepUsage::getMaxRssTask);
        kibibytes("MaxVMSize", 10, StepUsage::getMaxVmsizeKb);
        used("MaxVMSizeNode", 14, StepUsage::getMaxVmsizeNode);
        task("MaxVMSizeTask", 14, StepUsage::getMaxVmsizeTask);
    }

    private void tres() {
        add(
                "TRESUsageInAve",
                14,
                (use, sizes) ->
                        inbound(
                                use.getAveCpuMicros(),
                                use.getAveReadBytes(),
                                use.getAveRssKb(),
                                use.getAvePages(),
                                use.getAveVmsizeKb(),
                                sizes));
        add(
                "TRESUsageInMax",
                14,
                (use, sizes) ->
                        inbound(
                                use.getMaxCpuMicros() == 0
                                        ? use.getAveCpuMicros()
                                        : use.getMaxCpuMicros(),
                                use.getMaxReadBytes(),
                                use.getMaxRssKb(),
                                use.getMaxPages(),
                                use.getMaxVmsizeKb(),
                                sizes));
        used(
                "TRESUsageInMaxNode",
                18,
                use ->
                        places(
                                use.getMaxCpuNode(),
                                use.getMaxReadNode(),
                                use.getMaxRssNode(),
                                use.getMaxPagesNode(),
                                use.getMaxVmsizeNode()));
        used(
                "TRESUsageInMaxTask",
                18,
                use ->
                        places(
                                use.getMaxCpuNode().isEmpty() ? "" : text(use.getMaxCpuTask()),
                                text(use.getMaxReadTask()),
                                text(use.getMaxRssTask()),
                                text(use.getMaxPagesTask()),
                                text(use.getMaxVmsizeTask())));
        used("TRESUsageInMin", 14, use -> "cpu=" + clock(use.getMinCpuMicros()));
        used("TRESUsageInMinNode", 18, use -> "cpu=" + use.getMinCpuNode());
        used("TRESUsageInMinTask", 18, use -> "cpu=" + text(use.getMinCpuTask()));
        add(
                "TRESUsageInTot",
                14,
                (use, sizes) ->
                        inbound(
                                use.getUserMicros() + use.getSystemMicros(),
                                total(use, use.getTotalReadBytes(), use.getAveReadBytes()),
                                total(use, use.getTotalRssKb(), use.getAveRssKb()),
                                total(use, use.getTotalPages(), use.getAvePages()),
                                total(use, use.getTotalVmsizeKb(), use.getAveVmsizeKb()),
                                sizes));
        add("TRESUsageOutAve", 15, (use, sizes) -> outbound(use.getAveWriteBytes(), sizes));
        add("TRESUsageOutMax", 15, (use, sizes) -> outbound(use.getMaxWriteBytes(), sizes));
        used("TRESUsageOutMaxNode", 19, use -> "fs/disk=" + use.getMaxWriteNode());
        used("TRESUsageOutMaxTask", 19, use -> "fs/disk=" + text(use.getMaxWriteTask()));
        add(
                "TRESUsageOutTot",
                15,
                (use, sizes) ->
                        outbound(
                                total(use, use.getTotalWriteBytes(), use.getAveWriteBytes()),
                                sizes));
    }

    public List<RuledColumn<R>> named(String... names) {
        var chosen = new ArrayList<RuledColumn<R>>();
        for (var name : names) {
            chosen.add(Objects.requireNonNull(all.get(name), name));
        }
        return chosen;
    }

    private void add(String name, int width, BiFunction<StepUsage, Units, String> cell) {
        all.put(
                name,
                RuledColumn.text(
                        name,
                        width,
                        (row, _) -> {
                            var used = usage.apply(row);
                            return used == null ? "" : cell.apply(used, units.apply(row));
                        }));
    }

    private void used(String name, int width, Function<StepUsage, String> cell) {
        add(name, width, (use, _) -> cell.apply(use));
    }

    private void task(String name, int width, ToIntFunction<StepUsage> cell) {
        used(name, width, use -> text(cell.applyAsInt(use)));
    }

    private void bytes(String name, int width, ToLongFunction<StepUsage> cell) {
        add(name, width, (use, sizes) -> sizes.bytes(cell.applyAsLong(use)));
    }

    private void kibibytes(String name, int width, ToLongFunction<StepUsage> cell) {
        add(name, width, (use, sizes) -> sizes.kibibytes(cell.applyAsLong(use)));
    }

    /// Records of an earlier release have averages only.
    private static long total(StepUsage use, long total, long average) {
        return total == 0 ? average * use.getTasks() : total;
    }

    private static String text(int number) {
        return Integer.toUnsignedString(number);
    }

    private static String clock(long micros) {
        return Durations.padded(Duration.ofSeconds(micros / MICROS));
    }

    private static String frequency(long kilohertz) {
        return kilohertz == 0 ? "0" : Text.of("%.2fM", kilohertz / 1000.0);
    }

    private static String inbound(
            long cpuMicros, long diskBytes, long rssKb, long pages, long vmsizeKb, Units sizes) {
        return Text.of(
                "cpu=%s,energy=0,fs/disk=%d,mem=%s,pages=%d,vmem=%s",
                clock(cpuMicros),
                diskBytes,
                sizes.kibibytes(rssKb),
                pages,
                sizes.kibibytes(vmsizeKb));
    }

    private static String places(
            String cpu, String disk, String memory, String pages, String virtual) {
        var first = cpu.isEmpty() ? "" : "cpu=" + cpu + ",";
        return first + "fs/disk=%s,mem=%s,pages=%s,vmem=%s".formatted(disk, memory, pages, virtual);
    }

    private static String outbound(long bytes, Units sizes) {
        return "energy=0,fs/disk=" + sizes.bytes(bytes);
    }
}
