package dev.spur.runtime.config;

import dev.spur.model.AccountingRules;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/// `[accounting]` in spur.conf. Without a database nothing is recorded beyond the controller's own
/// memory.
public record AccountingConfig(
        @Means(
                        "The accounting database, as in postgresql://user:password@host/spur; without it spurdbd runs a PostgreSQL of its own")
                Secret databaseUrl,
        @Means("How often the usage of running jobs is counted")
                @Key(value = "fairshare_refresh_secs", live = true)
                Duration fairshareRefresh,
        @Means("The span over which the limits of wall time are counted")
                @Key(value = "grp_wall_window_days", notYetUsed = true)
                Duration grpWallWindow,
        @Means("The QOS of jobs whose association has none; empty: the QOS normal")
                @Key(live = true)
                String defaultQos,
        @Means("Whether jobs need a QOS that they may use, as enforce = [\"qos\"]")
                @Key(live = true)
                boolean requireQos,
        @Means("Whether jobs need an association, as enforce = [\"associations\"]")
                @Key(live = true)
                boolean requireAssociation,
        @Means("How long the record of changes is kept; 0: for ever")
                @Key(value = "txn_retention_days")
                Duration transactionRetention,
        @Means(
                        "What jobs must obey: associations, limits, qos, safe (minutes last until the job's end), wckeys; all but associations include associations")
                @Key(live = true)
                List<Enforce> enforce,
        @Means(
                        "When past usage begins at zero again: none, daily, weekly, monthly, quarterly, yearly")
                @Key(live = true)
                AccountingRules.UsageReset usageReset,
        @Means(
                        "Where spurdbd answers, unless --listen says it: an address and port, as in [::]:6819")
                String listenAddr,
        @Means(
                        "How long jobs and their steps are kept after their end, as in 12months; empty: for ever")
                KeptFor purgeJobAfter,
        @Means("How long steps are kept, if not as long as their jobs") KeptFor purgeStepAfter,
        @Means("How long it is kept when nodes were down") KeptFor purgeEventAfter,
        @Means("How long reservations are kept after their end") KeptFor purgeResvAfter,
        @Means("How long the record of changes is kept, as in 12months") KeptFor purgeTxnAfter,
        @Means("How long usage by hour, day and month is kept") KeptFor purgeUsageAfter,
        @Means(
                        "How much disk the records that wait for spurdbd may take on each controller; beyond it no more jobs are taken")
                @Key(live = true)
                int spoolMaxMb) {

    /// One word of `enforce`.
    public enum Enforce {
        ASSOCIATIONS,
        LIMITS,
        QOS,
        SAFE,
        WCKEYS,
        NONE
    }

    /// Whether any of these is enforced.
    public boolean enforces(Enforce... words) {
        return Arrays.stream(words).anyMatch(enforce::contains);
    }

    public static final AccountingConfig DEFAULTS =
            new AccountingConfig(
                    Secret.parse(""),
                    Duration.ofMinutes(5),
                    Duration.ofDays(14),
                    "",
                    false,
                    false,
                    Duration.ZERO,
                    List.of(),
                    AccountingRules.UsageReset.NONE,
                    "",
                    KeptFor.EVER,
                    KeptFor.EVER,
                    KeptFor.EVER,
                    KeptFor.EVER,
                    KeptFor.EVER,
                    KeptFor.EVER,
                    2048);

    public AccountingConfig {
        enforce = List.copyOf(enforce);
        new Rules()
                .require(
                        fairshareRefresh.toSeconds() >= 10,
                        "fairshare_refresh_secs",
                        "must be at least 10, was %d",
                        fairshareRefresh.toSeconds())
                .between(1, grpWallWindow.toDays(), 3650, "grp_wall_window_days")
                .require(
                        !transactionRetention.isNegative(),
                        "txn_retention_days",
                        "must not be negative")
                .between(64, spoolMaxMb, 1 << 20, "spool_max_mb")
                .check();
    }
}
