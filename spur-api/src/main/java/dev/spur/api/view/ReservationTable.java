package dev.spur.api.view;

import dev.spur.api.v1.Reservation;
import java.util.List;

/// What there is to see of a reservation.
public final class ReservationTable {
    public static final EntityTable<Reservation> RESERVATIONS =
            EntityTable.<Reservation>of("reservation", "reservation_info")
                    .text("name", "name", "name", Reservation::getName)
                    .instant(
                            "starts_at",
                            "start_time",
                            "when it, or its next turn, starts",
                            Reservation::getStartMicros)
                    .instant("ends_at", "end_time", "when that ends", Reservation::getEndMicros)
                    .flag("active", "", "whether it stands now", Reservation::getActive)
                    .text("nodes", "node_list", "nodes", Reservation::getNodes)
                    .count("node_count", "node_count", "number of nodes", Reservation::getNodeCount)
                    .count("core_count", "core_count", "number of cores", Reservation::getCoreCount)
                    .text("features", "features", "features of its nodes", Reservation::getFeatures)
                    .text("partition", "partition", "partition", Reservation::getPartition)
                    .words("flags", "flags", "flags", Reservation::getFlagsList)
                    .tres("tres", "", "resources", Reservation::getTres)
                    .text("", "tres", "", Reservation::getTres)
                    .words(
                            "users",
                            "users",
                            "who may use it; with - before each: who may not",
                            reservation ->
                                    names(reservation.getUsersList(), reservation.getUsersDenied()))
                    .words(
                            "accounts",
                            "accounts",
                            "accounts that may use it; with - before each: that may not",
                            reservation ->
                                    names(
                                            reservation.getAccountsList(),
                                            reservation.getAccountsDenied()))
                    .words("groups", "groups", "groups that may use it", Reservation::getGroupsList)
                    .text(
                            "zone",
                            "",
                            "time zone in which its turns keep their time",
                            Reservation::getZone)
                    .field(
                            "purge_seconds",
                            Field.Kind.NUMBER,
                            "purge_completed.time",
                            "how long it may be unused before it goes",
                            (reservation, out) -> {
                                if (reservation.getFlagsList().contains("PURGE_COMP")) {
                                    out.number(reservation.getPurgeSeconds());
                                } else {
                                    out.none();
                                }
                            })
                    .build();

    private ReservationTable() {}

    private static List<String> names(List<String> names, boolean areDenied) {
        return areDenied ? names.stream().map(name -> "-" + name).toList() : names;
    }
}
