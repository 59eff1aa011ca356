package dev.spur.engine.account;

/// Which numbers come next, and how often anything was changed. A number is never given again.
public record AccountNumbers(int nextAssociation, int nextQos, int nextWckey, long revision) {}
