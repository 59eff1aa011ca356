package dev.spur.runtime.process;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/// Has the old generation collected when it has grown by half, where the serial collector would let
/// it grow to the limit of the heap first: half of the memory of a controller was garbage.
///
/// A full collection stops everything, so it is asked for only while it can be expected to be
/// short. A heap that is too large for that fills up as the collector likes.
public final class HeapKeeper {
    private static final long LEAST = 64L << 20;
    private static final Duration LONGEST = Duration.ofMillis(300);

    private final Supplier<Reading> heap;
    private final Runnable collect;

    /// @param live bytes that the last full collection left
    /// @param used bytes in use now, garbage included
    /// @param pause how long the last full collection took
    public record Reading(long live, long used, Duration pause) {
        boolean isDue() {
            return used > LEAST && used > live + live / 2 && expected().compareTo(LONGEST) <= 0;
        }

        /// As long as the last one, if what lives has grown as much as what is in use.
        private Duration expected() {
            return live == 0
                    ? Duration.ZERO
                    : Duration.ofNanos((long) (pause.toNanos() * ((double) used / live)));
        }
    }

    HeapKeeper(Supplier<Reading> heap, Runnable collect) {
        this.heap = heap;
        this.collect = collect;
    }

    /// Of this process, if it has the serial collector: the others know better themselves.
    public static Optional<HeapKeeper> ofThisProcess() {
        var old =
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getName().equals("Tenured Gen"))
                        .findAny();
        var full =
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .filter(collector -> collector.getName().equals("MarkSweepCompact"))
                        .findAny();
        return old.isEmpty() || full.isEmpty()
                ? Optional.empty()
                : Optional.of(new HeapKeeper(readings(old.get(), full.get()), System::gc));
    }

    private static Supplier<Reading> readings(MemoryPoolMXBean old, GarbageCollectorMXBean full) {
        return new Supplier<>() {
            private long collections = full.getCollectionCount();
            private long millis = full.getCollectionTime();
            private Duration pause = Duration.ZERO;

            @Override
            public Reading get() {
                var count = full.getCollectionCount();
                var total = full.getCollectionTime();
                if (count > collections) {
                    pause = Duration.ofMillis((total - millis) / (count - collections));
                    collections = count;
                    millis = total;
                }
                var left = old.getCollectionUsage();
                return new Reading(
                        left == null ? 0 : left.getUsed(), old.getUsage().getUsed(), pause);
            }
        };
    }

    /// To be called every now and then, one call at a time.
    public void look() {
        if (heap.get().isDue()) {
            collect.run();
        }
    }
}
