package dev.spur.controller.node;

import java.util.Optional;

/// What nodes say with every heartbeat: never part of the replicated state.
@FunctionalInterface
public interface NodeLoads {
    Optional<Load> of(String node);

    record Load(int loadHundredths, long freeMemoryMebibytes) {}
}
