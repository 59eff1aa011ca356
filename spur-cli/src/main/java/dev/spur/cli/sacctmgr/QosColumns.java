package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.QosLimits;
import dev.spur.api.v1.QosView;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.format.RuledColumn;
import dev.spur.model.notation.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/// What can be shown of a QOS.
final class QosColumns {
    static final String USUAL =
            "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags%40,UsageThres,"
                    + "UsageFactor,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,"
                    + "MaxTRES,MaxTRESPerNode,MaxTRESMins,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitPU,"
                    + "MaxTRESPA,MaxJobsPA,MaxSubmitPA,MinTRES";

    private QosColumns() {}

    /// Where the beginnings of names are alike, the first is meant.
    static List<RuledColumn<QosView>> of(AccountBook book) {
        return List.of(
                text("Name", 10, QosView::getName),
                text("Description", 20, QosView::getDescription).headed("Descr"),
                text("Flags", 20, qos -> String.join(",", qos.getFlagsList())),
                text("GraceTime", 10, qos -> seconds(qos.getGraceSeconds())),
                count("GrpJobs", 7, QosLimits::hasGrpJobs, QosLimits::getGrpJobs),
                count(
                        "GrpJobsAccrue",
                        13,
                        QosLimits::hasGrpJobsAccrue,
                        QosLimits::getGrpJobsAccrue),
                count("GrpSubmitJobs", 9, QosLimits::hasGrpSubmitJobs, QosLimits::getGrpSubmitJobs)
                        .headed("GrpSubmit"),
                tres(book, "GrpTRES", 13, QosLimits::getGrpTresMap),
                tres(book, "GrpTRESMins", 13, QosLimits::getGrpTresMinutesMap),
                tres(book, "GrpTRESRunMins", 13, QosLimits::getGrpTresRunMinutesMap),
                wall("GrpWall", QosLimits::hasGrpWallMinutes, QosLimits::getGrpWallMinutes),
                RuledColumn.number("ID", 6, (qos, _) -> Integer.toUnsignedString(qos.getId())),
                count(
                                "MaxJobsPerUser",
                                9,
                                QosLimits::hasMaxJobsPerUser,
                                QosLimits::getMaxJobsPerUser)
                        .headed("MaxJobsPU"),
                count("MaxJobsPU", 9, QosLimits::hasMaxJobsPerUser, QosLimits::getMaxJobsPerUser),
                count(
                                "MaxJobsPerAccount",
                                9,
                                QosLimits::hasMaxJobsPerAccount,
                                QosLimits::getMaxJobsPerAccount)
                        .headed("MaxJobsPA"),
                count(
                        "MaxJobsPA",
                        9,
                        QosLimits::hasMaxJobsPerAccount,
                        QosLimits::getMaxJobsPerAccount),
                count(
                                "MaxJobsAccruePerUser",
                                15,
                                QosLimits::hasMaxJobsAccruePerUser,
                                QosLimits::getMaxJobsAccruePerUser)
                        .headed("MaxJobsAccruePU"),
                count(
                        "MaxJobsAccruePU",
                        15,
                        QosLimits::hasMaxJobsAccruePerUser,
                        QosLimits::getMaxJobsAccruePerUser),
                count(
                                "MaxJobsAccruePerAccount",
                                15,
                                QosLimits::hasMaxJobsAccruePerAccount,
                                QosLimits::getMaxJobsAccruePerAccount)
                        .headed("MaxJobsAccruePA"),
                count(
                        "MaxJobsAccruePA",
                        15,
                        QosLimits::hasMaxJobsAccruePerAccount,
                        QosLimits::getMaxJobsAccruePerAccount),
                count(
                                "MaxSubmitJobsPerUser",
                                11,
                                QosLimits::hasMaxSubmitPerUser,
                                QosLimits::getMaxSubmitPerUser)
                        .headed("MaxSubmitPU"),
                count(
                        "MaxSubmitPU",
                        11,
                        QosLimits::hasMaxSubmitPerUser,
                        QosLimits::getMaxSubmitPerUser),
                count(
                                "MaxSubmitJobsPU",
                                11,
                                QosLimits::hasMaxSubmitPerUser,
                                QosLimits::getMaxSubmitPerUser)
                        .headed("MaxSubmitPU"),
                count(
                                "MaxSubmitJobsPerAccount",
                                11,
                                QosLimits::hasMaxSubmitPerAccount,
                                QosLimits::getMaxSubmitPerAccount)
                        .headed("MaxSubmitPA"),
                count(
                        "MaxSubmitPA",
                        11,
                        QosLimits::hasMaxSubmitPerAccount,
                        QosLimits::getMaxSubmitPerAccount),
                tres(book, "MaxTRESPerJob", 13, QosLimits::getMaxTresPerJobMap).headed("MaxTRES"),
                tres(book, "MaxTRESPerNode", 14, QosLimits::getMaxTresPerNodeMap),
                tres(book, "MaxTRESPerUser", 13, QosLimits::getMaxTresPerUserMap)
                        .headed("MaxTRESPU"),
                tres(book, "MaxTRESPU", 13, QosLimits::getMaxTresPerUserMap),
                tres(book, "MaxTRESPerAccount", 13, QosLimits::getMaxTresPerAccountMap)
                        .headed("MaxTRESPA"),
                tres(book, "MaxTRESPA", 13, QosLimits::getMaxTresPerAccountMap),
                tres(book, "MaxTRESMinsPerJob", 13, QosLimits::getMaxTresMinutesPerJobMap)
                        .headed("MaxTRESMins"),
                tres(book, "MaxTRESRunMinsPerUser", 15, QosLimits::getMaxTresRunMinutesPerUserMap)
                        .headed("MaxTRESRunMinsPU"),
                tres(book, "MaxTRESRunMinsPU", 15, QosLimits::getMaxTresRunMinutesPerUserMap),
                tres(
                                book,
                                "MaxTRESRunMinsPerAccount",
                                15,
                                QosLimits::getMaxTresRunMinutesPerAccountMap)
                        .headed("MaxTRESRunMinsPA"),
                tres(book, "MaxTRESRunMinsPA", 15, QosLimits::getMaxTresRunMinutesPerAccountMap),
                wall(
                                "MaxWallDurationPerJob",
                                QosLimits::hasMaxWallMinutes,
                                QosLimits::getMaxWallMinutes)
                        .headed("MaxWall"),
                count(
                                "MinPrioThreshold",
                                12,
                                QosLimits::hasMinPriorityThreshold,
                                QosLimits::getMinPriorityThreshold)
                        .headed("MinPrioThres"),
                tres(book, "MinTRESPerJob", 13, QosLimits::getMinTresPerJobMap).headed("MinTRES"),
                text("Preempt", 10, qos -> String.join(",", qos.getPreemptList())),
                text(
                        "PreemptExemptTime",
                        19,
                        qos ->
                                qos.hasPreemptExemptSeconds()
                                        ? seconds(qos.getPreemptExemptSeconds())
                                        : ""),
                text("PreemptMode", 11, QosView::getPreemptMode),
                RuledColumn.number(
                        "Priority", 10, (qos, _) -> Integer.toUnsignedString(qos.getPriority())),
                RuledColumn.number("UsageFactor", 11, (qos, _) -> decimal(qos.getUsageFactor())),
                RuledColumn.<QosView>number(
                                "UsageThreshold",
                                10,
                                (qos, _) ->
                                        qos.hasUsageThreshold()
                                                ? decimal(qos.getUsageThreshold())
                                                : "")
                        .headed("UsageThres"));
    }

