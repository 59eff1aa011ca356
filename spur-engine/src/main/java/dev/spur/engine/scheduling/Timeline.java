package dev.spur.engine.scheduling;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.reservation.Reservations;
import dev.spur.model.NodeShare;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The future of every node: what runs ends at its time limit, what is planned begins as reserved.
/// Times are seconds from the pass's whole second.
final class Timeline {
    /// Nodes that are being cleaned, and jobs past their limit, are expected to be free soon.
    private static final int SOON = 30;

    private static final int UNLIMITED = Shape.UNLIMITED_SECONDS;
    private static final int AN_HOUR = 3600;

    private final Nodes nodes;
    private final Instant base;
    private final Effort effort;
    private final Reservations reservations;
    private final @Nullable NodeLine[] lines;

    /// Which nodes may be free when, for all of them at once.
    final SlotTable table;

    /// @param started what the pass has started so far
    Timeline(QueueState state, Instant base, List<Held> started, Effort effort) {
        this.nodes = state.nodes;
        this.base = base;
        this.effort = effort;
        reservations = state.snapshot().reservations();
        lines = new NodeLine[nodes.size()];
        var held = new ArrayList<Held>(state.placed.size() + started.size());
        state.placed.values().forEach(job -> held.add(held(job)));
        held.addAll(started);
        held.sort(Comparator.comparingInt(Held::until));
        held.forEach(this::release);
        table = new SlotTable(nodes, new Levels(state.shapes(), nodes), effort);
        for (var position = 0; position < lines.length; position++) {
            var line = lines[position];
            if (line != null) {
                table.update(position, line, 0, line.lastChange());
            }
        }
    }

    /// What a job has, and until when.
    record Held(List<NodeShare> shares, int until) {}

    /// What the chosen nodes keep for a job, and when.
    record Reservation(int[] positions, NodeLine.Amount[] amounts, int from, int to) {}

    NodeLine line(int position) {
        var line = lines[position];
        if (line == null) {
            line = new NodeLine(nodes.byPosition[position], effort);
            lines[position] = line;
        }
        return line;
    }

    /// For how long the chosen nodes have from now on what the shape takes of them, which they have
    /// for as long as it asks.
    ///
    /// @param closures of the shape
    int freeFor(Shape shape, NodeChoice choice, int most, @Nullable Closures closures) {
        var free = most;
        for (var i = 0; i < choice.positions().length; i++) {
            var position = choice.positions()[i];
            var room = shape.room(nodes.byPosition[position]);
            var amount =
                    line(position)
                            .amount(room, choice.tasks()[i], choice.ofJob()[i], 0, shape.seconds);
            free = Math.min(free, line(position).freeUntil(amount));
            free = closures == null ? free : Math.min(free, closures.openUntil(position));
        }
        return Math.max(free, shape.seconds);
    }

    Reservation reserve(Shape shape, NodeChoice choice, int from, int seconds) {
        var to = end(from, seconds);
        var positions = choice.positions();
        var amounts = new NodeLine.Amount[positions.length];
        for (var i = 0; i < positions.length; i++) {
            var line = line(positions[i]);
            var room = shape.room(nodes.byPosition[positions[i]]);
            amounts[i] = line.amount(room, choice.tasks()[i], choice.ofJob()[i], from, to);
            line.take(amounts[i], from, to);
            table.update(positions[i], line, from, to);
        }
        return new Reservation(positions, amounts, from, to);
    }

    void cancel(Reservation reservation) {
        var from = reservation.from;
        var to = reservation.to;
        for (var i = 0; i < reservation.positions.length; i++) {
            var line = line(reservation.positions[i]);
            line.giveBack(reservation.amounts[i], from, to);
            table.update(reservation.positions[i], line, from, to);
        }
    }

    /// Times are at most [NodeLine#FOREVER], which two of fit into an int.
    static int end(int from, int seconds) {
        return Math.min(from + seconds, NodeLine.FOREVER);
    }

    private Held held(Job job) {
        var shares = job.phase().holdings();
        if (job.phase() instanceof JobPhase.Completing completing) {
            var remaining = new HashSet<>(completing.remaining());
            shares = shares.stream().filter(share -> remaining.contains(share.node())).toList();
        }
        return new Held(shares, Math.min(end(job.phase()), endOfReservation(job)));
    }

    /// When its reservation ends, and with it the job.
    private int endOfReservation(Job job) {
        var name = job.terms().reservation();
        var own = name.isEmpty() ? null : reservations.find(name).orElse(null);
        return own == null || !own.isTiming() || !own.isActive(base)
                ? UNLIMITED
                : secondsTo(own.end());
    }

    private void release(Held held) {
        for (var share : held.shares) {
            var free = nodes.find(share.node());
            if (free != null) {
                line(free.position).release(amount(free, share), held.until);
            }
        }
    }

    private static NodeLine.Amount amount(FreeNode free, NodeShare share) {
        var gres = new long[free.gres.length];
        for (var part : share.gres()) {
            for (var kind = 0; kind < gres.length; kind++) {
                var has = free.shape().gres().get(kind);
                if (has.name().equals(part.name()) && has.type().equals(part.type())) {
                    gres[kind] += part.count();
                }
            }
        }
        return new NodeLine.Amount(share.cpus().size(), share.memoryMebibytes(), gres);
    }

    private int end(JobPhase phase) {
        return switch (phase) {
            case JobPhase.Running running -> end(running.since(), running.deadline());
            // It goes on when somebody says so: at best at once.
            case JobPhase.Suspended suspended ->
                    end(
                            suspended.since(),
                            suspended.deadline() == null
                                    ? null
                                    : base.plus(
                                            Duration.between(
                                                    suspended.at(), suspended.deadline())));
            case JobPhase.Completing completing ->
                    secondsTo(completing.endedAt().plusSeconds(SOON));
            case JobPhase.Pending _, JobPhase.Ended _ -> SOON;
        };
    }

    /// A job without a limit ends before every such job that would start now, so that it is worth
    /// waiting for.
    private int end(Instant since, @Nullable Instant deadline) {
        return deadline != null
                ? secondsTo(deadline)
                : Math.clamp(secondsTo(since.plusSeconds(UNLIMITED)), AN_HOUR, UNLIMITED - 1);
    }

    /// Rounded up, so that nothing is planned before it can be.
    private int secondsTo(Instant time) {
        var left = Duration.between(base, time);
        var seconds = left.getSeconds() + (left.getNano() > 0 ? 1 : 0);
        return seconds <= 0 ? SOON : Math.clamp(seconds, 1, UNLIMITED - 1);
    }
}
