package dev.spur.api.view;

import dev.spur.api.v1.ReportRow;
import java.util.TreeMap;

/// Rows of reports on what was used.
public final class UsageTable {
    public static final EntityTable<ReportRow> ROWS =
            EntityTable.<ReportRow>of("row", "job")
                    .text("cluster", "", "cluster", ReportRow::getCluster)
                    .text("account", "", "account", ReportRow::getAccount)
                    .text("user", "", "user", ReportRow::getUser)
                    .text("wckey", "", "workload characterization key", ReportRow::getWckey)
                    .text("reservation", "", "reservation", ReportRow::getReservation)
                    .text("tres", "", "resource", ReportRow::getTres)
                    .amounts(
                            "seconds",
                            "",
                            "by what they were: used, idle, down, …",
                            row -> new TreeMap<>(row.getSecondsMap()))
                    .number("jobs", "", "jobs", ReportRow::getJobs)
                    .number("count", "", "how much there was on average", ReportRow::getCount)
                    .instant("from", "", "from", ReportRow::getStartMicros)
                    .instant("until", "", "until", ReportRow::getEndMicros)
                    .build();

    private UsageTable() {}
}
