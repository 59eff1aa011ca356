package dev.spur.engine.state;

import dev.spur.model.IndexSet;
import dev.spur.model.PartitionSpec;

/// A partition and the nodes that belong to it, by [Node#index].
public record Partition(PartitionSpec spec, IndexSet nodes) {
    public String name() {
        return spec.name();
    }
}
