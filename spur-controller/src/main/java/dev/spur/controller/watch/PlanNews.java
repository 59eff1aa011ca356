package dev.spur.controller.watch;

import dev.spur.model.JobId;
import java.util.Collection;
import java.util.function.Consumer;

/// Of which jobs the scheduler thought something new, lately. The plan is no part of the log, so
/// its news have numbers of their own, which count on this controller only.
final class PlanNews {
    private final JobId[] ring;
    private long written;

    PlanNews(int capacity) {
        ring = new JobId[capacity];
    }

    synchronized void add(Collection<JobId> jobs) {
        for (var job : jobs) {
            ring[(int) (written++ % ring.length)] = job;
        }
    }

    synchronized long last() {
        return written;
    }

    /// False if some of what came after that number is here no more.
    synchronized boolean since(long seen, Consumer<JobId> each) {
        if (seen > written || written - seen > ring.length) {
            return false;
        }
        for (var at = seen; at < written; at++) {
            each.accept(ring[(int) (at % ring.length)]);
        }
        return true;
    }
}
