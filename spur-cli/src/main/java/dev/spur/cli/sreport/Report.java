package dev.spur.cli.sreport;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The reports there are, with Slurm's headings and columns.
///
/// `+tres` among the columns stands for the resource's name, where there are several.
enum Report {
    ACCOUNTS(
            "cluster",
            "AccountUtilizationByUser",
            "Cluster/Account/User Utilization",
            true,
            "Cluster,+tres,Account,Login,Proper,Used,Energy"),
    USERS(
            "cluster",
            "UserUtilizationByAccount",
            "Cluster/User/Account Utilization",
            true,
            "Cluster,+tres,Login,Proper,Account,Used,Energy"),
    USERS_BY_WCKEY(
            "cluster",
            "UserUtilizationByWckey",
            "Cluster/User/WCKey Utilization",
            true,
            "Cluster,+tres,Login,Proper,WCKey,Used"),
    UTILIZATION(
            "cluster",
            "Utilization",
            "Cluster Utilization",
            false,
            "Cluster,+tres,Allocated,Down,PlannedDown,Idle,Planned,Reported"),
    WCKEYS(
            "cluster",
            "WCKeyUtilizationByUser",
            "Cluster/WCKey/User Utilization",
            true,
            "Cluster,+tres,WCKey,Login,Proper,Used"),
    SIZES("job", "SizesByAccount", "Job Sizes", true, "Cluster,+tres,Account"),
    SIZES_BY_BOTH(
            "job",
            "SizesByAccountAndWcKey",
            "Job Sizes by Account and WCKey",
            true,
            "Cluster,+tres,Account"),
    SIZES_BY_WCKEY("job", "SizesByWcKey", "Job Sizes by WCKey", true, "Cluster,+tres,WCKey"),
    RESERVATIONS(
            "reservation",
            "Utilization",
            "Reservation Utilization",
            false,
            "Cluster,Name,Start,End,+tres,Allocated,Idle"),
    TOP_USERS(
            "user",
            "TopUsage",
            "Top %d Users",
            true,
            "Cluster,+tres,Login,Proper,Account,Used,Energy");

    private final String group;
    private final String word;
    private final String title;
    private final boolean tellsSeconds;
    private final String columns;

    Report(String group, String word, String title, boolean tellsSeconds, String columns) {
        this.group = group;
        this.word = word;
        this.title = title;
        this.tellsSeconds = tellsSeconds;
        this.columns = columns;
    }

    static List<String> groups() {
        return Arrays.stream(values()).map(report -> report.group).distinct().toList();
    }

    /// Groups and names may be abbreviated; the first that begins so is meant.
    static Optional<Report> find(String group, String text) {
        var lower = text.toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(report -> report.group.startsWith(group.toLowerCase(Locale.ROOT)))
                .filter(report -> report.word.toLowerCase(Locale.ROOT).startsWith(lower))
                .findFirst();
    }

    /// For the accounting service.
    String kind() {
        return group + " " + word.toLowerCase(Locale.ROOT);
    }

    String title(int top) {
        return this == TOP_USERS ? title.formatted(top) : title;
    }

    boolean tellsSeconds() {
        return tellsSeconds;
    }

    String columns(boolean withTres) {
        return columns.replace("+tres", withTres ? "TresName" : "").replace(",,", ",");
    }

    boolean isOfSizes() {
        return group.equals("job");
    }
}
