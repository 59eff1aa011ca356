package dev.spur.model;

/// A batch job runs a script on its first node; an allocation waits for the steps of `salloc` or
/// `srun`.
public enum JobKind {
    BATCH,
    ALLOCATION
}
