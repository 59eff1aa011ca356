package dev.spur.agent.step;

import java.time.Duration;

/// The pauses between attempts at what must succeed in the end: short at first, then longer.
final class GrowingPause {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private Duration next = SHORTEST;

    /// Waits, also if it is interrupted: whoever tries on has nothing else to do.
    ///
    /// @return whether it has now lasted so long that somebody should hear of it; true once
    boolean await() {
        sleep(next);
        if (next.compareTo(LONGEST) < 0) {
            next = next.multipliedBy(2);
            return false;
        }
        var firstTime = next.compareTo(LONGEST) > 0;
        next = LONGEST;
        return firstTime;
    }

    private static void sleep(Duration time) {
        var interrupted = false;
        while (true) {
            try {
                Thread.sleep(time);
                break;
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
