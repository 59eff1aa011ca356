package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.AssociationLimits;
import dev.spur.cli.format.RuledColumn;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// What can be shown of accounts, users, associations and the cluster.
final class AssociationColumns {
    static final String LIMITS =
            "Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,MaxJobs,MaxTRES,"
                    + "MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS";
    static final String USUAL = "Cluster,Account,User,Partition," + LIMITS + ",GrpTRESRunMins";
    static final String WITHOUT_LIMITS =
            "Cluster,Account,User,Partition,ParentName,Share,QOS,DefaultQOS";
    static final String OF_ACCOUNTS = "Account,Description,Organization";
    static final String OF_USERS = "User,DefaultAccount,AdminLevel";
    static final String OF_CLUSTER =
            "Cluster,ControlHost,ControlPort,RPC,Share,GrpJobs,GrpTRES,GrpSubmit,MaxJobs,MaxTRES,"
                    + "MaxSubmit,MaxWall,QOS,DefaultQOS";

    /// Beside accounts and users Slurm shows the limits of single resources.
    static final String OLDER =
            "Share,Priority,GrpJobs,GrpNodes,GrpCPUs,GrpMem,GrpSubmit,GrpWall,GrpCPUMins,"
                    + "MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,MaxWall,MaxCPUMins,QOS,DefaultQOS";

    static final String OLDER_OF_USERS =
            "Share,Priority,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,MaxWall,MaxCPUMins,QOS,DefaultQOS";

    /// Where the beginnings of names are alike, the first is meant.
    static final List<RuledColumn<Line>> ALL =
            List.of(
                    text("Account", 10, line -> " ".repeat(line.indent()) + line.accountName()),
                    text("AdminLevel", 9, line -> line.user().getAdminLevel()).headed("Admin"),
                    text("Cluster", 10, line -> line.book().cluster()),
                    text("Comment", 20, line -> line.association().getComment()),
                    text("ControlHost", 15, _ -> ""),
                    text("ControlPort", 12, _ -> ""),
                    text("Coordinators", 20, AssociationColumns::coordinators)
                            .headed("Coord Accounts"),
                    text("DefaultAccount", 10, line -> line.user().getDefaultAccount())
                            .headed("Def Acct"),
                    text("DefaultQOS", 9, line -> line.association().getDefaultQos())
                            .headed("Def QOS"),
                    text("DefaultWCKey", 10, line -> line.user().getDefaultWckey())
                            .headed("Def WCKey"),
                    text("Description", 20, line -> line.account().getDescription())
                            .headed("Descr"),
                    text("FairShare", 9, AssociationColumns::shares).headed("Share"),
                    text("Flags", 20, line -> String.join(",", line.account().getFlagsList())),
                    one("GrpCPUs", 8, "cpu", AssociationLimits::getGrpTresMap),
                    one("GrpCPUMins", 11, "cpu", AssociationLimits::getGrpTresMinutesMap),
                    one("GrpCPURunMins", 13, "cpu", AssociationLimits::getGrpTresRunMinutesMap),
                    limit(
                            "GrpJobs",
                            7,
                            limits -> Cells.count(limits.hasGrpJobs(), limits.getGrpJobs())),
                    limit(
                            "GrpJobsAccrue",
                            13,
                            limits ->
                                    Cells.count(
                                            limits.hasGrpJobsAccrue(), limits.getGrpJobsAccrue())),
                    one("GrpMemory", 7, "mem", AssociationLimits::getGrpTresMap).headed("GrpMem"),
                    one("GrpNodes", 8, "node", AssociationLimits::getGrpTresMap),
                    limit(
                                    "GrpSubmitJobs",
                                    9,
                                    limits ->
                                            Cells.count(
                                                    limits.hasGrpSubmitJobs(),
                                                    limits.getGrpSubmitJobs()))
                            .headed("GrpSubmit"),
                    tres("GrpTRES", 13, AssociationLimits::getGrpTresMap),
                    tres("GrpTRESMins", 13, AssociationLimits::getGrpTresMinutesMap),
                    tres("GrpTRESRunMins", 13, AssociationLimits::getGrpTresRunMinutesMap),
                    limit(
                            "GrpWall",
                            11,
                            limits ->
                                    Cells.minutes(
                                            limits.hasGrpWallMinutes(),
                                            limits.getGrpWallMinutes())),
                    RuledColumn.number(
                            "ID",
                            6,
                            (line, _) ->
                                    Cells.count(line.hasAssociation(), line.association().getId())),
                    one("MaxCPUsPerJob", 8, "cpu", AssociationLimits::getMaxTresPerJobMap)
                            .headed("MaxCPUs"),
                    one(
                                    "MaxCPUMinsPerJob",
                                    11,
                                    "cpu",
                                    AssociationLimits::getMaxTresMinutesPerJobMap)
                            .headed("MaxCPUMins"),
                    limit(
                            "MaxJobs",
                            7,
                            limits -> Cells.count(limits.hasMaxJobs(), limits.getMaxJobs())),
                    limit(
                            "MaxJobsAccrue",
                            13,
                            limits ->
                                    Cells.count(
                                            limits.hasMaxJobsAccrue(), limits.getMaxJobsAccrue())),
                    one("MaxNodesPerJob", 8, "node", AssociationLimits::getMaxTresPerJobMap)
                            .headed("MaxNodes"),
                    limit(
                                    "MaxSubmitJobs",
                                    9,
                                    limits ->
                                            Cells.count(
                                                    limits.hasMaxSubmitJobs(),
                                                    limits.getMaxSubmitJobs()))
                            .headed("MaxSubmit"),
                    tres("MaxTRESPerJob", 13, AssociationLimits::getMaxTresPerJobMap)
                            .headed("MaxTRES"),
                    tres("MaxTRESPJ", 13, AssociationLimits::getMaxTresPerJobMap).headed("MaxTRES"),
                    tres("MaxTRESPerNode", 14, AssociationLimits::getMaxTresPerNodeMap),
                    tres("MaxTRESPN", 14, AssociationLimits::getMaxTresPerNodeMap)
                            .headed("MaxTRESPerNode"),
                    tres("MaxTRESMinsPerJob", 13, AssociationLimits::getMaxTresMinutesPerJobMap)
                            .headed("MaxTRESMins"),
                    limit(
                                    "MaxWallDurationPerJob",
                                    11,
                                    limits ->
                                            Cells.minutes(
                                                    limits.hasMaxWallMinutes(),
                                                    limits.getMaxWallMinutes()))
                            .headed("MaxWall"),
                    limit(
                                    "MinPrioThreshold",
                                    12,
                                    limits ->
                                            Cells.count(
                                                    limits.hasMinPriorityThreshold(),
                                                    limits.getMinPriorityThreshold()))
                            .headed("MinPrioThres"),
                    text("Name", 10, line -> line.userName()),
                    text("Organization", 20, line -> line.account().getOrganization())
                            .headed("Org"),
                    text(
                                    "ParentName",
                                    10,
                                    line ->
                                            line.tellsParent()
                                                    ? line.association().getParentAccount()
                                                    : "")
                            .headed("Par Name"),
                    RuledColumn.<Line>number(
                                    "ParentID",
                                    6,
                                    (line, _) ->
                                            Cells.count(
                                                    line.tellsParent()
                                                            && line.association().getParentId()
                                                                    != 0,
                                                    line.association().getParentId()))
                            .headed("Par ID"),
                    text("Partition", 10, line -> line.association().getPartition()),
                    limit(
                            "Priority",
                            10,
                            limits -> Cells.count(limits.hasPriority(), limits.getPriority())),
                    text("QOSLevel", 20, line -> String.join(",", line.association().getQosList()))
                            .headed("QOS"),
                    text(
                                    "QOSRAWLevel",
                                    20,
                                    line -> String.join(",", line.association().getOwnQosList()))
                            .headed("QOS_RAW"),
                    text("RPC", 5, _ -> ""),
                    text("Shares", 9, AssociationColumns::shares).headed("Share"),
                    text("User", 10, line -> line.userName()),
                    text("WCKeys", 20, AssociationColumns::wckeys));

