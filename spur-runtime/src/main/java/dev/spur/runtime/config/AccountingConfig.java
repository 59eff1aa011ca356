package dev.spur.runtime.config;

import java.time.Duration;

/// `[accounting]` in spur.conf. Without a database nothing is recorded beyond the controller's own
/// memory.
public record AccountingConfig(
        @Key(notYetUsed = true) Secret databaseUrl,
        @Key(value = "fairshare_refresh_secs", notYetUsed = true) Duration fairshareRefresh,
        @Key(value = "grp_wall_window_days", notYetUsed = true) Duration grpWallWindow,
        @Key(live = true, notYetUsed = true) String defaultQos,
        @Key(live = true, notYetUsed = true) boolean requireQos,
        @Key(live = true, notYetUsed = true) boolean requireAssociation,
        @Key(value = "txn_retention_days", notYetUsed = true) Duration transactionRetention) {

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
