package dev.spur.runtime.config;

import java.time.Duration;
import java.util.Locale;

/// `[scheduler]` in spur.conf.
public record SchedulerConfig(
        @Means(
                        "backfill starts jobs ahead of others that they do not delay; builtin keeps strictly to the order of priority")
                @Key(notYetUsed = true)
                Plugin plugin,
        @Means(
                        "The longest pause between two passes; what happens in between wakes the scheduler too")
                @Key("interval_secs")
                Duration interval,
        @Means("How many waiting jobs one pass looks at, in order of priority") int maxJobsPerCycle,
        @Means("After so long past usage counts half")
                @Key(value = "fairshare_halflife_days", notYetUsed = true)
                Duration fairshareHalflife,
        @Means(
                        "The time limit of jobs that ask for none in partitions that give none; 0: unlimited")
                @Key(value = "default_time_limit_minutes", live = true)
                Duration defaultTimeLimit,
        @Means(
                        "Whether a job is refused at submission if one of its partitions does not allow it (ALL), or only if none does (ANY); NO lets it wait")
                @Key(live = true)
                EnforcePartLimits enforcePartLimits,
        @Means(
                        "How long beyond kill_wait_secs a node may take to end a job. It is then told again, and after as long again drained")
                @Key(value = "complete_wait_secs", live = true)
                Duration completeWait,
        @Means("The highest priority that an ordinary user may ask for") @Key(live = true)
                int maxUserPriority,
        @Means("Allocations whose command is silent for so long are ended; 0: never")
                @Key(value = "inactive_limit_secs", live = true, notYetUsed = true)
                Duration inactiveLimit,
        @Means("How long jobs may run beyond the end of their reservation")
                @Key(value = "resv_overrun_minutes", live = true, notYetUsed = true)
                Duration reservationOverrun,
        @Means("Which jobs may push others aside") @Key(live = true, notYetUsed = true)
                PreemptType preemptType,
        @Means("A job that started less than so long ago is not pushed aside")
                @Key(live = true, notYetUsed = true)
                Duration preemptExemptTime) {

    /// A default time limit of zero means none.
    public static final SchedulerConfig DEFAULTS =
            new SchedulerConfig(
                    Plugin.BACKFILL,
                    Duration.ofSeconds(1),
                    10_000,
                    Duration.ofDays(14),
                    Duration.ZERO,
                    EnforcePartLimits.NO,
                    Duration.ofMinutes(5),
                    1000,
                    Duration.ZERO,
                    Duration.ZERO,
                    PreemptType.NONE,
                    Duration.ZERO);

    public enum Plugin {
        BACKFILL,
        BUILTIN;

        /// Also by Slurm's name, as in `sched/backfill`.
        static Plugin parse(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "backfill", "sched/backfill" -> BACKFILL;
                case "builtin", "sched/builtin" -> BUILTIN;
                default ->
                        throw new IllegalArgumentException(
                                "must be backfill or builtin, was \"%s\"".formatted(text));
            };
        }
    }

    /// Whether a job beyond its partitions' limits is refused at submission instead of waiting.
    public enum EnforcePartLimits {
        NO,
        ALL,
        ANY;

        static EnforcePartLimits parse(String text) {
            return switch (text.toUpperCase(Locale.ROOT)) {
                case "NO" -> NO;
                case "ALL", "YES" -> ALL;
                case "ANY" -> ANY;
                default ->
                        throw new IllegalArgumentException(
                                "must be NO, ALL or ANY, was \"%s\"".formatted(text));
            };
        }
    }

    public enum PreemptType {
        NONE,
        QOS_PRIORITY
    }

    public SchedulerConfig {
        new Rules()
                .require(interval.isPositive(), "interval_secs", "must be longer than zero")
                .require(
                        maxJobsPerCycle >= 1,
                        "max_jobs_per_cycle",
                        "must be at least 1, was %d",
                        maxJobsPerCycle)
                .require(
                        fairshareHalflife.isPositive(),
                        "fairshare_halflife_days",
                        "must be at least 1")
                .require(
                        !defaultTimeLimit.isNegative(),
                        "default_time_limit_minutes",
                        "must not be negative")
                .require(!completeWait.isNegative(), "complete_wait_secs", "must not be negative")
                .require(
                        inactiveLimit.isZero() || inactiveLimit.toSeconds() >= 60,
                        "inactive_limit_secs",
                        "must be 0 (off) or at least 60, was %d",
                        inactiveLimit.toSeconds())
                .check();
    }
}