    private static RuledColumn<QosView> text(
            String name, int width, Function<QosView, String> cell) {
        return RuledColumn.text(name, width, (qos, _) -> cell.apply(qos));
    }

    private static RuledColumn<QosView> count(
            String name,
            int width,
            Function<QosLimits, Boolean> isThere,
            Function<QosLimits, Integer> value) {
        return RuledColumn.number(
                name,
                width,
                (qos, _) ->
                        Cells.count(isThere.apply(qos.getLimits()), value.apply(qos.getLimits())));
    }

    private static RuledColumn<QosView> wall(
            String name, Function<QosLimits, Boolean> isThere, Function<QosLimits, Integer> value) {
        return RuledColumn.number(
                name,
                11,
                (qos, _) ->
                        Cells.minutes(
                                isThere.apply(qos.getLimits()), value.apply(qos.getLimits())));
    }

    private static RuledColumn<QosView> tres(
            AccountBook book,
            String name,
            int width,
            Function<QosLimits, Map<String, Long>> amounts) {
        return RuledColumn.text(
                name, width, (qos, _) -> book.amounts(amounts.apply(qos.getLimits())));
    }

    private static String seconds(int seconds) {
        return Durations.padded(Duration.ofSeconds(seconds & 0xffff_ffffL));
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.6f", value);
    }
}
