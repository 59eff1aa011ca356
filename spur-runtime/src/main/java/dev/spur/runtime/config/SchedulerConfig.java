package dev.spur.runtime.config;

import dev.spur.model.notation.TresWeights;
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
        @Means("After so long past usage counts half; 0: it counts for ever")
                @Key(value = "fairshare_halflife_days", live = true)
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
                Duration preemptExemptTime,
        @Means(
                        "basic: whoever came first goes first; multifactor: by the factors that the priority_weight keys weigh")
                @Key(live = true)
                PriorityType priorityType,
        @Means("What the time is worth that a job has waited") @Key(live = true)
                int priorityWeightAge,
        @Means("What it is worth to have used less than one's share") @Key(live = true)
                int priorityWeightFairshare,
        @Means("What the size of a job is worth") @Key(live = true) int priorityWeightJobSize,
        @Means("What a partition's priority_job_factor is worth") @Key(live = true)
                int priorityWeightPartition,
        @Means("What the priority of the QOS is worth") @Key(live = true) int priorityWeightQos,
        @Means("What the priority of the association is worth") @Key(live = true)
                int priorityWeightAssoc,
        @Means("What each resource is worth, as in \"CPU=100,Mem=10,GRES/gpu=100\"")
                @Key(live = true)
                TresWeights priorityWeightTres,
        @Means("A job that has waited so long has all that age is worth")
                @Key(value = "priority_max_age_days", live = true)
                Duration priorityMaxAge,
        @Means("Whether smaller jobs go first instead of larger ones") @Key(live = true)
                boolean priorityFavorSmall) {

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
                    Duration.ZERO,
                    PriorityType.BASIC,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    TresWeights.NONE,
                    Duration.ofDays(7),
                    false);

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

    public enum PriorityType {
        BASIC,
        MULTIFACTOR;

        /// Also by Slurm's name, as in `priority/multifactor`.
        static PriorityType parse(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "basic", "priority/basic" -> BASIC;
                case "multifactor", "priority/multifactor" -> MULTIFACTOR;
                default ->
                        throw new IllegalArgumentException(
                                "must be basic or multifactor, was \"%s\"".formatted(text));
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
                        !fairshareHalflife.isNegative(),
                        "fairshare_halflife_days",
                        "must not be negative")
                .require(
                        !defaultTimeLimit.isNegative(),
                        "default_time_limit_minutes",
                        "must not be negative")
                .require(priorityMaxAge.isPositive(), "priority_max_age_days", "must be at least 1")
                .require(
                        priorityWeightAge >= 0
                                && priorityWeightFairshare >= 0
                                && priorityWeightJobSize >= 0
                                && priorityWeightPartition >= 0
                                && priorityWeightQos >= 0
                                && priorityWeightAssoc >= 0,
                        "priority_weight_age",
                        "and the other weights must not be negative")
                .require(!completeWait.isNegative(), "complete_wait_secs", "must not be negative")
                .require(
                        inactiveLimit.isZero() || inactiveLimit.toSeconds() >= 60,
                        "inactive_limit_secs",
                        "must be 0 (off) or at least 60, was %d",
                        inactiveLimit.toSeconds())
                .check();
    }
}
