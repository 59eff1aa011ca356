package dev.spur.cloud.billing;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Makes the lines of an attempt.
///
/// An attempt counts from its start to its end, both of them in whole seconds as `sacct` shows
/// them, less those it was suspended. It is cut where a price changes; the seconds of the pieces
/// add up to those of the attempt. Accounting knows how long an attempt was suspended but not when:
/// these seconds are taken off the dearest piece first.
final class Lines {
    private Lines() {}

    private record Piece(Instant start, Instant end, long seconds, Rate rate) {}

    static List<Line> of(Attempt attempt, PriceList prices, Instant now) {
        var began = attempt.startedAt();
        if (began == null) {
            return List.of();
        }
        var start = began.truncatedTo(ChronoUnit.SECONDS);
        var over = attempt.endedAt();
        var ended = over == null ? null : over.truncatedTo(ChronoUnit.SECONDS);
        var end = ended != null ? ended : now;
        var pieces = pieces(attempt, start, end.isBefore(start) ? start : end, prices);
        var suspended = suspended(attempt, pieces);
        var lines = new ArrayList<Line>();
        for (var i = 0; i < pieces.size(); i++) {
            var piece = pieces.get(i);
            var goesOn = ended == null && i == pieces.size() - 1;
            lines.add(
                    new Line(
                            attempt.job(),
                            attempt.number(),
                            i,
                            attempt.gpuType(),
                            attempt.gpus(),
                            attempt.cpus(),
                            piece.start(),
                            goesOn ? null : piece.end(),
                            piece.seconds() - suspended[i],
                            suspended[i],
                            goesOn ? attempt.suspendedSince() : null,
                            piece.rate(),
                            attempt.freeBecause()));
        }
        return List.copyOf(lines);
    }

    private static List<Piece> pieces(
            Attempt attempt, Instant start, Instant end, PriceList prices) {
        var pieces = new ArrayList<Piece>();
        var from = 0L;
        var rate = prices.at(attempt.gpuType(), start);
        for (var change : prices.changes(attempt.gpuType(), start, end)) {
            var next = prices.at(attempt.gpuType(), change);
            var until = Duration.between(start, change).toSeconds();
            if (next.costs(rate) || until == from) {
                rate = next; // the same, or nobody used a whole second at the price before
                continue;
            }
            pieces.add(piece(start, from, until, rate));
            from = until;
            rate = next;
        }
        var all = Duration.between(start, end).toSeconds();
        pieces.add(new Piece(start.plusSeconds(from), end, all - from, rate));
        return pieces;
    }

    private static Piece piece(Instant start, long from, long until, Rate rate) {
        return new Piece(start.plusSeconds(from), start.plusSeconds(until), until - from, rate);
    }

    /// How many suspended seconds each piece has.
    private static long[] suspended(Attempt attempt, List<Piece> pieces) {
        var suspended = new long[pieces.size()];
        var left = attempt.suspended().toSeconds();
        var dearestFirst =
                java.util.stream.IntStream.range(0, pieces.size())
                        .boxed()
                        .sorted(
                                Comparator.comparing(
                                        (Integer i) ->
                                                pieces.get(i)
                                                        .rate()
                                                        .perHour(attempt.gpus(), attempt.cpus()),
                                        Comparator.reverseOrder()))
                        .toList();
        for (var i : dearestFirst) {
            var taken = Math.min(left, pieces.get(i).seconds());
            suspended[i] = taken;
            left -= taken;
        }
        return suspended;
    }
}
