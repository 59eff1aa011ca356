package dev.spur.engine.reservation;

import dev.spur.model.IndexSet;
import dev.spur.model.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Nodes that are kept for some users for some time, whole.
///
/// @param number counts up as reservations are made
/// @param period the present one, or the next
/// @param zone in which a repeated one keeps its time of the day
/// @param nodes by their [index][dev.spur.engine.node.Node#index]
/// @param purgeAfter with [ReservationFlag#PURGE_COMP], how long no job may want it
/// @param idleSince since when none has; missing: one does, or it has not begun
/// @param begun whether everybody was told that it begins
public record Reservation(
        int number,
        String name,
        Period period,
        String zone,
        Extent extent,
        IndexSet nodes,
        Entrance entrance,
        List<ReservationFlag> flags,
        Duration purgeAfter,
        @Nullable Instant idleSince,
        boolean begun) {
    public Reservation {
        flags = flags.stream().distinct().sorted().toList();
    }

    public Instant start() {
        return period.start();
    }

    public Instant end() {
        return period.end();
    }

    public boolean has(ReservationFlag flag) {
        return flags.contains(flag);
    }

    public boolean isActive(Instant at) {
        return period.contains(at);
    }

    /// Missing if it comes once.
    public @Nullable Repetition repetition() {
        for (var flag : flags) {
            switch (flag) {
                case HOURLY -> {
                    return Repetition.HOURLY;
                }
                case DAILY -> {
                    return Repetition.DAILY;
                }
                case WEEKDAY -> {
                    return Repetition.WEEKDAY;
                }
                case WEEKEND -> {
                    return Repetition.WEEKEND;
                }
                case WEEKLY -> {
                    return Repetition.WEEKLY;
                }
                case MAINT,
                        FLEX,
                        OVERLAP,
                        IGNORE_JOBS,
                        SPEC_NODES,
                        ALL_NODES,
                        ANY_NODES,
                        STATIC,
                        PART_NODES,
                        REPLACE,
                        REPLACE_DOWN,
                        PURGE_COMP,
                        NO_HOLD_JOBS_AFTER_END,
                        MAGNETIC -> {}
            }
        }
        return null;
    }

    /// When it comes, in order: the present one first, those that begin before a moment, at most so
    /// many.
    public List<Period> periods(Instant before, int most) {
        var repetition = repetition();
        if (repetition == null) {
            return List.of(period);
        }
        var periods = new ArrayList<Period>();
        var each = period;
        do {
            periods.add(each);
            each = repetition.after(each, zone);
        } while (periods.size() < most && each.start().isBefore(before));
        return periods;
    }

    /// When it comes again; itself if it does not.
    public Period next() {
        var repetition = repetition();
        return repetition == null ? period : repetition.after(period, zone);
    }

    /// Whether somebody's job may use it. Root may use all.
    public boolean admits(Owner owner, String account) {
        return owner.uid() == 0 || entrance.admits(owner, account);
    }

    /// Whether jobs of the other one may use the nodes of this one.
    public boolean yieldsTo(Reservation other) {
        return other.number == number
                || other.has(ReservationFlag.MAINT)
                || other.has(ReservationFlag.OVERLAP) && !has(ReservationFlag.MAINT);
    }

    /// Whether its jobs stay on its nodes.
    public boolean isConfining() {
        return !has(ReservationFlag.FLEX) && !has(ReservationFlag.ANY_NODES);
    }

    /// Whether its jobs run only while it stands.
    public boolean isTiming() {
        return !has(ReservationFlag.FLEX);
    }

    public Reservation with(Period other) {
        return new Reservation(
                number, name, other, zone, extent, nodes, entrance, flags, purgeAfter, null, false);
    }

    public Reservation withNodes(IndexSet other) {
        return new Reservation(
                number,
                name,
                period,
                zone,
                extent,
                other,
                entrance,
                flags,
                purgeAfter,
                idleSince,
                begun);
    }

    public Reservation withIdleSince(@Nullable Instant since) {
        return new Reservation(
                number,
                name,
                period,
                zone,
                extent,
                nodes,
                entrance,
                flags,
                purgeAfter,
                since,
                begun);
    }

    public Reservation asBegun() {
        return new Reservation(
                number,
                name,
                period,
                zone,
                extent,
                nodes,
                entrance,
                flags,
                purgeAfter,
                idleSince,
                true);
    }
}
