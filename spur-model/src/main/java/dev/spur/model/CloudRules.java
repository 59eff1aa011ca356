package dev.spur.model;

/// Who the cloud's users are on the nodes.
///
/// @param firstUid of those that the cloud gives to its users
/// @param lastUid of those
/// @param homeDirectory below which these have their homes
public record CloudRules(long firstUid, long lastUid, String homeDirectory) {
    /// Nobody whom the cloud speaks for has a lower one: those are the system's.
    public static final long LOWEST_UID = 1000;

    /// Whether the cloud gave this uid to one of its users.
    public boolean owns(int uid) {
        var number = Integer.toUnsignedLong(uid);
        return number >= LOWEST_UID && firstUid <= number && number <= lastUid;
    }

    /// Whether it is the cloud's own uid: the first one, which it gives to nobody.
    public boolean isItself(int uid) {
        return Integer.toUnsignedLong(uid) == firstUid && owns(uid);
    }

    public String homeOf(String user) {
        return homeDirectory + "/" + user;
    }
}
