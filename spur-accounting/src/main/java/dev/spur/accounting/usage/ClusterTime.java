package dev.spur.accounting.usage;

/// What became of one resource of a cluster in some time, as amount times seconds. The parts that
/// `sreport cluster utilization` shows; together they are what was reported.
public record ClusterTime(
        long reported, long allocated, long down, long plannedDown, long idle, long planned) {
    public static final ClusterTime NOTHING = new ClusterTime(0, 0, 0, 0, 0, 0);

    /// Makes the parts fit what there was, by Slurm's rules: what is given to jobs on a node that
    /// is drained is allocated, not down; and jobs can only have waited for what was idle.
    ///
    /// @param waiting what jobs that waited had asked for
    static ClusterTime balanced(
            long reported, long allocated, long down, long plannedDown, long waiting) {
        var given = Math.min(allocated, reported);
        var left = reported - given;
        var broken = Math.min(down, left);
        left -= broken;
        var kept = Math.min(plannedDown, left);
        left -= kept;
        var planned = Math.min(waiting, left);
        return new ClusterTime(reported, given, broken, kept, left - planned, planned);
    }

    ClusterTime plus(ClusterTime other) {
        return new ClusterTime(
                reported + other.reported,
                allocated + other.allocated,
                down + other.down,
                plannedDown + other.plannedDown,
                idle + other.idle,
                planned + other.planned);
    }
}
