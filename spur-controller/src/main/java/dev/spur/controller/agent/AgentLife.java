package dev.spur.controller.agent;

import dev.spur.api.v1.Register;

/// Which process speaks for a node: an agent that connects again is the same, one that was started
/// again is not.
record AgentLife(String hostname, String address, String bootId, long startedMicros) {
    static AgentLife of(Register register) {
        return new AgentLife(
                register.getHostname(),
                register.getAddress(),
                register.getBootId(),
                register.getStartedMicros());
    }

    /// `gpu3 (10.0.0.3:6818)`
    @Override
    public String toString() {
        return "%s (%s)".formatted(hostname, address);
    }
}
