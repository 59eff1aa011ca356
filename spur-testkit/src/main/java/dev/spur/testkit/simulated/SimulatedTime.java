package dev.spur.testkit.simulated;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/// The clock, and everything that is going to happen. Time moves when something happens, never by
/// itself.
final class SimulatedTime implements InstantSource {
    private static final Instant BEGINNING = Instant.parse("2026-01-05T08:00:00Z");

    private final Random random;
    private final PriorityQueue<Happening> future =
            new PriorityQueue<>(
                    Comparator.comparing(Happening::at).thenComparing(Happening::number));
    private Instant now = BEGINNING;
    private long numbers;

    private record Happening(Instant at, long number, Runnable what) {}

    SimulatedTime(long seed) {
        random = new Random(seed);
    }

    @Override
    public Instant instant() {
        return now;
    }

    Random random() {
        return random;
    }

    void after(Duration delay, Runnable what) {
        at(now.plus(delay), what);
    }

    void at(Instant moment, Runnable what) {
        future.add(new Happening(moment.isBefore(now) ? now : moment, ++numbers, what));
    }

    /// A duration in between, by chance.
    Duration between(Duration shortest, Duration longest) {
        var span = longest.minus(shortest).toNanos();
        return shortest.plusNanos((long) (random.nextDouble() * span));
    }

    /// How long a thread waits for its turn.
    Duration moment() {
        return Duration.ofNanos(random.nextInt(500_000));
    }

    /// Lets the next thing happen, if it is due until then. False if nothing is.
    boolean stepUntil(Instant end) {
        var next = future.peek();
        if (next == null || next.at.isAfter(end)) {
            now = end.isAfter(now) ? end : now;
            return false;
        }
        future.remove();
        now = next.at;
        next.what.run();
        return true;
    }
}
