package dev.spur.model;

/// Whether a job's nodes may serve other jobs too.
public enum Sharing {
    DEFAULT,
    EXCLUSIVE,
    OVERSUBSCRIBE,
    USER,
    MCS
}
