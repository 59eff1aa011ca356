package dev.spur.engine.state;

/// What the cluster knows of its accounting database. What is recorded is not in the state: every
/// controller writes it beside, from the events.
///
/// @param begun the entry of the log since which everything is recorded; 0: nothing is
/// @param stored the last record that the database has: what is not behind it may be forgotten
/// @param address where the database's daemon is reached; empty: it has never said
public record Recording(long begun, RecordNumber stored, String address) {
    public static final Recording NONE = new Recording(0, RecordNumber.NONE, "");

    public boolean isOn() {
        return begun > 0;
    }

    /// Also if it has begun before: then all that is alive is recorded anew.
    public Recording begunAt(long entry) {
        return new Recording(entry, stored, address);
    }

    /// Never goes back: what was forgotten is gone.
    public Recording withStored(RecordNumber number, String at) {
        return new Recording(begun, number.isAfter(stored) ? number : stored, at);
    }
}
