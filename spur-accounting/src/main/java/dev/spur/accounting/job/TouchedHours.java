package dev.spur.accounting.job;

import static dev.spur.accounting.amount.Times.earlier;
import static dev.spur.accounting.amount.Times.hour;
import static dev.spur.accounting.amount.Times.later;

import java.time.OffsetDateTime;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The hours that were summed up before something of them was known.
///
/// ```
///                rolled until ┐
///  known:   ████████████████████░░░░      runs, no end yet
///  now:     ██████████████                ended earlier than the sum believes
///  touched:               ▲▲▲▲▲▲          the hours in which both differ
/// ```
public final class TouchedHours {
    private final OffsetDateTime rolledUntil;
    private final OffsetDateTime rawFrom;
    private final NavigableSet<OffsetDateTime> hours = new TreeSet<>();

    /// @param rawFrom the hours before cannot be summed up again; null: all can
    public TouchedHours(OffsetDateTime rolledUntil, @Nullable OffsetDateTime rawFrom) {
        this.rolledUntil = rolledUntil;
        this.rawFrom = rawFrom == null ? OffsetDateTime.MIN : rawFrom;
    }

    public OffsetDateTime rolledUntil() {
        return rolledUntil;
    }

    public NavigableSet<OffsetDateTime> hours() {
        return hours;
    }

    /// @param before the row that is replaced, null for a new one
    public void changed(@Nullable JobRow before, JobRow after) {
        if (before == null) {
            whole(after);
        } else if (!before.weighsAs(after)) {
            whole(before);
            whole(after);
        } else {
            edge(before.started(), after.started());
            edge(before.ended(), after.ended());
            edge(before.eligible(), after.eligible());
        }
    }

    private void whole(JobRow row) {
        var from = row.eligible() == null ? row.started() : row.eligible();
        if (from != null) {
            add(row.started() == null ? from : earlier(from, row.started()), row.ended());
        }
    }

    private void edge(@Nullable OffsetDateTime before, @Nullable OffsetDateTime after) {
        var one = before == null ? rolledUntil : before;
        var other = after == null ? rolledUntil : after;
        if (!one.isEqual(other)) {
            add(earlier(one, other), later(one, other));
        }
    }

    /// The hours of an interval, as far as they were summed up and can be again.
    public void add(OffsetDateTime from, OffsetDateTime until) {
        var end = earlier(until, rolledUntil);
        for (var each = hour(later(from, rawFrom)); each.isBefore(end); each = each.plusHours(1)) {
            hours.add(each);
        }
    }
}
