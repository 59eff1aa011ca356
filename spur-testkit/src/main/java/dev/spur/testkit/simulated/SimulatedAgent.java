package dev.spur.testkit.simulated;

import dev.spur.agent.launch.NodeProfile;
import dev.spur.agent.launch.StepPlanner;
import dev.spur.agent.registration.AgentSession;
import dev.spur.agent.registration.EpochFence;
import dev.spur.agent.registration.NodeFacts;
import dev.spur.agent.registration.NodeLoad;
import dev.spur.agent.step.EndedJobs;
import dev.spur.agent.step.LaunchException;
import dev.spur.agent.step.NodeSteps;
import dev.spur.agent.step.Outbox;
import dev.spur.agent.step.StepHandle;
import dev.spur.agent.step.StepListener;
import dev.spur.agent.step.StepStatus;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.SignedLaunch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// spurd on a simulated machine: its own logic, with a link that tries again and again.
final class SimulatedAgent {
    private static final Duration TICK = Duration.ofSeconds(5);
    private static final Duration RESTART = Duration.ofSeconds(2);
    private static final Duration BOOT = Duration.ofSeconds(60);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
    private static final Duration WELCOME_WITHIN = Duration.ofSeconds(10);

    private final String node;
    private final SimulatedNodes shape;
    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final List<SimulatedController> controllers;
    private final SimulatedMachine machine;
    private final EpochFence fence = EpochFence.inMemory();
    private final EndedJobs ended;
    private int boots = 1;
    private String gpuType = "";
    private long highestEpoch;
    private long tasks;
    private @Nullable Life life;

    SimulatedAgent(
            String node,
            SimulatedNodes shape,
            SimulatedTime time,
            SimulatedNetwork network,
            List<SimulatedController> controllers) {
        this.node = node;
        this.shape = shape;
        this.time = time;
        this.network = network;
        this.controllers = controllers;
        this.machine = new SimulatedMachine(node, time);
        this.ended = EndedJobs.inMemory(time);
        start();
    }

    String node() {
        return node;
    }

    Optional<Life> life() {
        return Optional.ofNullable(life);
    }

    /// From its next start on, it calls its GPUs so.
    void nameGpus(String type) {
        gpuType = type;
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

    /// SIGSTOP, and SIGCONT after a while.
    void pause(Duration duration) {
        var paused = life;
        if (paused != null && !paused.process.isStopped()) {
            paused.process.stop();
            time.after(duration, paused.process::goOn);
        }
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
        private final NodeSteps steps;
        private final StepPlanner planner;
        private @Nullable Connection connection;
        private Duration wait = SHORTEST_WAIT;
        private int next = time.random().nextInt(controllers.size());

        private Life() {
            var outbox = new Outbox(time.millis() * 1_000);
            var threads = process.manyThreads();
            steps =
                    new NodeSteps(
                            machine,
                            outbox,
                            ended,
                            time,
                            task -> {
                                tasks++;
                                threads.execute(task);
                            });
            steps.adoptAll();
            var profile = new NodeProfile(node, "", "", true, "inherit", 0, List.of());
            planner = new StepPlanner(profile, _ -> Optional.empty());
            session =
                    new AgentSession(
                            facts(),
                            "simulated",
                            () -> new NodeLoad(0, 0, ""),
                            steps,
                            outbox,
                            planner,
                            fence,
                            time);
            process.every(TICK, session::tick);
            process.after(time.moment(), this::connect);
        }

        String node() {
            return node;
        }

        void received(ControllerMessage message) {
            process.run(() -> obey(message));
        }

        /// Nothing may come of an order whose controller has been replaced.
        private void obey(ControllerMessage message) {
            var before = machine.orders() + tasks;
            session.received(message);
            var isOld = message.getEpoch() < highestEpoch;
            highestEpoch = Math.max(highestEpoch, message.getEpoch());
            if (isOld && machine.orders() + tasks != before) {
                throw new AssertionError(
                        "%s obeyed an order of term %d after one of term %d"
                                .formatted(node, message.getEpoch(), highestEpoch));
            }
        }

        void disconnected() {
            process.run(() -> {
                wait = session.isWelcome() ? SHORTEST_WAIT : longer();
                session.disconnected();
                process.after(time.between(wait.dividedBy(2), wait), this::connect);
            });
        }

        private void connect() {
            var serving =
                    controllers
                            .get(next++ % controllers.size())
                            .life()
                            .filter(controller -> network.reaches(node, controller.host()));
            if (serving.isPresent()) {
                var opened = network.connect(this, serving.get());
                connection = opened;
                session.connected(opened::fromAgent);
                process.after(WELCOME_WITHIN, () -> giveUp(opened));
            } else {
                wait = longer();
                process.after(time.between(wait.dividedBy(2), wait), this::connect);
            }
        }

        /// A controller that never takes us in is as good as none.
        private void giveUp(Connection opened) {
            if (!opened.isOverForAgent() && !session.isWelcome()) {
                opened.cancel();
            }
        }

        /// The stream on which a controller has taken this node in, if there is one.
        Optional<Connection> welcomedOn() {
            return session.isWelcome() && process.isAlive() && !process.isStopped()
                    ? Optional.ofNullable(connection)
                    : Optional.empty();
        }

        /// srun's part of a step on this node.
        void runStep(SignedLaunch launch, SimulatedProgram program) {
            process.run(() -> {
                try {
                    var run =
                            RunStep.newBuilder()
                                    .setLaunch(launch)
                                    .addAllArgv(program.command())
                                    .setStdOut("/dev/null")
                                    .build();
                    var plan = planner.step(session.verify(launch), run);
                    var reader = new Reader();
                    reader.handle = steps.launch(plan, reader);
                } catch (LaunchException e) {
                    time.tell("%s does not start a step: %s", node, e.getMessage());
                }
            });
        }

        private Duration longer() {
            var twice = wait.multipliedBy(2);
            return twice.compareTo(LONGEST_WAIT) < 0 ? twice : LONGEST_WAIT;
        }
    }

    /// srun, which leaves when the step has ended.
    private static final class Reader implements StepListener {
        private @Nullable StepHandle handle;

        @Override
        public void changed(StepStatus status) {
            if (status.hasEnded() && handle != null) {
                handle.leave(true);
            }
        }

        @Override
        public void lost(String because) {
            if (handle != null) {
                handle.leave(true);
            }
        }
    }

    private NodeFacts facts() {
        return new NodeFacts(
                node,
                node + ":6818",
                node,
                new NodeFacts.Hardware(shape.cpus(), 1, shape.cpus(), 1, shape.memoryMb(), 0),
                shape.wireGres(gpuType),
                node + "-boot-" + boots,
                time.millis() * 1_000,
                "x86_64",
                "Simulated",
                Map.of());
    }
}
