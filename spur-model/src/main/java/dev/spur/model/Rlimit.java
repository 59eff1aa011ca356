package dev.spur.model;

/// A resource limit of the submitting shell, to be set again for the job's processes.
public record Rlimit(String name, long soft, boolean unlimited) {}
