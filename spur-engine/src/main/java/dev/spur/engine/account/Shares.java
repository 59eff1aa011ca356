package dev.spur.engine.account;

/// What an association is due, compared with its siblings.
///
/// @param count 0 is a share of nothing
/// @param ofParent it has none of its own: its users count as if they were the parent's
public record Shares(int count, boolean ofParent) {
    public static final Shares ONE = new Shares(1, false);
    public static final Shares OF_PARENT = new Shares(0, true);

    public static Shares of(int count) {
        return new Shares(count, false);
    }

    @Override
    public String toString() {
        return ofParent ? "parent" : Integer.toString(count);
    }
}
