package dev.spur.model;

import java.time.Duration;

/// What of accounts, QOS and limits is enforced, and how past usage fades (`[accounting]`).
///
/// @param associations jobs need an association
/// @param limits of associations and QOS hold
/// @param qos jobs need a QOS that their association allows
/// @param safe a job starts only if the minutes of its limits last until its end
/// @param wckeys jobs need a wckey of their user's
/// @param defaultQos of jobs whose association has none; empty: the QOS normal
/// @param usageInterval how often the usage of running jobs is counted
/// @param halfLife after which past usage counts half; zero: it counts for ever
/// @param usageReset when it begins at zero again
public record AccountingRules(
        boolean associations,
        boolean limits,
        boolean qos,
        boolean safe,
        boolean wckeys,
        String defaultQos,
        Duration usageInterval,
        Duration halfLife,
        UsageReset usageReset) {
    public static final AccountingRules DEFAULTS =
            new AccountingRules(
                    false,
                    false,
                    false,
                    false,
                    false,
                    "",
                    Duration.ofMinutes(5),
                    Duration.ofDays(14),
                    UsageReset.NONE);

    /// At the beginning of each of these, in UTC. Weeks begin on Sunday, as in Slurm.
    public enum UsageReset {
        NONE,
        DAILY,
        WEEKLY,
        MONTHLY,
        QUARTERLY,
        YEARLY
    }
}
