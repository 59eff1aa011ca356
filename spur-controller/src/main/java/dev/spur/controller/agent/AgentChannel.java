package dev.spur.controller.agent;

import dev.spur.api.v1.ControllerMessage;

/// The way to one agent. Called by one thread at a time.
public interface AgentChannel {
    /// Whether a message can be sent without piling up.
    boolean isReady();

    void send(ControllerMessage message);

    /// Ends the connection; the agent will come back.
    void close(String why);
}
