package dev.spur.testkit.simulated;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import java.util.EnumMap;
import java.util.Map;

/// How many messages of each kind agents and controllers have sent each other. Heartbeats and their
/// answers go by time, whatever runs: they are left out.
final class Traffic {
    private final Map<AgentMessage.MessageCase, Integer> said =
            new EnumMap<>(AgentMessage.MessageCase.class);
    private final Map<ControllerMessage.MessageCase, Integer> told =
            new EnumMap<>(ControllerMessage.MessageCase.class);

    void add(AgentMessage message) {
        if (!message.hasHeartbeat()) {
            said.merge(message.getMessageCase(), 1, Integer::sum);
        }
    }

    void add(ControllerMessage message) {
        if (!message.hasHeartbeatSeen()) {
            told.merge(message.getMessageCase(), 1, Integer::sum);
        }
    }

    void clear() {
        said.clear();
        told.clear();
    }

    Map<AgentMessage.MessageCase, Integer> said() {
        return Map.copyOf(said);
    }

    Map<ControllerMessage.MessageCase, Integer> told() {
        return Map.copyOf(told);
    }
}
