package dev.spur.model;

/// A reason and what is to be said beside it.
///
/// @param detail printed right behind the word, for example `, UnavailableNodes:node7` or
///   `:9(Killed)`
public record Reason(PendingReason code, String detail) {
    public static final Reason NONE = of(PendingReason.NONE);

    public static Reason of(PendingReason code) {
        return new Reason(code, "");
    }

    @Override
    public String toString() {
        return code.word() + detail;
    }
}
