package dev.spur.cloud.billing;

import java.util.List;
import java.util.Map;

/// What really ran.
@FunctionalInterface
public interface Truth {
    /// What is known of the jobs of these sessions, which are all of one account.
    Known about(List<UsageRecords.Unsettled> sessions);

    /// @param attempts by job
    /// @param isWhole whether everybody who knows something was asked; otherwise nothing of it is
    ///   the last word
    record Known(Map<Long, List<Attempt>> attempts, boolean isWhole) {}
}
