package dev.spur.agent.step;

import dev.spur.api.v1.LaunchFault;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A machine without processes, for simulation: steps run until they are told to end. It stays when
/// its agent is restarted, as a real machine does; [#reboot] loses everything that runs.
public final class SimulatedLauncher implements StepLauncher {
    private static final int STOP = 19;
    private static final int CONT = 18;

    private final InstantSource clock;
    private final Map<StepKey, Running> steps = new LinkedHashMap<>();
    private boolean obedient = true;

    public SimulatedLauncher(InstantSource clock) {
        this.clock = clock;
    }

    /// What ended a step that did not end by itself.
    private enum Limit {
        NONE,
        TIME,
        LEASE
    }

    private final class Running implements SupervisedStep {
        private final StepPlan plan;
        private StepStatus status;
        private @Nullable StepListener listener;
        private @Nullable Instant deadline;
        private @Nullable Instant leaseEnd;
        private final List<Integer> signals = new ArrayList<>();
        private int terminations;
        private boolean lost;

        Running(StepPlan plan, @Nullable Duration lease, StepListener listener) {
            this.plan = plan;
            this.status = statusOf(plan, StepStatus.State.RUNNING, 0, 0, Limit.NONE);
            this.listener = listener;
            limitTime(plan.timeLimit());
            lease(lease);
        }

        FoundStep found() {
            if (lost) {
                return new FoundStep.Lost(
                        plan.key(), status.startedMillis(), "the node was restarted");
            }
            return status.hasEnded() ? new FoundStep.Ended(status) : new FoundStep.Running(status);
        }

        boolean runs() {
            return !lost && !status.hasEnded();
        }

        void end(int code, int signal, Limit limit) {
            status = statusOf(plan, StepStatus.State.ENDED, code, signal, limit);
            tell();
        }

        void tell() {
            if (listener != null) {
                listener.changed(status);
            }
        }

        @Override
        public void signal(int signal, boolean firstProcessesOnly, String why) {
            signals.add(signal);
            if (obedient && signal != STOP && signal != CONT) {
                finish(plan.key(), 0, signal);
            }
        }

        @Override
        public void say(String line) {}

        @Override
        public void terminate(Duration wait, String why) {
            terminations++;
            if (obedient) {
                finish(plan.key(), 0, 15);
            }
        }

        @Override
        public void limitTime(@Nullable Duration remaining) {
            deadline = remaining == null ? null : clock.instant().plus(remaining);
        }

        @Override
        public void lease(@Nullable Duration remaining) {
            leaseEnd = remaining == null ? null : clock.instant().plus(remaining);
        }

        @Override
        public CompletableFuture<StepStatus> usage() {
            return status.hasEnded()
                    ? CompletableFuture.failedFuture(new StepGoneException("it has ended"))
                    : CompletableFuture.completedFuture(status);
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
            if (status.hasEnded()) {
                steps.remove(plan.key());
            }
        }

        @Override
        public void release() {
            listener = null;
        }
    }

    @Override
    public SupervisedStep launch(StepPlan plan, @Nullable Duration lease, StepListener listener)
            throws LaunchException {
        if (steps.containsKey(plan.key())) {
            throw new LaunchException(
                    "step %s runs already".formatted(plan.key()), LaunchFault.FAULT_PASSING);
        }
        var running = new Running(plan, lease, listener);
        steps.put(plan.key(), running);
        running.tell();
        return running;
    }

    @Override
    public List<FoundStep> find() {
        var found = new ArrayList<FoundStep>();
        for (var running : steps.values()) {
            found.add(running.found());
        }
        return found;
    }

    @Override
    public SupervisedStep adopt(StepStatus status, StepListener listener) throws LaunchException {
        var running = steps.get(status.key());
        if (running == null) {
            throw new LaunchException(
                    "step %s is gone".formatted(status.key()), LaunchFault.FAULT_PASSING);
        }
        running.listener = listener;
        running.tell();
        return running;
    }

    @Override
    public void remove(StepKey key) {
        steps.remove(key);
    }

    @Override
    public void removeJob(int job, int attempt) {}

    /// The steps that run now, in the order of their start.
    public List<StepPlan> running() {
        return steps.values().stream().filter(Running::runs).map(running -> running.plan).toList();
    }

    /// The signals that a step was sent, in order.
    public List<Integer> signalsTo(StepKey key) {
        var running = steps.get(key);
        return running == null ? List.of() : List.copyOf(running.signals);
    }

    /// When the lease of a step ends; null if it has none.
    public @Nullable Instant leaseEnd(StepKey key) {
        var running = steps.get(key);
        return running == null ? null : running.leaseEnd;
    }

    /// What is left of a step's time; null if it has no limit.
    public @Nullable Duration timeLeftOf(StepKey key) {
        var running = steps.get(key);
        return running == null || running.deadline == null
                ? null
                : Duration.between(clock.instant(), running.deadline);
    }

    /// How often a step was told to end.
    public int terminationsOf(StepKey key) {
        var running = steps.get(key);
        return running == null ? 0 : running.terminations;
    }

    /// Ends a step, whether or not an agent listens. Nothing happens if it does not run.
    public void finish(StepKey key, int code, int signal) {
        var running = steps.get(key);
        if (running != null && running.runs()) {
            running.end(code, signal, Limit.NONE);
        }
    }

    /// Ends the steps whose time limit or lease has passed. To be called when simulated time has
    /// moved on.
    public void tick() {
        for (var running : List.copyOf(steps.values())) {
            if (running.runs() && isOver(running.deadline)) {
                running.end(0, 15, Limit.TIME);
            } else if (running.runs() && isOver(running.leaseEnd)) {
                running.end(0, 15, Limit.LEASE);
            }
        }
    }

    private boolean isOver(@Nullable Instant end) {
        return end != null && !clock.instant().isBefore(end);
    }

    /// Whether steps end when they are asked to (they do), or ignore it.
    public void obedient(boolean yes) {
        obedient = yes;
    }

    /// Everything that runs is lost; the next agent finds only that it was there.
    public void reboot() {
        for (var running : steps.values()) {
            running.lost |= !running.status.hasEnded();
            running.listener = null;
        }
    }

    private StepStatus statusOf(
            StepPlan plan, StepStatus.State state, int code, int signal, Limit limit) {
        var ended = state == StepStatus.State.ENDED;
        var now = clock.millis();
        var tasks = new ArrayList<StepStatus.Task>();
        for (var task : plan.tasks()) {
            tasks.add(
                    new StepStatus.Task(
                            task.rank(),
                            1 + task.rank(),
                            ended,
                            code,
                            signal,
                            StepStatus.TaskUsage.NONE));
        }
        return new StepStatus(
                plan.key(),
                "simulated",
                1,
                state,
                now,
                ended ? now : 0,
                limit == Limit.TIME,
                limit == Limit.LEASE,
                false,
                false,
                "",
                false,
                "",
                tasks,
                StepStatus.GroupUsage.NONE);
    }
}
