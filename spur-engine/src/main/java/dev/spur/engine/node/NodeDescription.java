package dev.spur.engine.node;

import dev.spur.model.NodeShape;
import java.util.List;

/// What a node is, as configuration, agent and administrators have it together.
///
/// @param configured false: only its agent names it
/// @param shape what is allocated from: the configured numbers where stated, else the reported
/// @param comment an administrator's
public record NodeDescription(
        boolean configured,
        NodeShape shape,
        List<String> features,
        int weight,
        String address,
        String comment) {
    static final NodeDescription NOTHING =
            new NodeDescription(false, NodeShape.UNSTATED, List.of(), 1, "", "");

    public NodeDescription {
        features = List.copyOf(features);
    }

    NodeDescription withFeatures(List<String> has) {
        return new NodeDescription(configured, shape, has, weight, address, comment);
    }

    NodeDescription withWeight(int costs) {
        return new NodeDescription(configured, shape, features, costs, address, comment);
    }

    NodeDescription withComment(String text) {
        return new NodeDescription(configured, shape, features, weight, address, text);
    }
}
