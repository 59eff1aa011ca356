package dev.spur.model;

/// What happens to an output file that exists: `DEFAULT` leaves it to the cluster (truncate).
public enum OpenMode {
    DEFAULT,
    APPEND,
    TRUNCATE
}
