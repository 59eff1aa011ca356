package dev.spur.model.notation;

import java.time.Duration;

/// The two ways in which Slurm prints how long something took. A negative duration (clocks of two
/// hosts disagree) prints as zero.
public final class Durations {
    private Durations() {}

    /// Only the parts that are needed, as `squeue` does: `0:05`, `1:02:03`, `2-03:04:05`.
    public static String brief(Duration duration) {
        var seconds = Math.max(0, duration.toSeconds());
        var text = new StringBuilder(12);
        if (seconds >= 86_400) {
            text.append(seconds / 86_400).append('-');
            two(text, seconds / 3600 % 24).append(':');
            two(text, seconds / 60 % 60);
        } else if (seconds >= 3600) {
            text.append(seconds / 3600).append(':');
            two(text, seconds / 60 % 60);
        } else {
            text.append(seconds / 60);
        }
        return two(text.append(':'), seconds % 60).toString();
    }

    /// Always with hours, as `scontrol` and `sacct` do: `00:00:25`, `1-00:00:00`.
    public static String padded(Duration duration) {
        var seconds = Math.max(0, duration.toSeconds());
        var text = new StringBuilder(12);
        if (seconds >= 86_400) {
            text.append(seconds / 86_400).append('-');
        }
        two(text, seconds / 3600 % 24).append(':');
        two(text, seconds / 60 % 60).append(':');
        return two(text, seconds % 60).toString();
    }

    private static StringBuilder two(StringBuilder text, long value) {
        return text.append((char) ('0' + value / 10)).append((char) ('0' + value % 10));
    }
}
