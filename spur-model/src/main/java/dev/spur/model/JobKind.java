package dev.spur.model;

/// A batch job runs a script on its first node; an allocation waits for the steps that people start
/// in it (`salloc`); `srun` outside a job makes one for its own step alone.
public enum JobKind {
    BATCH,
    ALLOCATION,
    OWN_STEP
}
