package dev.spur.testkit.simulated;

import dev.spur.agent.launch.NodeProfile;
import dev.spur.agent.launch.StepPlanner;
import dev.spur.agent.registration.AgentSession;
import dev.spur.agent.registration.EpochFence;
import dev.spur.agent.registration.NodeFacts;
import dev.spur.agent.registration.NodeLoad;
import dev.spur.agent.step.NodeSteps;
import dev.spur.agent.step.Outbox;
import dev.spur.api.v1.ControllerMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// spurd on a simulated machine: its own logic, with a link that tries again and again.
final class SimulatedAgent {
    private static final Duration TICK = Duration.ofSeconds(5);
    private static final Duration RESTART = Duration.ofSeconds(2);
    private static final Duration BOOT = Duration.ofSeconds(60);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final String node;
    private final SimulatedNodes shape;
    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final Supplier<Optional<SimulatedController.Life>> controller;
    private final SimulatedMachine machine;
    private final EpochFence fence = EpochFence.inMemory();
    private int boots = 1;
    private @Nullable Life life;

    SimulatedAgent(
            String node,
            SimulatedNodes shape,
            SimulatedTime time,
            SimulatedNetwork network,
            Supplier<Optional<SimulatedController.Life>> controller) {
        this.node = node;
        this.shape = shape;
        this.time = time;
        this.network = network;
        this.controller = controller;
        this.machine = new SimulatedMachine(node, time);
        start();
    }

    SimulatedMachine machine() {
        return machine;
    }

    /// Killed, and somebody starts it again.
    void restart() {
        kill();
        time.after(RESTART, this::start);
    }

    void reboot() {
        kill();
        machine.reboot();
        boots++;
        time.after(BOOT, this::start);
    }

    /// kill -9.
    void kill() {
        var killed = life;
        if (killed != null) {
            life = null;
            killed.process.kill();
            machine.loseAgent();
            network.died(killed);
        }
    }

    private void start() {
        if (life == null) {
            life = new Life();
        }
    }

    /// From a start of the agent to its end.
    final class Life {
        private final SimulatedProcess process = new SimulatedProcess(time);
        private final AgentSession session;
        private Duration wait = SHORTEST_WAIT;

        private Life() {
            var outbox = new Outbox(time.millis() * 1_000);
            var steps = new NodeSteps(machine, outbox, time, process.manyThreads());
            steps.adoptAll();
            var profile = new NodeProfile(node, "", "", true, "inherit", 0, List.of());
            session =
                    new AgentSession(
                            facts(),
                            "simulated",
                            () -> new NodeLoad(0, 0),
                            steps,
                            outbox,
                            new StepPlanner(profile, _ -> Optional.empty()),
                            fence,
                            time);
            process.every(TICK, session::tick);
            process.after(time.moment(), this::connect);
        }

        String node() {
            return node;
        }

        void received(ControllerMessage message) {
            if (process.isAlive()) {
                session.received(message);
            }
        }

        void disconnected() {
            if (process.isAlive()) {
                wait = session.isWelcome() ? SHORTEST_WAIT : longer();
                session.disconnected();
                process.after(time.between(wait.dividedBy(2), wait), this::connect);
            }
        }

        private void connect() {
            var serving = controller.get().filter(_ -> network.reaches(node));
            if (serving.isPresent()) {
                session.connected(network.connect(this, serving.get())::fromAgent);
            } else {
                wait = longer();
                process.after(time.between(wait.dividedBy(2), wait), this::connect);
            }
        }

        private Duration longer() {
            var twice = wait.multipliedBy(2);
            return twice.compareTo(LONGEST_WAIT) < 0 ? twice : LONGEST_WAIT;
        }
    }

    private NodeFacts facts() {
        return new NodeFacts(
                node,
                node + ":6818",
                node,
                new NodeFacts.Hardware(shape.cpus(), 1, shape.cpus(), 1, shape.memoryMb(), 0),
                shape.wireGres(),
                node + "-boot-" + boots,
                time.millis() * 1_000,
                "x86_64",
                "Simulated",
                Map.of());
    }
}
