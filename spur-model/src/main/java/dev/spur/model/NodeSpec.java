package dev.spur.model;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// `[[nodes]]` of the configuration: what the administrator says about some nodes.
///
/// @param names a hostlist; with a selector instead, nodes whose labels have all its pairs
/// @param weight nodes of lower weight are taken first, as in Slurm
public record NodeSpec(
        String names,
        Map<String, String> selector,
        NodeShape shape,
        List<String> features,
        int weight,
        String address) {

    public NodeSpec {
        selector = Collections.unmodifiableMap(new TreeMap<>(selector));
        features = List.copyOf(features);
    }

    public static NodeSpec of(String names, NodeShape shape) {
        return new NodeSpec(names, Map.of(), shape, List.of(), 1, "");
    }
}