    private AssociationColumns() {}

    /// The cluster's columns say where its controller is.
    static List<RuledColumn<Line>> ofCluster(String host, int port, int release) {
        var all = new ArrayList<>(ALL);
        all.replaceAll(column ->
                switch (column.name()) {
                    case "ControlHost" -> text("ControlHost", 15, _ -> host);
                    case "ControlPort" ->
                            RuledColumn.number("ControlPort", 12, (_, _) -> Integer.toString(port));
                    case "RPC" -> RuledColumn.number("RPC", 5, (_, _) -> Integer.toString(release));
                    default -> column;
                });
        return all;
    }

    private static RuledColumn<Line> text(String name, int width, Function<Line, String> cell) {
        return RuledColumn.text(name, width, (line, _) -> cell.apply(line));
    }

    private static RuledColumn<Line> limit(
            String name, int width, Function<AssociationLimits, String> cell) {
        return RuledColumn.number(name, width, (line, _) -> cell.apply(line.limits()));
    }

    private static RuledColumn<Line> tres(
            String name, int width, Function<AssociationLimits, Map<String, Long>> amounts) {
        return RuledColumn.text(
                name, width, (line, _) -> line.book().amounts(amounts.apply(line.limits())));
    }

    /// The older columns, for one resource each.
    private static RuledColumn<Line> one(
            String name,
            int width,
            String resource,
            Function<AssociationLimits, Map<String, Long>> amounts) {
        return RuledColumn.number(
                name,
                width,
                (line, _) -> {
                    var amount = amounts.apply(line.limits()).get(resource);
                    return amount == null ? "" : Long.toUnsignedString(amount);
                });
    }

    private static String shares(Line line) {
        if (!line.hasAssociation()) {
            return "";
        }
        var limits = line.association().getLimits();
        return limits.getSharesOfParent() ? "parent" : Integer.toUnsignedString(limits.getShares());
    }

    private static String coordinators(Line line) {
        if (!line.user().getName().isEmpty()) {
            return String.join(",", line.user().getCoordinatesList());
        }
        // Whoever coordinates an account coordinates those below it.
        var all = new LinkedHashSet<String>();
        for (var at = line.book().ofAccount(line.account().getName()).orElse(null);
                at != null;
                at = line.book().above(at)) {
            var account = line.book().accounts().get(at.getAccount());
            if (account != null) {
                all.addAll(account.getCoordinatorsList());
            }
        }
        return String.join(",", all);
    }

    private static String wckeys(Line line) {
        return String.join(
                ",",
                line.book().wckeys().stream()
                        .filter(key -> key.getUser().equals(line.userName()))
                        .map(key -> (key.getIsDefault() ? "*" : "") + key.getName())
                        .toList());
    }
}
