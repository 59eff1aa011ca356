package dev.spur.cli.scontrol;

import dev.spur.api.v1.Node;
import dev.spur.cli.format.View;

/// A node as `scontrol show node` lays it out.
final class NodeRecord {
    /// The usual port is not worth a word.
    private static final int USUAL_PORT = 6818;

    private NodeRecord() {}

    static String of(Node node, View view, boolean isOneLine, boolean isDetailed) {
        var record = new RecordText(isOneLine);
        var hasReported = node.getAgentStartMicros() != 0;
        record.line(
                "NodeName=%s %sCoresPerSocket=%d "
                        .formatted(
                                node.getName(),
                                node.getArch().isEmpty() ? "" : "Arch=" + node.getArch() + " ",
                                node.getCoresPerSocket()));
        record.line(
                "CPUAlloc=%d CPUEfctv=%d CPUTot=%d CPULoad=%s"
                        .formatted(
                                node.getAllocCpus(),
                                node.getCpus(),
                                node.getCpus(),
                                hasReported ? load(node) : "N/A"));
        record.line("AvailableFeatures=" + or(String.join(",", node.getFeaturesList()), "(null)"));
        record.line(
                "ActiveFeatures=" + or(String.join(",", node.getActiveFeaturesList()), "(null)"));
        record.line("Gres=" + or(node.getGres(), "(null)"));
        if (isDetailed) {
            record.line("GresDrain=N/A");
            record.line("GresUsed=" + or(node.getGresUsed(), "(null)"));
        }
        record.line(address(node));
        if (!node.getOs().isEmpty()) {
            record.line("OS=" + node.getOs() + " ");
        }
        record.line(
                "RealMemory=%d AllocMem=%d FreeMem=%s Sockets=%d Boards=%d"
                        .formatted(
                                node.getMemoryMb(),
                                node.getAllocMemMb(),
                                hasReported ? Long.toString(node.getFreeMemMb()) : "N/A",
                                node.getSockets(),
                                Math.max(1, node.getBoards())));
        record.line(
                "State=%s ThreadsPerCore=%d TmpDisk=%d Weight=%d Owner=N/A MCS_label=N/A"
                        .formatted(
                                state(node),
                                node.getThreadsPerCore(),
                                node.getTmpMb(),
                                node.getWeight()));
        if (node.getPartitionsCount() > 0) {
            record.line("Partitions=" + String.join(",", node.getPartitionsList()) + " ");
        }
        record.lineUnlessEmpty("ReservationName", node.getReservation());
        record.line(
                "BootTime=%s SlurmdStartTime=%s"
                        .formatted(
                                view.times().text(node.getBootMicros(), "None"),
                                view.times().text(node.getAgentStartMicros(), "None")));
        record.line("LastBusyTime=" + view.times().text(node.getLastBusyMicros(), "Unknown"));
        record.line("CfgTRES=" + node.getTres());
        record.line("AllocTRES=" + node.getTresAlloc());
        record.line("CapWatts=n/a");
        record.line("CurrentWatts=0 AveWatts=0");
        record.line("ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s");
        if (!node.getReason().isEmpty()) {
            record.line("Reason=" + node.getReason() + who(node, view));
        }
        record.lineUnlessEmpty("Comment", node.getComment());
        record.lineUnlessEmpty("Extra", node.getExtra());
        return record.toString();
    }

    private static String address(Node node) {
        var text =
                new StringBuilder(
                        "NodeAddr=%s NodeHostName=%s"
                                .formatted(
                                        or(node.getAddress(), node.getName()),
                                        or(node.getHostname(), node.getName())));
        if (node.getPort() != 0 && node.getPort() != USUAL_PORT) {
            text.append(" Port=").append(node.getPort());
        }
        return text.append(node.getVersion().isEmpty() ? " " : " Version=" + node.getVersion())
                .toString();
    }

    private static String state(Node node) {
        var state = new StringBuilder(node.getState());
        node.getFlagsList().forEach(flag -> state.append('+').append(flag));
        return state.toString();
    }

    private static String load(Node node) {
        var load = node.getLoadHundredths();
        return "%d.%02d".formatted(load / 100, load % 100);
    }

    private static String who(Node node, View view) {
        return node.getReasonMicros() == 0
                ? ""
                : " [%s@%s]"
                        .formatted(
                                or(node.getReasonUser(), "root"),
                                view.times().text(node.getReasonMicros(), ""));
    }

    private static String or(String text, String otherwise) {
        return text.isEmpty() ? otherwise : text;
    }
}
