package dev.spur.testkit.simulated;

import dev.spur.agent.step.LaunchException;
import dev.spur.agent.step.StepAttachment;
import dev.spur.agent.step.StepGoneException;
import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLauncher;
import dev.spur.agent.step.StepListener;
import dev.spur.agent.step.StepPlan;
import dev.spur.agent.step.StepStatus;
import dev.spur.agent.step.SupervisedStep;
import dev.spur.api.v1.LaunchFault;
import dev.spur.model.IndexSet;
import dev.spur.model.notation.Signal;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A machine whose processes exist in simulated time only. It outlives its agent, as real machines
/// do, and remembers everything that ever ran on it.
final class SimulatedMachine implements StepLauncher {
    private static final String GPUS = "ROCR_VISIBLE_DEVICES=";
    private static final Signal STOP = new Signal(19);
    private static final Signal CONT = new Signal(18);

    private final String node;
    private final SimulatedTime time;
    private final Map<StepKey, Step> steps = new LinkedHashMap<>();
    private final List<Step> history = new ArrayList<>();
    private Instant launchesFrom = Instant.MIN;
    private long changes;
    private long orders;

    SimulatedMachine(String node, SimulatedTime time) {
        this.node = node;
        this.time = time;
    }

    /// Counts whatever began or ended here.
    long changes() {
        return changes;
    }

    /// Counts whatever it was told to do.
    long orders() {
        return orders;
    }

    Stream<Run> runs() {
        return history.stream().map(Step::run);
    }

    Stream<Run> liveRuns() {
        return steps.values().stream().filter(Step::runs).map(Step::run);
    }

    /// For so long nothing can be launched here.
    void failLaunches(Duration duration) {
        launchesFrom = time.instant().plus(duration);
    }

    /// The agent is gone: nobody hears what happens from now on.
    void loseAgent() {
        steps.values().forEach(Step::release);
    }

    /// Everything that runs is lost; the next agent finds only that it was there.
    void reboot() {
        steps.values().forEach(Step::lose);
    }

    @Override
    public SupervisedStep launch(StepPlan plan, @Nullable Duration lease, StepListener listener)
            throws LaunchException {
        if (time.instant().isBefore(launchesFrom)) {
            throw new LaunchException("not now", LaunchFault.FAULT_PASSING);
        }
        if (steps.containsKey(plan.key())) {
            throw new LaunchException(
                    "step %s exists already".formatted(plan.key()), LaunchFault.FAULT_PASSING);
        }
        var step = new Step(plan, listener);
        steps.put(plan.key(), step);
        history.add(step);
        changes++;
        step.begin();
        step.lease(lease);
        return step;
    }

    @Override
    public List<FoundStep> find() {
        return steps.values().stream().map(Step::found).toList();
    }

    @Override
    public SupervisedStep adopt(StepStatus status, StepListener listener) throws LaunchException {
        var step = steps.get(status.key());
        if (step == null || step.lost) {
            throw new LaunchException(
                    "step %s is gone".formatted(status.key()), LaunchFault.FAULT_PASSING);
        }
        step.listener = listener;
        step.tell();
        return step;
    }

    @Override
    public void remove(StepKey key) {
        steps.remove(key);
    }

    @Override
    public void removeJob(int job, int attempt) {}

    private final class Step implements SupervisedStep {
        private final StepPlan plan;
        private final SimulatedProgram program;
        private final IndexSet cpus;
        private final IndexSet gpus;
        private final Instant startedAt = time.instant();
        private final List<Run.Sent> signals = new ArrayList<>();
        private StepStatus status;
        private @Nullable StepListener listener;
        private @Nullable Instant deadline;
        private @Nullable Instant leaseEnd;
        private @Nullable Instant endedAt;
        private boolean lost;
        private boolean timedOut;
        private boolean leaseOver;
        private boolean stopped;
        private Duration left;
        private Instant runningSince = time.instant();
        private int going;

        Step(StepPlan plan, StepListener listener) {
            this.plan = plan;
            this.program = SimulatedProgram.of(plan);
            this.left = program.duration();
            this.cpus = indices(plan.cpus());
            this.gpus = gpusOf(plan);
            this.listener = listener;
            this.status = status(StepStatus.State.RUNNING, 0, 0);
        }

        void begin() {
            limitTime(plan.timeLimit());
            go();
            tell();
        }

        private void go() {
            runningSince = time.instant();
            var turn = ++going;
            time.after(
                    left,
                    () -> {
                        if (turn == going) {
                            end(program.exitCode(), 0);
                        }
                    });
        }

        private void stop() {
            if (!stopped) {
                stopped = true;
                changes++;
                going++;
                left = left.minus(Duration.between(runningSince, time.instant()));
            }
        }

        private void goOn() {
            if (stopped) {
                stopped = false;
                changes++;
                go();
            }
        }

