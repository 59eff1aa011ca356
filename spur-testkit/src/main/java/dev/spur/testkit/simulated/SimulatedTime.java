package dev.spur.testkit.simulated;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// The clock, and everything that is going to happen. Time moves when something happens, never by
/// itself.
final class SimulatedTime implements InstantSource {
    private static final int REMEMBERED = 1_000;

    /// A process that stood still for minutes does all that gathered meanwhile at once.
    private static final int MOST_IN_A_SECOND = 10_000;

    static final Instant BEGINNING = Instant.parse("2026-01-05T08:00:00Z");

    private final Random random;
    private final PriorityQueue<Happening> future = new PriorityQueue<>();
    private final Deque<String> told = new ArrayDeque<>();
    private Instant now = BEGINNING;
    private long numbers;
    private long steps;
    private long fingerprint;
    private Instant second = BEGINNING;
    private long stepsOfSecond;

    private record Happening(Instant at, long number, Runnable what)
            implements Comparable<Happening> {
        @Override
        public int compareTo(Happening other) {
            var byTime = at.compareTo(other.at);
            return byTime == 0 ? Long.compare(number, other.number) : byTime;
        }
    }

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

    /// Something worth reading when a seed fails.
    void tell(String what, @Nullable Object... details) {
        told.add(now + "  " + what.formatted(details));
        if (told.size() > REMEMBERED) {
            told.remove();
        }
    }

    List<String> told() {
        return List.copyOf(told);
    }

    /// How much has happened.
    long steps() {
        return steps;
    }

    /// Changes with anything that happens at another time or in another order.
    long fingerprint() {
        return fingerprint;
    }

    private void checkProgress() {
        if (now.isAfter(second.plusSeconds(1))) {
            second = now;
            stepsOfSecond = 0;
        }
        if (++stepsOfSecond > MOST_IN_A_SECOND) {
            throw new AssertionError(
                    "%d things happened within a second: something runs in a circle"
                            .formatted(stepsOfSecond));
        }
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
        steps++;
        fingerprint = 31 * fingerprint + now.getNano() + next.number;
        checkProgress();
        next.what.run();
        return true;
    }
}
