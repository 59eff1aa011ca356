package dev.spur.cli;

import dev.spur.api.client.ControllerClient;

/// Finds the cluster that a command means, and reaches it in its caller's name.
@FunctionalInterface
public interface Connector {
    ControllerClient connect(Invocation in);
}