        Run run() {
            return new Run(
                    plan.key(),
                    node,
                    cpus,
                    gpus,
                    startedAt,
                    endedAt,
                    lost,
                    stopped,
                    deadline,
                    signals);
        }

        FoundStep found() {
            if (lost) {
                return new FoundStep.Lost(
                        plan.key(), status.startedMillis(), "the node was restarted");
            }
            return runs() ? new FoundStep.Running(status) : new FoundStep.Ended(status);
        }

        private boolean runs() {
            return endedAt == null;
        }

        void lose() {
            listener = null;
            if (runs()) {
                lost = true;
                endedAt = time.instant();
                changes++;
            }
        }

        private void end(int code, int signal) {
            if (!runs()) {
                return;
            }
            endedAt = time.instant();
            changes++;
            status = status(StepStatus.State.ENDED, code, signal);
            tell();
        }

        void tell() {
            if (listener != null) {
                listener.changed(status);
            }
        }

        private StepStatus status(StepStatus.State state, int code, int signal) {
            var ended = state == StepStatus.State.ENDED;
            var tasks =
                    plan.tasks().stream()
                            .map(task ->
                                    new StepStatus.Task(
                                            task.rank(),
                                            1,
                                            ended,
                                            code,
                                            signal,
                                            StepStatus.TaskUsage.NONE))
                            .toList();
            return new StepStatus(
                    plan.key(),
                    node,
                    1,
                    state,
                    startedAt.toEpochMilli(),
                    ended ? time.millis() : 0,
                    timedOut,
                    leaseOver,
                    false,
                    false,
                    "",
                    false,
                    "",
                    tasks,
                    StepStatus.GroupUsage.NONE);
        }

        @Override
        public void say(String line) {}

        @Override
        public void signal(int number, boolean firstProcessesOnly, String why) {
            orders++;
            if (!runs()) {
                return;
            }
            var signal = new Signal(number);
            signals.add(new Run.Sent(signal, time.instant()));
            if (signal.equals(STOP)) {
                stop();
                return;
            }
            if (signal.equals(CONT)) {
                goOn();
                return;
            }
            var deadly =
                    signal.equals(Signal.KILL)
                            || (signal.equals(Signal.TERM) && !program.ignoresTerm());
            if (deadly) {
                end(0, number);
            }
        }

        @Override
        public void terminate(Duration wait, String why) {
            orders++;
            signal(Signal.TERM.number(), false, why);
            time.after(wait, () -> signal(Signal.KILL.number(), false, why));
        }

        @Override
        public void limitTime(@Nullable Duration remaining) {
            orders++;
            var end = remaining == null ? null : time.instant().plus(remaining);
            deadline = end;
            if (end == null) {
                return;
            }
            var warning = plan.warning();
            if (warning != null) {
                time.at(
                        end.minus(warning.before()),
                        () -> {
                            if (end.equals(deadline)) {
                                signal(warning.signal(), warning.firstProcessOnly(), "");
                            }
                        });
            }
            time.at(
                    end,
                    () -> {
                        if (end.equals(deadline) && runs()) {
                            timedOut = true;
                            terminate(plan.killWait(), "");
                        }
                    });
        }

        @Override
        public CompletableFuture<StepStatus> usage() {
            return runs()
                    ? CompletableFuture.completedFuture(status)
                    : CompletableFuture.failedFuture(new StepGoneException("it has ended"));
        }

        @Override
        public void lease(@Nullable Duration remaining) {
            orders++;
            var end =
                    remaining == null
                            ? null
                            : later(
                                    time.instant(),
                                    time.instant().plus(remaining).minus(plan.killWait()));
            leaseEnd = end;
            if (end == null) {
                return;
            }
            time.at(
                    end,
                    () -> {
                        if (end.equals(leaseEnd) && runs()) {
                            leaseOver = true;
                            terminate(plan.killWait(), "");
                        }
                    });
        }

        @Override
        public StepAttachment lookOn(
                List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
                throws IOException {
            return attach(resumeAt, receiver);
        }

        @Override
        public StepAttachment attach(
                List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
                throws IOException {
            throw new IOException("simulated steps have no streams");
        }

        @Override
        public void dismiss() {
            if (!runs()) {
                steps.remove(plan.key());
            }
        }

        @Override
        public void release() {
            listener = null;
        }
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private static IndexSet gpusOf(StepPlan plan) {
        return plan.environment().stream()
                .filter(variable -> variable.startsWith(GPUS))
                .map(variable -> indices(variable.substring(GPUS.length())))
                .findFirst()
                .orElse(IndexSet.EMPTY);
    }

    /// `0-3,8`
    private static IndexSet indices(String text) {
        var bits = new BitSet();
        for (var range : text.split(",", -1)) {
            if (!range.isEmpty()) {
                var ends = range.split("-", -1);
                bits.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
            }
        }
        return IndexSet.of(bits);
    }
}
