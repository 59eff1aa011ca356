package dev.spur.cli.account;

import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.AssociationView;
import java.util.Map;
import java.util.TreeMap;

/// What limits a job of an association: its own limits, and those of the accounts above where it
/// has none. Limits of groups hold where they are set.
public final class LimitsInForce {
    private LimitsInForce() {}

    public static AssociationLimits of(AccountBook book, AssociationView association) {
        var limits = association.getLimits().toBuilder();
        for (var above = book.above(association); above != null; above = book.above(above)) {
            inherit(limits, above.getLimits());
        }
        return limits.build();
    }

    private static void inherit(AssociationLimits.Builder own, AssociationLimits above) {
        if (!own.hasMaxJobs() && above.hasMaxJobs()) {
            own.setMaxJobs(above.getMaxJobs());
        }
        if (!own.hasMaxJobsAccrue() && above.hasMaxJobsAccrue()) {
            own.setMaxJobsAccrue(above.getMaxJobsAccrue());
        }
        if (!own.hasMaxSubmitJobs() && above.hasMaxSubmitJobs()) {
            own.setMaxSubmitJobs(above.getMaxSubmitJobs());
        }
        if (!own.hasMaxWallMinutes() && above.hasMaxWallMinutes()) {
            own.setMaxWallMinutes(above.getMaxWallMinutes());
        }
        if (!own.hasMinPriorityThreshold() && above.hasMinPriorityThreshold()) {
            own.setMinPriorityThreshold(above.getMinPriorityThreshold());
        }
        missing(own.getMaxTresPerJobMap(), above.getMaxTresPerJobMap())
                .forEach(own::putMaxTresPerJob);
        missing(own.getMaxTresPerNodeMap(), above.getMaxTresPerNodeMap())
                .forEach(own::putMaxTresPerNode);
        missing(own.getMaxTresMinutesPerJobMap(), above.getMaxTresMinutesPerJobMap())
                .forEach(own::putMaxTresMinutesPerJob);
    }

    /// Each resource is looked for by itself.
    private static Map<String, Long> missing(Map<String, Long> own, Map<String, Long> above) {
        var missing = new TreeMap<>(above);
        missing.keySet().removeAll(own.keySet());
        return missing;
    }
}
