package dev.spur.engine.account;

/// What a change is about. Append-only.
public enum AccountsEntity {
    ASSOCIATION,
    ACCOUNT,
    USER,
    QOS,
    COORDINATOR,
    WCKEY,
    /// Its association is that of the account root.
    CLUSTER
}
