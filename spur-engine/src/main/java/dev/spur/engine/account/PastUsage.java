package dev.spur.engine.account;

import dev.spur.engine.tres.TresVector;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// What the jobs of an association (and of all below it), or of a QOS, have used so far, faded by
/// half its value per half-life.
///
/// @param id of the association or QOS
/// @param billingSeconds by which shares are compared
/// @param wallSeconds how long jobs ran, added up
/// @param tresSeconds by number of the resource
public record PastUsage(
        int id, Double billingSeconds, Double wallSeconds, Map<Integer, Double> tresSeconds) {
    public PastUsage {
        tresSeconds = Collections.unmodifiableSortedMap(new TreeMap<>(tresSeconds));
    }

    public static PastUsage none(int id) {
        return new PastUsage(id, 0.0, 0.0, Map.of());
    }

    /// With jobs that had this for so long.
    ///
    /// @param factor of the QOS
    public PastUsage plus(double seconds, TresVector amounts, long billing, double factor) {
        var sums = new TreeMap<>(tresSeconds);
        amounts.forEach(
                (number, amount) -> sums.merge(number, seconds * amount * factor, Double::sum));
        return new PastUsage(
                id,
                billingSeconds + seconds * billing * factor,
                wallSeconds + seconds * factor,
                sums);
    }

    /// @param sign 1 or -1
    public PastUsage plus(PastUsage other, int sign) {
        var sums = new TreeMap<>(tresSeconds);
        other.tresSeconds.forEach(
                (number, seconds) -> sums.merge(number, sign * seconds, Double::sum));
        return new PastUsage(
                id,
                billingSeconds + sign * other.billingSeconds,
                wallSeconds + sign * other.wallSeconds,
                sums);
    }

    public PastUsage times(double factor) {
        if (factor == 1) {
            return this;
        }
        var faded = new TreeMap<Integer, Double>();
        tresSeconds.forEach((number, seconds) -> faded.put(number, seconds * factor));
        return new PastUsage(id, billingSeconds * factor, wallSeconds * factor, faded);
    }

    public double minutes(int tres) {
        return tresSeconds.getOrDefault(tres, 0.0) / 60;
    }
}
