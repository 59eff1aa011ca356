package dev.spur.cli.sinfo;

import dev.spur.api.v1.Reservation;
import dev.spur.cli.format.View;
import dev.spur.model.notation.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// `sinfo -T`: when which nodes are kept.
final class ReservationTable {
    private static final String NAME = "RESV_NAME";

    private ReservationTable() {}

    static List<String> lines(List<Reservation> reservations, View view, boolean hasHeader) {
        var width =
                reservations.stream()
                        .mapToInt(one -> one.getName().length())
                        .reduce(NAME.length(), Math::max);
        var lines = new ArrayList<String>();
        if (hasHeader) {
            lines.add(line(width, NAME, "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST"));
        }
        for (var one : reservations) {
            lines.add(
                    line(
                            width,
                            one.getName(),
                            one.getActive() ? "ACTIVE" : "INACTIVE",
                            view.times().text(one.getStartMicros(), "Unknown"),
                            view.times().text(one.getEndMicros(), "Unknown"),
                            Durations.padded(
                                    Duration.ofSeconds(
                                            (one.getEndMicros() - one.getStartMicros())
                                                    / 1_000_000)),
                            one.getNodes()));
        }
        return lines;
    }

    private static String line(int width, Object... columns) {
        return ("%-" + width + "s  %8s  %19s  %19s  %11s  %s").formatted(columns);
    }
}
