package dev.spur.testkit.simulated;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.controller.agent.AgentChannel;
import dev.spur.controller.agent.AgentSession;
import dev.spur.controller.raft.Leadership;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// An agent's stream to a controller. Each of the two ends learns by itself, and late, that it is
/// over.
final class Connection implements AgentChannel {
    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final SimulatedAgent.Life agent;
    private final SimulatedController.Life controller;
    private final Queue<AgentMessage> duringRegistration = new ArrayDeque<>();
    private @Nullable AgentSession session;
    private boolean registering;
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

    boolean isOf(String host) {
        return agent.node().equals(host) || controller.host().equals(host);
    }

    boolean isOf(SimulatedAgent.Life other) {
        return agent == other;
    }

    boolean isTo(SimulatedController.Life other) {
        return controller == other;
    }

    SimulatedController.Life controller() {
        return controller;
    }

    /// In which the controller took the agent in; 0 if it leads no longer.
    long epoch() {
        return controller.leadership() instanceof Leadership.Leading(var epoch) ? epoch : 0;
    }

    boolean isOverForAgent() {
        return overForAgent;
    }

    boolean isOver() {
        return overForAgent && overForController;
    }

    // ---- from the agent ----

    void fromAgent(AgentMessage message) {
        network.traffic().add(message);
        lastUp = after(lastUp);
        time.at(lastUp, () -> controller.process().run(() -> arrived(message)));
    }

    private void arrived(AgentMessage message) {
        if (broken || overForController) {
            return;
        }
        var open = session;
        if (open != null) {
            controller.agents().received(open, message);
        } else if (registering) {
            duringRegistration.add(message);
        } else {
            registering = true;
            controller.process().inThread(() -> register(message));
        }
    }

    private void register(AgentMessage message) {
        try {
            var opened = controller.agents().open(this, message.getRegister());
            session = opened;
            if (overForController) {
                controller.agents().closed(opened);
            }
            for (var next = duringRegistration.poll();
                    next != null;
                    next = duringRegistration.poll()) {
                arrived(next);
            }
        } catch (RuntimeException e) {
            close("refused: " + e.getMessage());
        }
    }

    /// The agent has had enough.
    void cancel() {
        endForAgent();
        lastUp = after(lastUp);
        time.at(lastUp, () -> controller.process().run(this::endForController));
    }

    // ---- from the controller ----

    @Override
    public boolean isReady() {
        return !overForController;
    }

    @Override
    public void send(ControllerMessage message) {
        if (overForController) {
            return;
        }
        network.traffic().add(message);
        lastDown = after(lastDown);
        time.at(
                lastDown,
                () -> {
                    if (!broken && !overForAgent) {
                        agent.received(message);
                    }
                });
    }

    /// Whatever happens to a controller, what it has to say it can say.
    @Override
    public void close(String why) {
        if (why.equals(AgentSession.NOT_SENT)) {
            throw new AssertionError(
                    "%s could not make an order for %s".formatted(controller.host(), agent.node()));
        }
        overForController = true;
        if (!broken) {
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
        time.after(
                time.between(Duration.ZERO, noticedWithin),
                () -> controller.process().run(this::endForController));
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
        if (session != null) {
            controller.agents().closed(session);
        }
    }

    private Instant after(Instant last) {
        var arrival = time.instant().plus(network.delay());
        return arrival.isAfter(last) ? arrival : last;
    }
}
