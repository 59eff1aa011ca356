package dev.spur.engine.site;

import dev.spur.model.IndexSet;
import dev.spur.model.PartitionSpec;

/// A partition and the nodes that belong to it, by their [index][dev.spur.engine.node.Node#index].
public record Partition(PartitionSpec spec, IndexSet nodes) {
    public String name() {
        return spec.name();
    }
}
