package dev.spur.engine.node;

import java.util.List;

/// One thing that `scontrol update node` changes. Append-only.
public sealed interface NodeChange {
    record Drain(String reason) implements NodeChange {}

    record Undrain() implements NodeChange {}

    /// The administrator's word that nothing runs there any more: its jobs are requeued or failed.
    record Down(String reason) implements NodeChange {}

    record Resume() implements NodeChange {}

    record SetReason(String reason) implements NodeChange {}

    record SetWeight(int weight) implements NodeChange {}

    /// What the node has to offer; none of what it has now may be missing.
    record SetFeatures(List<String> features) implements NodeChange {
        public SetFeatures {
            features = List.copyOf(features);
        }
    }

    record SetComment(String comment) implements NodeChange {}

    /// Which of its features the node offers from now on.
    record SetActiveFeatures(List<String> features) implements NodeChange {
        public SetActiveFeatures {
            features = List.copyOf(features);
        }
    }
}
