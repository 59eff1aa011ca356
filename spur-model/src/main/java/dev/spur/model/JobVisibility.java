package dev.spur.model;

/// `controller.job_info_visibility`: what people see of the jobs of others.
public enum JobVisibility {
    FULL,
    /// Where it runs and how big it is, but not what it is.
    REDACTED,
    OWNER_ONLY
}
