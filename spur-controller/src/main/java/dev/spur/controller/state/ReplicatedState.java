package dev.spur.controller.state;

import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Applied;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.EventLog;
import dev.spur.engine.state.Snapshot;

/// The state that the log drives. A snapshot from another controller replaces it as a whole, so
/// readers hold this and never the state itself.
public final class ReplicatedState {
    private volatile ClusterState current = new ClusterState();

    /// The latest published state.
    public Snapshot snapshot() {
        return current.snapshot();
    }

    public EventLog events() {
        return current.events();
    }

    /// What is applied from here on comes from this entry of the log.
    void enter(long index) {
        current.enter(index);
    }

    Applied apply(Command command) {
        return current.apply(command);
    }

    void publish() {
        current.publish();
    }

    void replace(ClusterState other) {
        current = other;
    }
}
