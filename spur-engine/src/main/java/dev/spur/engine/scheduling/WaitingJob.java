package dev.spur.engine.scheduling;

import dev.spur.engine.job.Job;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A pending job that only resources and priority keep waiting.
final class WaitingJob {
    Job job;

    /// The number that its entries have in the queue.
    private long priority;

    private List<Entry> entries = List.of();

    /// The latest pass that started all of it.
    long startedInPass;

    /// What was said about it last.
    Decision.@Nullable Wait said;

    private long pass;
    private int startedTasks;
    private Timeline.@Nullable Reservation reservation;
    private @Nullable Reason reason;

    WaitingJob(Job job, List<Place> places, long priority) {
        this.job = job;
        enqueue(places, priority);
    }

    private void enqueue(List<Place> places, long number) {
        priority = number;
        var all = new Entry[places.size()];
        for (var i = 0; i < all.length; i++) {
            all[i] = new Entry(this, places.get(i), number, job.submittedAt(), job.id().value(), i);
        }
        entries = List.of(all);
    }

    List<Entry> entries() {
        return entries;
    }

    /// Other entries in the same places; those from before are to be taken out of the queue.
    void requeue(long number) {
        enqueue(entries.stream().map(Entry::place).toList(), number);
    }

    long priority() {
        return priority;
    }

    /// What a job asks for in one of its partitions.
    ///
    /// @param brief the same for the shortest time that will do; missing if there is no shorter one
    /// @param tier the partition's
    record Place(Shape shape, @Nullable Shape brief, int tier) {}

    /// How many tasks of the record wait, with those started in this pass taken off.
    int tasksLeft(long number) {
        enter(number);
        var array = job.array();
        return (array == null || array.split() ? 1 : array.tasks().count()) - startedTasks;
    }

    /// True if that was the last task of the record.
    boolean startTask(long number) {
        enter(number);
        startedTasks++;
        return tasksLeft(number) == 0;
    }

    /// Why it waits in one of its partitions. What time can change counts more than what it cannot.
    void because(long number, Reason other) {
        enter(number);
        if (reason == null || rank(other) > rank(reason)) {
            reason = other;
        }
    }

    private static int rank(Reason reason) {
        return reason.code() == PendingReason.RESOURCES
                ? 2
                : reason.code() == PendingReason.PRIORITY ? 1 : 0;
    }

    Reason reason(long number) {
        enter(number);
        return reason == null ? Reason.of(PendingReason.PRIORITY) : reason;
    }

    /// What this pass reserved for it in one of its partitions.
    Timeline.@Nullable Reservation reservation(long number) {
        enter(number);
        return reservation;
    }

    void reserve(long number, Timeline.@Nullable Reservation other) {
        enter(number);
        reservation = other;
    }

    private void enter(long number) {
        if (pass != number) {
            pass = number;
            startedTasks = 0;
            reservation = null;
            reason = null;
        }
    }

    /// Whether the job has the place in the queue that it had before.
    ///
    /// @param number the other's priority
    boolean isAlike(Job other, long number) {
        return other.terms() == job.terms()
                && number == priority
                && other.submittedAt().equals(job.submittedAt());
    }

    /// The job's place in the queue of one of its partitions.
    ///
    /// @param choice position in the job's list of partitions
    record Entry(
            WaitingJob waiting,
            Place place,
            long priority,
            Instant submittedAt,
            int id,
            int choice) {
        static final Comparator<Entry> ORDER =
                Comparator.comparingInt((Entry entry) -> entry.place.tier)
                        .reversed()
                        .thenComparing(Comparator.comparingLong(Entry::priority).reversed())
                        .thenComparing(Entry::submittedAt)
                        .thenComparing((one, other) -> Integer.compareUnsigned(one.id, other.id))
                        .thenComparingInt(Entry::choice);

        Shape shape() {
            return place.shape;
        }

        boolean isLast() {
            return choice == waiting.entries.size() - 1;
        }
    }
}
