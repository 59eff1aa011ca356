package dev.spur.engine.priority;

import java.util.Map;

/// What a job's priority is made of: each factor, mostly from 0 to 1, and what it is worth. Their
/// sum less nice is the priority.
///
/// @param tres by name of the resource: the part of what its partition has
public record Factors(
        double age,
        double fairShare,
        double jobSize,
        double partition,
        double qos,
        double association,
        Map<String, Double> tres,
        Worth worth) {
    /// Factors times weights.
    public record Worth(
            double age,
            double fairShare,
            double jobSize,
            double partition,
            double qos,
            double association,
            Map<String, Double> tres) {
        double sum() {
            var sum = age + fairShare + jobSize + partition + qos + association;
            for (var one : tres.values()) {
                sum += one;
            }
            return sum;
        }
    }
}
