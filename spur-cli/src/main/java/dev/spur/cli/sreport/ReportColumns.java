package dev.spur.cli.sreport;

import dev.spur.api.v1.ReportRow;
import dev.spur.cli.format.RuledColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// What a report can show of each line.
final class ReportColumns {
    private static final int USUAL = 8;
    private static final int SIZE = 13;

    private final TimeForm form;
    private final boolean isTree;
    private final Map<String, Long> totals;
    private final Map<String, Long> energy;

    /// @param totals what there was of each resource of a cluster, by [#key]
    /// @param energy what those who have a line used of it, by [#person]
    ReportColumns(
            TimeForm form, boolean isTree, Map<String, Long> totals, Map<String, Long> energy) {
        this.form = form;
        this.isTree = isTree;
        this.totals = totals;
        this.energy = energy;
    }

    static String key(ReportRow row) {
        return row.getCluster() + "\n" + row.getTres();
    }

    static String person(ReportRow row) {
        return String.join("\n", row.getCluster(), row.getAccount(), row.getUser(), row.getWckey());
    }

    /// @param bounds of job sizes
    List<RuledColumn<ReportRow>> all(Report report, List<Long> bounds, String unit) {
        var columns = new ArrayList<RuledColumn<ReportRow>>();
        columns.add(text("Account", 15, this::account));
        columns.add(time("Allocated", "allocated"));
        columns.add(text("Cluster", 9, ReportRow::getCluster));
        columns.add(number("Count", 10, row -> Long.toString(row.getCount())).headed("TRES Count"));
        columns.add(time("Down", "down"));
        columns.add(
                number(
                        "Energy",
                        form.width(USUAL),
                        row -> amount(energy.getOrDefault(person(row), 0L))));
        columns.add(moment("End", ReportRow::getEndMicros));
        columns.add(time("Idle", "idle"));
        columns.add(text("Login", 9, ReportRow::getUser));
        columns.add(text("Name", 9, ReportRow::getReservation));
        columns.add(time("Planned", "planned"));
        columns.add(time("PlannedDown", "planned_down").headed("PLND Down"));
        columns.add(text("Proper", 15, ReportRow::getProperName).headed("Proper Name"));
        columns.add(time("Reported", "reported"));
        columns.add(time("Reserved", "planned").headed("Planned"));
        columns.add(moment("Start", ReportRow::getStartMicros));
        columns.add(text("TresName", 14, ReportRow::getTres).headed("TRES Name"));
        columns.add(time("Used", "used"));
        columns.add(text("User", 9, ReportRow::getUser).headed("Login"));
        columns.add(text("WCKey", 9, ReportRow::getWckey));
        if (report == Report.SIZES_BY_BOTH) {
            columns.replaceAll(column ->
                    column.name().equals("Account")
                            ? text("Account", 20, row -> row.getAccount() + ":" + row.getWckey())
                                    .headed("Account:WCKey")
                            : column);
        } else if (report.isOfSizes()) {
            columns.replaceAll(column ->
                    column.name().equals("Account") || column.name().equals("WCKey")
                            ? column.wide(9)
                            : column);
        }
        for (var i = 0; report.isOfSizes() && i <= bounds.size(); i++) {
            columns.add(size(i, bounds, unit));
        }
        if (report.isOfSizes()) {
            columns.add(number("PartOfCluster", 12, this::part).headed("% of cluster"));
        }
        return columns;
    }

    /// The names of the columns of sizes.
    static String sizes(int bounds) {
        var names = new StringBuilder();
        for (var i = 0; i <= bounds; i++) {
            names.append(",Size").append(i).append('.');
        }
        return names.append(",PartOfCluster").toString();
    }

    private RuledColumn<ReportRow> size(int index, List<Long> bounds, String unit) {
        var from = index == 0 ? 0 : bounds.get(index - 1);
        var heading =
                index == bounds.size()
                        ? ">= " + from + " " + unit
                        : from + "-" + (bounds.get(index) - 1) + " " + unit;
        return RuledColumn.<ReportRow>number(
                        "Size" + index + ".",
                        form.width(SIZE),
                        (row, _) ->
                                form.text(
                                        index < row.getBucketsCount() ? row.getBuckets(index) : 0,
                                        totals.getOrDefault(key(row), 0L)))
                .headed(heading);
    }

    private String part(ReportRow row) {
        var sum = row.getBucketsList().stream().mapToLong(Long::longValue).sum();
        return TimeForm.PERCENT.text(sum, totals.getOrDefault(key(row), 0L));
    }

    private String account(ReportRow row) {
        return isTree ? " ".repeat(row.getDepth()) + row.getAccount() : row.getAccount();
    }

    private String amount(long energy) {
        return form.showsPart() ? form.text(energy, 0) : Long.toString(energy);
    }

    private RuledColumn<ReportRow> time(String name, String what) {
        return number(
                name,
                form.width(USUAL),
                row ->
                        form.text(
                                row.getSecondsOrDefault(what, 0),
                                totals.getOrDefault(
                                        key(row), row.getSecondsOrDefault("reported", 0))));
    }

    private static RuledColumn<ReportRow> text(
            String name, int width, Function<ReportRow, String> cell) {
        return RuledColumn.text(name, width, (row, _) -> cell.apply(row));
    }

    private static RuledColumn<ReportRow> number(
            String name, int width, Function<ReportRow, String> cell) {
        return RuledColumn.number(name, width, (row, _) -> cell.apply(row));
    }

    private static RuledColumn<ReportRow> moment(String name, Function<ReportRow, Long> micros) {
        return RuledColumn.time(
                name, 19, (row, view) -> view.times().text(micros.apply(row), "Unknown"));
    }
}
