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

    /// The word alone, for those who look for it; of a limit all of it.
    public String word() {
        return isLimit() ? toString() : code.word();
    }

    /// What is to be said beside the word.
    public String beside() {
        return isLimit() ? "" : detail;
    }

    private boolean isLimit() {
        return code == PendingReason.ASSOCIATION_LIMIT
                || code == PendingReason.QOS_LIMIT
                || code == PendingReason.ACCOUNT_LIMIT;
    }

    @Override
    public String toString() {
        return code.word() + detail;
    }
}
