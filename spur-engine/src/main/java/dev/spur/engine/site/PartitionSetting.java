package dev.spur.engine.site;

import dev.spur.model.PartitionSpec;
import dev.spur.model.notation.NotationException;

/// One thing that an administrator set, as it was written: so it can be told again.
public record PartitionSetting(PartitionKey key, String value) {
    /// @throws NotationException if the value says nothing that the key could be
    public PartitionSpec appliedTo(PartitionSpec spec) {
        return spec.with(key.setting(value));
    }

    @Override
    public String toString() {
        return key.key() + "=" + value;
    }
}
