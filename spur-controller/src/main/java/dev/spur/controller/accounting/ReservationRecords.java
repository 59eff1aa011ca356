package dev.spur.controller.accounting;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.ReservationRecord;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/// A reservation as reports count it: what was kept, and for how long.
final class ReservationRecords {
    private ReservationRecords() {}

    /// @param removed whether it is over, or was taken back
    static ReservationRecord of(Reservation reservation, Snapshot state, boolean removed) {
        var names = new ArrayList<String>();
        Map<Integer, Long> tres = new HashMap<>();
        reservation
                .nodes()
                .forEach(index -> {
                    var node = state.nodeAt(index);
                    if (node != null) {
                        names.add(node.name());
                        state.tres()
                                .vector(NodeRecords.tres(node.shape()))
                                .amounts()
                                .forEach((id, amount) -> tres.merge(id, amount, Long::sum));
                    }
                });
        var record =
                ReservationRecord.newBuilder()
                        .setName(reservation.name())
                        .setId(reservation.number())
                        .setStartMicros(InstantMapper.toMicros(reservation.start()))
                        .setEndMicros(InstantMapper.toMicros(reservation.end()))
                        .setNodes(new Hostlist(names).sorted().toString())
                        .putAllTres(tres)
                        .addAllUsers(reservation.entrance().users())
                        .addAllAccounts(reservation.entrance().accounts())
                        .setDeleted(removed);
        reservation.flags().forEach(flag -> record.addFlags(flag.name()));
        return record.build();
    }
}
