package dev.spur.controller.agent;

import dev.spur.api.v1.ControllerMessage;
import java.util.Optional;

/// Something an agent is to be told. It is made when it is sent: a launch is large, and by then it
/// may be pointless.
@FunctionalInterface
public interface PendingMessage {
    /// Without the epoch; empty if there is nothing to say any more.
    Optional<ControllerMessage.Builder> make();

    /// Whether it may have megabytes, so that few agents at a time can be sent such a one.
    default boolean isLarge() {
        return false;
    }
}
