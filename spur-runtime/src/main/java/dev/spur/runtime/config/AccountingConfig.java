package dev.spur.runtime.config;

import java.time.Duration;

/// `[accounting]` in spur.conf. Without a database nothing is recorded beyond the controller's own
/// memory.
public record AccountingConfig(
        @Means(
                        "The accounting database, as in postgresql://user:password@host/spur; without it spurdbd runs a PostgreSQL of its own")
                Secret databaseUrl,
        @Means("How often usage is read anew")
                @Key(value = "fairshare_refresh_secs", notYetUsed = true)
                Duration fairshareRefresh,
        @Means("The span over which the limits of wall time are counted")
                @Key(value = "grp_wall_window_days", notYetUsed = true)
                Duration grpWallWindow,
        @Means("The QOS of jobs and users that have none") @Key(live = true, notYetUsed = true)
                String defaultQos,
        @Means("Whether jobs without a known QOS are refused") @Key(live = true, notYetUsed = true)
                boolean requireQos,
        @Means("Whether jobs of users without an association are refused")
                @Key(live = true, notYetUsed = true)
                boolean requireAssociation,
        @Means("How long the record of changes is kept; 0: for ever")
                @Key(value = "txn_retention_days", notYetUsed = true)
                Duration transactionRetention) {

    public static final AccountingConfig DEFAULTS =
            new AccountingConfig(
                    Secret.parse(""),
                    Duration.ofMinutes(5),
                    Duration.ofDays(14),
                    "",
                    false,
                    false,
                    Duration.ZERO);

    public AccountingConfig {
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
                .check();
    }
}
