package dev.spur.model;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// How priorities are computed (`[scheduler] priority_…`).
///
/// @param multifactor whether they are made of factors; else whoever came first goes first
/// @param tresWeights of each resource by name
/// @param maxAge a job that has waited so long has the whole factor of age
/// @param favorSmall whether the smaller job goes first
public record PriorityRules(
        boolean multifactor,
        int ageWeight,
        int fairShareWeight,
        int jobSizeWeight,
        int partitionWeight,
        int qosWeight,
        int associationWeight,
        Map<String, Long> tresWeights,
        Duration maxAge,
        boolean favorSmall) {
    public static final PriorityRules DEFAULTS =
            new PriorityRules(false, 0, 0, 0, 0, 0, 0, Map.of(), Duration.ofDays(7), false);

    public PriorityRules {
        tresWeights = Collections.unmodifiableSortedMap(new TreeMap<>(tresWeights));
    }
}
