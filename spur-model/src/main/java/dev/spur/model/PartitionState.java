package dev.spur.model;

/// Whether a partition takes jobs (UP, DOWN) and starts them (UP, DRAIN).
public enum PartitionState {
    UP,
    DOWN,
    DRAIN,
    INACTIVE;

    public boolean takesJobs() {
        return this == UP || this == DOWN;
    }

    public boolean startsJobs() {
        return this == UP || this == DRAIN;
    }
}
