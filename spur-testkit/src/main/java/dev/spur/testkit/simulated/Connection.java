package dev.spur.testkit.simulated;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.controller.agent.AgentChannel;
import dev.spur.controller.agent.AgentSession;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An agent's stream to the controller. Each of the two ends learns by itself, and late, that it is
/// over.
final class Connection implements AgentChannel {
    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final SimulatedAgent.Life agent;
    private final SimulatedController.Life controller;
    private @Nullable AgentSession session;
    private Instant lastUp = Instant.MIN;
    private Instant lastDown = Instant.MIN;
    private boolean broken;
    private boolean overForAgent;
    private boolean overForController;

    Connection(
            SimulatedTime time,
            SimulatedNetwork network,
            SimulatedAgent.Life agent,
            SimulatedController.Life controller) {
        this.time = time;
        this.network = network;
        this.agent = agent;
        this.controller = controller;
    }

    boolean isOf(String node) {
        return agent.node().equals(node);
    }

    boolean isOf(SimulatedAgent.Life other) {
        return agent == other;
    }

    boolean isTo(SimulatedController.Life other) {
        return controller == other;
    }

    boolean isOver() {
        return overForAgent && overForController;
    }

    // ---- from the agent ----

    void fromAgent(AgentMessage message) {
        lastUp = after(lastUp);
        time.at(lastUp, () -> arrived(message));
    }

    private void arrived(AgentMessage message) {
        if (broken || overForController || !controller.isAlive()) {
            return;
        }
        var open = session;
        if (open != null) {
            controller.agents().received(open, message);
            return;
        }
        try {
            session = controller.await(() -> controller.agents().open(this, message.getRegister()));
        } catch (RuntimeException e) {
            close("refused: " + e.getMessage());
        }
    }

    // ---- from the controller ----

    @Override
    public boolean isReady() {
        return !overForController;
    }

    @Override
    public void send(ControllerMessage message) {
        if (overForController || !controller.isAlive()) {
            return;
        }
        lastDown = after(lastDown);
        time.at(
                lastDown,
                () -> {
                    if (!broken && !overForAgent) {
                        agent.received(message);
                    }
                });
    }

    @Override
    public void close(String why) {
        overForController = true;
        if (controller.isAlive() && !broken) {
            lastDown = after(lastDown);
            time.at(lastDown, this::endForAgent);
        }
    }

    // ---- the end ----

    /// Nothing passes any more.
    void breakDown(Duration noticedWithin) {
        if (broken) {
            return;
        }
        broken = true;
        time.after(time.between(Duration.ZERO, noticedWithin), this::endForAgent);
        time.after(time.between(Duration.ZERO, noticedWithin), this::endForController);
    }

    private void endForAgent() {
        if (!overForAgent) {
            overForAgent = true;
            agent.disconnected();
        }
    }

    private void endForController() {
        if (overForController) {
            return;
        }
        overForController = true;
        if (session != null && controller.isAlive()) {
            controller.agents().closed(session);
        }
    }

    private Instant after(Instant last) {
        var arrival = time.instant().plus(network.delay());
        return arrival.isAfter(last) ? arrival : last;
    }
}
