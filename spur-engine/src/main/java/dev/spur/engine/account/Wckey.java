package dev.spur.engine.account;

/// A word by which a user's work is told apart in reports.
public record Wckey(int id, String name, String user) {}
