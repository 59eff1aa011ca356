package dev.spur.engine.state;

/// What the cluster knows of its accounting database. What is recorded is not in the state: every
/// controller writes it beside, from the events.
///
/// @param begun the entry of the log since which everything is recorded; 0: nothing is
/// @param stored the last record that the database has: what is not behind it may be forgotten
/// @param address where the database's daemon is reached; empty: it has never said
/// @param identity tells this cluster's records from those of another one of the same name, as one
///   that was made anew; empty: nothing was recorded yet, or by a release without it
public record Recording(long begun, RecordNumber stored, String address, String identity) {
    public static final Recording NONE = new Recording(0, RecordNumber.NONE, "", "");

    public boolean isOn() {
        return begun > 0;
    }

    /// Also if it has begun before: then all that is alive is recorded anew.
    ///
    /// @param proposed becomes the identity if there is none yet
    public Recording begunAt(long entry, String proposed) {
        return new Recording(entry, stored, address, identity.isEmpty() ? proposed : identity);
    }

    /// Never goes back: what was forgotten is gone.
    public Recording withStored(RecordNumber number, String at) {
        return new Recording(begun, number.isAfter(stored) ? number : stored, at, identity);
    }
}
