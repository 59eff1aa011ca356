package dev.spur.testkit.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// What one controller has of the log, as its disk has it: its term and vote, and the entries
/// behind the last snapshot. Outlives the controller.
final class LogOnDisk {
    private final List<Entry> entries = new ArrayList<>();
    private long term;
    private @Nullable String vote;
    private long purgedTo;
    private long purgedTerm;
    private long durableTo;

    /// @param proposals one behind the other; none: with it a leader begins its term
    @SuppressWarnings("ArrayRecordComponent") // never changed, never compared
    record Entry(long index, long term, byte[] proposals) {
        boolean beginsTerm() {
            return proposals.length == 0;
        }
    }

    long term() {
        return term;
    }

    @Nullable String vote() {
        return vote;
    }

    /// A term and a vote are forced to disk before anybody hears of them.
    void enter(long newTerm, @Nullable String votesFor) {
        term = newTerm;
        vote = votesFor;
    }

    long lastIndex() {
        return purgedTo + entries.size();
    }

    long lastTerm() {
        return entries.isEmpty() ? purgedTerm : entries.getLast().term();
    }

    long purgedTo() {
        return purgedTo;
    }

    long durableTo() {
        return durableTo;
    }

    /// -1 for what it does not have, or has no more.
    long termAt(long index) {
        if (index == purgedTo) {
            return purgedTerm;
        }
        return index < purgedTo || index > lastIndex() ? -1 : at(index).term();
    }

    Entry at(long index) {
        return entries.get(Math.toIntExact(index - purgedTo - 1));
    }

    List<Entry> after(long index) {
        return List.copyOf(entries.subList(Math.toIntExact(index - purgedTo), entries.size()));
    }

    Entry append(byte[] proposals) {
        var entry = new Entry(lastIndex() + 1, term, proposals);
        entries.add(entry);
        return entry;
    }

    /// Takes over a leader's entry; what contradicts it goes, with all that follows.
    void take(Entry entry) {
        if (entry.index() <= purgedTo || termAt(entry.index()) == entry.term()) {
            return;
        }
        dropFrom(entry.index());
        entries.add(entry);
    }

    private void dropFrom(long index) {
        if (index <= lastIndex()) {
            entries.subList(Math.toIntExact(index - purgedTo - 1), entries.size()).clear();
            durableTo = Math.min(durableTo, index - 1);
        }
    }

    void wasForcedTo(long index) {
        durableTo = Math.max(durableTo, Math.min(index, lastIndex()));
    }

    /// A snapshot has everything up to there.
    void purgeTo(long index) {
        if (index > purgedTo && index <= lastIndex()) {
            var newTerm = termAt(index);
            entries.subList(0, Math.toIntExact(index - purgedTo)).clear();
            purgedTerm = newTerm;
            purgedTo = index;
            durableTo = Math.max(durableTo, index);
        }
    }

    /// A snapshot was installed: nothing of what was there before counts.
    void beginAfter(long index, long termThere) {
        entries.clear();
        purgedTo = index;
        purgedTerm = termThere;
        durableTo = index;
    }

    /// Entries that were not forced are gone, or some of the last are.
    void losePower(Random random) {
        var unforced = Math.toIntExact(lastIndex() - durableTo);
        if (unforced > 0) {
            dropFrom(durableTo + 1 + random.nextInt(unforced + 1));
        }
        durableTo = lastIndex();
    }
}
