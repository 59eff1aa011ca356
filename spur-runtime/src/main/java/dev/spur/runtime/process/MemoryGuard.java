package dev.spur.runtime.process;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Knows when the heap is nearly full of what lives. Whoever adds to the state is then asked to
/// come back later, so that ends, cancellations and questions, which make room or need little, go
/// on.
///
/// Garbage does not count: only what the last collection left behind. A collection that is old says
/// little about now, so one is asked for before anybody is refused for long.
public final class MemoryGuard {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryGuard.class);
    private static final double FULL = 0.80;
    private static final Duration COLLECT_AT_MOST_EVERY = Duration.ofSeconds(30);

    private final Supplier<Reading> heap;
    private final Runnable collect;
    private final InstantSource clock;
    private final String advice;
    private boolean refusing;
    private Instant collected = Instant.MIN;

    /// @param live bytes that the last collection left, and that are still in use now
    public record Reading(long live, long most) {
        boolean isFull() {
            return most > 0 && live > most * FULL;
        }
    }

    /// @param advice for the log: what is refused now, and what to do about it
    public MemoryGuard(
            Supplier<Reading> heap, Runnable collect, InstantSource clock, String advice) {
        this.heap = heap;
        this.collect = collect;
        this.clock = clock;
        this.advice = advice;
    }

    /// Of this process.
    public static MemoryGuard ofThisProcess(InstantSource clock, String advice) {
        return new MemoryGuard(heapOfThisProcess(), System::gc, clock, advice);
    }

    static Supplier<Reading> heapOfThisProcess() {
        var old =
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP)
                        .filter(MemoryPoolMXBean::isCollectionUsageThresholdSupported)
                        .filter(pool -> pool.getName().matches(".*(Old|Tenured).*"))
                        .max(Comparator.comparing(MemoryPoolMXBean::getName));
        var most = Runtime.getRuntime().maxMemory();
        return () -> old.map(pool -> read(pool, most)).orElse(new Reading(0, most));
    }

    private static Reading read(MemoryPoolMXBean pool, long most) {
        var left = pool.getCollectionUsage();
        var now = pool.getUsage();
        return new Reading(
                left == null || now == null ? 0 : Math.min(left.getUsed(), now.getUsed()), most);
    }

    /// Whether there is room for more state. Cheap enough to be asked for each submission.
    public synchronized boolean hasRoom() {
        var reading = heap.get();
        if (reading.isFull() && isDueForCollection()) {
            collect.run();
            reading = heap.get();
        }
        if (reading.isFull() != refusing) {
            refusing = reading.isFull();
            tell(reading);
        }
        return !refusing;
    }

    private boolean isDueForCollection() {
        var now = clock.instant();
        if (collected.plus(COLLECT_AT_MOST_EVERY).isAfter(now)) {
            return false;
        }
        collected = now;
        return true;
    }

    private void tell(Reading reading) {
        var mebibytes = reading.live() >> 20;
        if (refusing) {
            LOG.atWarn()
                    .addKeyValue("usedMb", mebibytes)
                    .addKeyValue("heapMb", reading.most() >> 20)
                    .log("the memory is nearly full: " + advice);
        } else {
            LOG.atInfo().addKeyValue("usedMb", mebibytes).log("there is memory again");
        }
    }
}
