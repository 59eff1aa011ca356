package dev.spur.engine.scheduling;

import dev.spur.engine.reservation.Period;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.Reservations;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What reservations mean for a pass: they stand in the future of nodes as jobs do, but who they
/// stand in the way of depends on who asks. Without reservations there is none, and nothing is
/// looked at.
final class Calendar {
    private final Reservations reservations;
    private final Nodes nodes;
    private final Instant now;
    private final Instant base;
    private final Map<String, Closures> known = new HashMap<>();
    private final Map<Integer, int[]> times = new HashMap<>();

    Calendar(Reservations reservations, Nodes nodes, Instant now, Instant base) {
        this.reservations = reservations;
        this.nodes = nodes;
        this.now = now;
        this.base = base;
    }

    /// As if nothing were reserved.
    static Calendar empty(Nodes nodes, Instant now, Instant base) {
        return new Calendar(Reservations.NONE, nodes, now, base);
    }

    /// Nodes on which a job of the shape that cannot start now may start next, so that those behind
    /// it must not take them. What is closed to it until the end of one reservation can be used by
    /// that one's jobs, which are gone by then.
    BitSet awaited(Shape shape) {
        var closures = of(shape);
        if (closures == null) {
            return shape.candidates;
        }
        var awaited = (BitSet) shape.candidates.clone();
        for (var one : reservations.list()) {
            if (one.isTiming() && one.isActive(now)) {
                var positions = nodes.positions(one.nodes());
                positions.and(awaited);
                for (var at = positions.nextSetBit(0); at >= 0; at = positions.nextSetBit(at + 1)) {
                    if (closures.closedUntil(at) == times(one)[1] && isAlone(one, at)) {
                        awaited.clear(at);
                    }
                }
            }
        }
        return awaited;
    }

    private boolean isAlone(Reservation one, int position) {
        return reservations.list().stream()
                .noneMatch(other ->
                        other.number() != one.number()
                                && other.nodes().contains(nodes.byPosition[position].node.index()));
    }

    /// When nodes are closed to jobs of the shape; null if they never are.
    @Nullable Closures of(Shape shape) {
        return reservations.isEmpty()
                ? null
                : known.computeIfAbsent(shape.key.reservation(), _ -> closures(shape.reservation));
    }

    /// A job without a limit runs as long as its reservation lasts.
    void enter(Shape shape) {
        var own = shape.reservation;
        if (own != null && own.isTiming() && shape.key.limit() instanceof TimeLimit.Unlimited) {
            var whole = times(own);
            shape.seconds =
                    Math.clamp(
                            whole.length == 0 ? 1 : whole[1] - whole[0],
                            1,
                            Shape.UNLIMITED_SECONDS);
        }
    }

    /// Whether a job may start in the reservation at once, for all that time says.
    boolean isOpen(Reservation own) {
        return !own.isTiming() || own.isActive(now);
    }

    /// Whether work on nodes is what keeps jobs of the shape from some of them.
    boolean isMaintained(Shape shape) {
        return reservations.list().stream()
                .anyMatch(one ->
                        one.has(ReservationFlag.MAINT)
                                && nodes.positions(one.nodes()).intersects(shape.candidates)
                                && times(one).length > 0
                                && times(one)[0] < shape.seconds);
    }

    private Closures closures(@Nullable Reservation own) {
        var closed = new int[nodes.size()][];
        Arrays.fill(closed, Closures.NEVER);
        for (var one : reservations.list()) {
            if (own == null || !one.yieldsTo(own)) {
                close(closed, nodes.positions(one.nodes()).stream(), times(one));
            }
        }
        if (own != null && own.isTiming()) {
            close(closed, IntStream.range(0, closed.length), Closures.without(times(own)));
        }
        return new Closures(closed);
    }

    /// Nodes that are closed at the same times share them: there are thousands of nodes, and
    /// hundreds of times that a reservation comes.
    private static void close(int[][] closed, IntStream positions, int[] when) {
        var shared = new IdentityHashMap<int[], int[]>();
        positions.forEach(at ->
                closed[at] =
                        shared.computeIfAbsent(closed[at], before -> Closures.union(when, before)));
    }

    /// When the reservation stands.
    private int[] times(Reservation one) {
        return times.computeIfAbsent(
                one.number(),
                _ -> {
                    var until = now.plus(Reservations.HORIZON);
                    return pairs(one.periods(until, Reservations.MOST_PERIODS));
                });
    }

    private int[] pairs(List<Period> periods) {
        var pairs = new int[2 * periods.size()];
        var size = 0;
        for (var period : periods) {
            if (period.end().isAfter(now)) {
                pairs[size++] = period.start().isAfter(now) ? secondsTo(period.start(), false) : 0;
                pairs[size++] = secondsTo(period.end(), true);
            }
        }
        return Arrays.copyOf(pairs, size);
    }

    private int secondsTo(Instant time, boolean up) {
        var left = Duration.between(base, time);
        var seconds = left.getSeconds() + (up && left.getNano() > 0 ? 1 : 0);
        return (int) Math.clamp(seconds, 0, NodeLine.FOREVER - 1L);
    }
}
