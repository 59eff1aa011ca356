package dev.spur.cloud.ssh;

/// What a key and a user name mean.
public sealed interface Admission {
    /// Nobody has the key.
    record Stranger() implements Admission {}

    /// Somebody is who he says, but there is nothing for him here.
    ///
    /// @param why for people
    record NothingHere(String why) implements Admission {}

    /// Somebody may in.
    record Welcome(Guest guest) implements Admission {}
}
