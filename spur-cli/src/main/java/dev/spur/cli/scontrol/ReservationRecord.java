package dev.spur.cli.scontrol;

import dev.spur.api.v1.Reservation;
import dev.spur.cli.format.View;
import dev.spur.model.notation.Durations;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/// A reservation as `scontrol show reservation` lays it out.
final class ReservationRecord {
    private ReservationRecord() {}

    static String of(Reservation reservation, View view, boolean isOneLine) {
        var record = new RecordText(isOneLine);
        record.line(
                "ReservationName=%s StartTime=%s EndTime=%s Duration=%s"
                        .formatted(
                                reservation.getName(),
                                view.times().text(reservation.getStartMicros(), "Unknown"),
                                view.times().text(reservation.getEndMicros(), "Unknown"),
                                Durations.padded(
                                        Duration.ofSeconds(
                                                (reservation.getEndMicros()
                                                                - reservation.getStartMicros())
                                                        / 1_000_000))));
        record.line(
                "Nodes=%s NodeCnt=%d CoreCnt=%d Features=%s PartitionName=%s Flags=%s"
                        .formatted(
                                or(reservation.getNodes()),
                                reservation.getNodeCount(),
                                reservation.getCoreCount(),
                                or(reservation.getFeatures()),
                                or(reservation.getPartition()),
                                flags(reservation)));
        record.line("TRES=" + or(reservation.getTres()));
        record.line(
                "Users=%s Groups=%s Accounts=%s Licenses=(null) State=%s BurstBuffer=(null) Watts=n/a"
                        .formatted(
                                names(reservation.getUsersList(), reservation.getUsersDenied()),
                                names(reservation.getGroupsList(), false),
                                names(
                                        reservation.getAccountsList(),
                                        reservation.getAccountsDenied()),
                                reservation.getActive() ? "ACTIVE" : "INACTIVE"));
        record.line("MaxStartDelay=(null)");
        return record.toString();
    }

    private static String flags(Reservation reservation) {
        return reservation.getFlagsList().stream()
                .map(flag ->
                        flag.equals("PURGE_COMP")
                                ? "PURGE_COMP="
                                        + Durations.padded(
                                                Duration.ofSeconds(reservation.getPurgeSeconds()))
                                : flag)
                .collect(Collectors.joining(","));
    }

    private static String names(List<String> names, boolean areDenied) {
        return or(
                names.stream()
                        .map(name -> areDenied ? "-" + name : name)
                        .collect(Collectors.joining(",")));
    }

    private static String or(String text) {
        return text.isEmpty() ? "(null)" : text;
    }
}
