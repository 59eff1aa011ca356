package dev.spur.model;

/// A job's number, in Slurm's layout: 26 bits count the jobs of a cluster, the 6 bits above them
/// name the cluster of a federation (0 outside of one).
public record JobId(int value) implements Comparable<JobId> {
    private static final int SEQUENCE_BITS = 26;
    private static final int SEQUENCE = (1 << SEQUENCE_BITS) - 1;

    /// Slurm's MaxJobId.
    public static final int HIGHEST_SEQUENCE = 0x3ff_0000;

    public JobId {
        if (value == 0) {
            throw new IllegalArgumentException("a job id is never 0");
        }
    }

    public static JobId of(long value) {
        if (value <= 0 || value > 0xffff_ffffL) {
            throw new IllegalArgumentException(
                    "a job id is a positive 32-bit number, was " + value);
        }
        return new JobId((int) value);
    }

    /// The number within its cluster.
    public int sequence() {
        return value & SEQUENCE;
    }

    /// The federation's number of the cluster that gave the id.
    public int origin() {
        return value >>> SEQUENCE_BITS;
    }

    @Override
    public int compareTo(JobId other) {
        return Integer.compareUnsigned(value, other.value);
    }

    @Override
    public String toString() {
        return Integer.toUnsignedString(value);
    }
}
