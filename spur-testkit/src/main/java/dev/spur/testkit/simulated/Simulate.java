package dev.spur.testkit.simulated;

import dev.spur.runtime.config.LoggingConfig;
import dev.spur.runtime.log.Logging;
import java.util.ArrayList;

/// Runs random lives, one per seed, and tells which failed, how, and after what:
///
/// ```
/// dev/simulate --seeds 2000           seeds 1 to 2000
/// dev/simulate --seed 17              seed 17 alone, as often as you like
/// dev/simulate --until 100            the first of 100 that fails
/// ```
public final class Simulate {
    private static final int EVENTS = 300;

    private Simulate() {}

    public static void main(String[] args) throws InterruptedException {
        long first = 1;
        long count = 100;
        var events = EVENTS;
        var stops = false;
        for (var i = 0; i + 1 < args.length; i += 2) {
            switch (args[i]) {
                case "--seeds" -> count = Long.parseLong(args[i + 1]);
                case "--seed" -> {
                    first = Long.parseLong(args[i + 1]);
                    count = 1;
                }
                case "--from" -> first = Long.parseLong(args[i + 1]);
                case "--events" -> events = Integer.parseInt(args[i + 1]);
                case "--until" -> {
                    count = Long.parseLong(args[i + 1]);
                    stops = true;
                }
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        Logging.start(
                new LoggingConfig(LoggingConfig.Level.ERROR, LoggingConfig.Format.TEXT, null));
        var from = first;
        var to = first + count;
        var most = events;
        var untilOne = stops;
        var failed = new boolean[1];
        // On a virtual thread, changing from one simulated thread to another is a matter of
        // microseconds.
        Thread.ofVirtual().start(() -> failed[0] = !all(from, to, most, untilOne)).join();
        System.exit(failed[0] ? 1 : 0);
    }

    private static boolean all(long from, long to, int events, boolean untilOne) {
        var failed = new ArrayList<Long>();
        for (var seed = from; seed < to && !(untilOne && !failed.isEmpty()); seed++) {
            if (!passes(seed, events)) {
                failed.add(seed);
            }
        }
        System.out.printf(
                "%d seeds, %d failed%s%n",
                to - from, failed.size(), failed.isEmpty() ? "" : ": " + failed);
        return failed.isEmpty();
    }

    private static boolean passes(long seed, int events) {
        var started = System.nanoTime();
        try (var life = new RandomLife(seed)) {
            life.happen(events);
            life.calmDown();
            System.out.printf(
                    "seed %d: %d jobs, %d steps, %d ms, fingerprint %x%n",
                    seed,
                    life.jobs(),
                    life.steps(),
                    (System.nanoTime() - started) / 1_000_000,
                    life.fingerprint());
            return true;
        } catch (RuntimeException | AssertionError e) {
            System.out.printf("seed %d FAILED: %s%n", seed, e.getMessage());
            e.printStackTrace(System.out);
            System.out.printf("again: dev/simulate --seed %d --events %d%n", seed, events);
            return false;
        }
    }
}
