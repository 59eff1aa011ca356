package dev.spur.agent.step;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.JobGone;
import dev.spur.api.v1.LaunchFailed;
import dev.spur.api.v1.RunningJob;
import dev.spur.api.v1.SignalStep;
import dev.spur.api.v1.SignalTarget;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.StepReportKind;
import dev.spur.api.v1.TerminateCause;
import dev.spur.api.v1.TerminateJob;
import dev.spur.api.v1.UpdateTimeLimit;
import dev.spur.model.StepId;
import dev.spur.model.notation.Signal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All steps of this node and what becomes of them.
///
/// ```
///             launch                     status: running          status: ended
///   unknown ─────────► launching ───────────────► running ───────────────► ended
///                          │ failed                  │ supervisor gone        │ end acknowledged,
///                          ▼                         ▼                        ▼ streams delivered
///                    LaunchFailed                 ended (lost)             forgotten
/// ```
///
/// A job that was ended here by the controller is remembered for a while: a launch that arrives
/// late, by whatever way, is refused.
public final class NodeSteps {
    private static final Logger log = LoggerFactory.getLogger(NodeSteps.class);

    /// How long streams of an ended step wait for a reader that went away.
    private static final Duration UNREAD_OUTPUT = Duration.ofSeconds(30);

    private static final int REMEMBERED_ENDS = 10_000;

    private final StepLauncher launcher;
    private final Outbox outbox;
    private final InstantSource clock;
    private final Executor executor;
    private final Map<StepKey, Entry> entries = new HashMap<>();
    private final Map<JobAttempt, TerminateJob> ending = new LinkedHashMap<>();
    private final Map<Integer, Integer> endedAttempts =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, Integer> eldest) {
                    return size() > REMEMBERED_ENDS;
                }
            };

    /// Until then the controller counts on what runs here; null for ever.
    private @Nullable Instant leaseEnd;

    private record JobAttempt(int job, int attempt) {}

    /// A step and how far it got. Guarded by the lock of NodeSteps.
    private static final class Entry {
        final StepKey key;
        boolean launching;
        @Nullable SupervisedStep step;
        @Nullable StepStatus status;
        boolean startReported;
        boolean ended;
        boolean endAcknowledged;
        @Nullable TerminateJob termination;
        int readers;
        Instant readersLeftAt = Instant.MIN;
        boolean streamed;
        final List<StepListener> listeners = new ArrayList<>();

        Entry(StepKey key) {
            this.key = key;
        }
    }

    /// @param executor runs what may take a moment: making directories, starting supervisors
    public NodeSteps(StepLauncher launcher, Outbox outbox, InstantSource clock, Executor executor) {
        this.launcher = launcher;
        this.outbox = outbox;
        this.clock = clock;
        this.executor = executor;
    }

    // ---- launching ----

    /// Starts the batch step of a job, once however often it is asked.
    public void launchBatch(StepPlan plan) {
        synchronized (this) {
            var refusal = refusal(plan.key());
            if (refusal != null) {
                fail(plan.key(), new LaunchException(refusal, false));
                return;
            }
            var entry = new Entry(plan.key());
            entry.launching = true;
            if (entries.putIfAbsent(plan.key(), entry) != null) {
                return; // it runs, or has ended: the reports say so
            }
        }
        executor.execute(() -> {
            try {
                start(plan);
            } catch (LaunchException e) {
                fail(plan.key(), e);
            }
        });
    }

    /// Starts a step that a caller waits for.
    ///
    /// @return the running step
    public Handle launch(StepPlan plan, StepListener listener) throws LaunchException {
        synchronized (this) {
            var refusal = refusal(plan.key());
            if (refusal != null) {
                throw new LaunchException(refusal, false);
            }
            var entry = new Entry(plan.key());
            entry.launching = true;
            entry.streamed = true;
            entry.readers = 1;
            entry.listeners.add(listener);
            if (entries.putIfAbsent(plan.key(), entry) != null) {
                throw new LaunchException(
                        "step %s has been started already".formatted(plan.key()), false);
            }
        }
        return new Handle(plan.key(), start(plan), listener);
    }

    private SupervisedStep start(StepPlan plan) throws LaunchException {
        try {
            var lease = lease();
            var step = launcher.launch(plan, lease, listener(plan.key()));
            started(plan.key(), step);
            if (lease != null) {
                step.lease(lease()); // it may have changed meanwhile
            }
            return step;
        } catch (LaunchException e) {
            notStarted(plan.key());
            throw e;
        } catch (RuntimeException e) {
            notStarted(plan.key());
            throw new LaunchException("the step could not be started", e);
        }
    }

    private synchronized void notStarted(StepKey key) {
        entries.remove(key);
        sayIfGone(key);
    }

    private synchronized @Nullable Duration lease() {
        return leaseEnd == null ? null : Duration.between(clock.instant(), leaseEnd);
    }

    private @Nullable String refusal(StepKey key) {
        if (leaseEnd != null && !clock.instant().isBefore(leaseEnd)) {
            return "this node has not heard of its controller for too long";
        }
        var ended = endedAttempts.get(key.job());
        return ended != null && ended >= key.attempt()
                ? "job %s has ended on this node".formatted(Integer.toUnsignedString(key.job()))
                : null;
    }

    private synchronized void started(StepKey key, SupervisedStep step) {
        var entry = entries.get(key);
        if (entry == null) {
            return;
        }
        entry.step = step;
        entry.launching = false;
        if (entry.termination != null) {
            terminate(entry, entry.termination);
        }
        forgetIfDone(entry);
    }

    private void fail(StepKey key, LaunchException e) {
        log.atWarn()
                .addKeyValue("step", key)
                .addKeyValue("cause", e.getMessage())
                .log("launch failed");
        outbox.send(
                AgentMessage.newBuilder()
                        .setLaunchFailed(
                                LaunchFailed.newBuilder()
                                        .setJobId(key.job())
                                        .setAttempt(key.attempt())
                                        .setStepId(key.step().value())
                                        .setReason(String.valueOf(e.getMessage()))
                                        .setNodeIsBad(e.nodeIsBad()))
                        .build());
    }

    /// Takes over what an earlier life of this agent left. To be called once, before anything else.
    public void adoptAll() {
        for (var found : launcher.find()) {
            switch (found) {
                case StepLauncher.FoundStep.Running(var status) -> adopt(status);
                case StepLauncher.FoundStep.Ended(var status) -> {
                    add(status.key());
                    changed(status.key(), status);
                }
                case StepLauncher.FoundStep.Lost(var key, _, var because) -> {
                    add(key);
                    lost(key, because);
                }
            }
        }
    }

    private synchronized Entry add(StepKey key) {
        var entry = new Entry(key);
        entries.put(key, entry);
        return entry;
    }

    private void adopt(StepStatus status) {
        var entry = add(status.key());
        synchronized (this) {
            entry.launching = true;
            entry.streamed = !status.key().isBatch(); // its reader may come back
        }
        try {
            started(status.key(), launcher.adopt(status, listener(status.key())));
            log.atInfo().addKeyValue("step", status.key()).log("adopted a running step");
        } catch (LaunchException e) {
            synchronized (this) {
                entry.launching = false;
            }
            lost(status.key(), String.valueOf(e.getMessage()));
        }
    }

    // ---- what steps tell ----

    private StepListener listener(StepKey key) {
        return new StepListener() {
            @Override
            public void changed(StepStatus status) {
                NodeSteps.this.changed(key, status);
            }

            @Override
            public void lost(String because) {
                NodeSteps.this.lost(key, because);
            }
        };
    }

    private void changed(StepKey key, StepStatus status) {
        List<StepListener> listeners;
        synchronized (this) {
            var entry = entries.get(key);
            if (entry == null || entry.ended) {
                return;
            }
            entry.status = status;
            if (!entry.startReported && status.state() != StepStatus.State.STARTING) {
                entry.startReported = true;
                outbox.report(report(key, status).setKind(StepReportKind.STEP_STARTED));
            }
            if (status.hasEnded()) {
                entry.ended = true;
                entry.readersLeftAt = clock.instant();
                outbox.report(report(key, status).setKind(StepReportKind.STEP_ENDED));
                sayIfGone(key);
            }
            listeners = List.copyOf(entry.listeners);
        }
        listeners.forEach(listener -> listener.changed(status));
    }

    private void lost(StepKey key, String because) {
        log.atWarn().addKeyValue("step", key).addKeyValue("cause", because).log("step lost");
        List<StepListener> listeners;
        synchronized (this) {
            var entry = entries.get(key);
            if (entry == null || entry.ended) {
                return;
            }
            entry.ended = true;
            entry.readersLeftAt = clock.instant();
            outbox.report(
                    StepReport.newBuilder()
                            .setJobId(key.job())
                            .setStepId(key.step().value())
                            .setAttempt(key.attempt())
                            .setKind(StepReportKind.STEP_ENDED)
                            .setLost(true)
                            .setEndedMicros(clock.instant().toEpochMilli() * 1_000)
                            .setMessage(because));
            sayIfGone(key);
            listeners = List.copyOf(entry.listeners);
        }
        listeners.forEach(listener -> listener.lost(because));
    }

    private static StepReport.Builder report(StepKey key, StepStatus status) {
        var report =
                StepReport.newBuilder()
                        .setJobId(key.job())
                        .setStepId(key.step().value())
                        .setAttempt(key.attempt())
                        .setStartedMicros(status.startedMillis() * 1_000)
                        .setEndedMicros(status.endedMillis() * 1_000)
                        .setTimedOut(status.timedOut())
                        .setLost(status.leaseOver())
                        .setOutOfMemory(status.outOfMemory())
                        .setMessage(status.error())
                        .setAdoptedPid(status.supervisor())
                        .setUserMicros(
                                status.tasks().stream()
                                        .mapToLong(StepStatus.Task::userMicros)
                                        .sum())
                        .setSystemMicros(
                                status.tasks().stream()
                                        .mapToLong(StepStatus.Task::systemMicros)
                                        .sum())
                        .setMaxRssKb(
                                status.tasks().stream()
                                        .mapToLong(StepStatus.Task::maxRssKib)
                                        .max()
                                        .orElse(0));
        status.worstTask()
                .ifPresent(task -> report.setExitCode(task.code()).setExitSignal(task.signal()));
        return report;
    }

    // ---- what the controller asks ----

    public synchronized void terminate(TerminateJob request) {
        var attempt = new JobAttempt(request.getJobId(), request.getAttempt());
        if (!request.hasStepId()) {
            ending.put(attempt, request);
            endedAttempts.merge(request.getJobId(), request.getAttempt(), Math::max);
        }
        for (var entry : List.copyOf(entries.values())) {
            if (isOf(entry.key, attempt)
                    && (!request.hasStepId() || entry.key.step().value() == request.getStepId())) {
                terminate(entry, request);
            }
        }
        if (!request.hasStepId()) {
            sayIfGone(attempt);
        }
    }

    private static void terminate(Entry entry, TerminateJob request) {
        entry.termination = request;
        if (entry.step != null && !entry.ended) {
            entry.step.terminate(
                    Duration.ofSeconds(request.getKillWaitSeconds()), words(request.getCause()));
        }
    }

    /// The end of the line on the job's standard error, as slurmstepd words it.
    private static String words(TerminateCause cause) {
        return switch (cause) {
            case TERMINATE_COMPLETED, TERMINATE_CANCELLED, UNRECOGNIZED -> "-";
            case TERMINATE_TIME_LIMIT -> "DUE TO TIME LIMIT";
            case TERMINATE_REQUEUE -> "DUE TO JOB REQUEUE";
            case TERMINATE_NODE_FAIL -> "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS";
            case TERMINATE_PREEMPTED -> "DUE TO PREEMPTION";
        };
    }

    /// The controller has heard of this node, and counts on its jobs until then; null for ever.
    /// Supervisors keep the time themselves: they end their steps even if this agent is gone.
    public synchronized void lease(@Nullable Instant end) {
        leaseEnd = end;
        steps(_ -> true).forEach(step -> step.lease(lease()));
    }

    public synchronized boolean hasLease() {
        return leaseEnd != null;
    }

    /// Jobs that the controller does not know any more: whatever runs of them must not.
    public void forget(List<RunningJob> jobs) {
        for (var job : jobs) {
            terminate(
                    TerminateJob.newBuilder()
                            .setJobId(job.getJobId())
                            .setAttempt(job.getAttempt())
                            .setCause(TerminateCause.TERMINATE_CANCELLED)
                            .build());
        }
    }

    public void signal(SignalStep request) {
        var number = request.getSignal();
        for (var step : steps(key -> isTarget(key, request))) {
            step.signal(
                    number,
                    request.getTarget() == SignalTarget.SIGNAL_TARGET_BATCH,
                    announcement(number));
        }
    }

    private static boolean isTarget(StepKey key, SignalStep request) {
        if (key.job() != request.getJobId() || key.attempt() != request.getAttempt()) {
            return false;
        }
        if (request.hasStepId()) {
            return key.step().value() == request.getStepId();
        }
        return switch (request.getTarget()) {
            case SIGNAL_TARGET_STEPS, UNRECOGNIZED -> !key.isBatch();
            case SIGNAL_TARGET_BATCH -> key.isBatch();
            case SIGNAL_TARGET_FULL -> true;
        };
    }

    /// Signals that end a job are told to it, others are its own affair.
    private static String announcement(int number) {
        return number == Signal.KILL.number() || number == Signal.TERM.number()
                ? "DUE to SIGNAL " + new Signal(number).description()
                : "";
    }

    public void limitTime(UpdateTimeLimit request) {
        var remaining =
                request.getUnlimited() ? null : Duration.ofSeconds(request.getRemainingSeconds());
        var attempt = new JobAttempt(request.getJobId(), request.getAttempt());
        steps(key -> isOf(key, attempt)).forEach(step -> step.limitTime(remaining));
    }

    private synchronized List<SupervisedStep> steps(Predicate<StepKey> wanted) {
        var steps = new ArrayList<SupervisedStep>();
        for (var entry : entries.values()) {
            if (!entry.ended && entry.step != null && wanted.test(entry.key)) {
                steps.add(entry.step);
            }
        }
        return steps;
    }

    /// The controller has the report with this number for good.
    public void acknowledged(long number) {
        outbox.acknowledged(number)
                .filter(report -> report.getKind() == StepReportKind.STEP_ENDED)
                .ifPresent(report ->
                        endAcknowledged(
                                new StepKey(
                                        report.getJobId(),
                                        new StepId(report.getStepId()),
                                        report.getAttempt())));
    }

    private synchronized void endAcknowledged(StepKey key) {
        var entry = entries.get(key);
        if (entry != null) {
            entry.endAcknowledged = true;
            forgetIfDone(entry);
        }
    }

    /// Lets go of streams that nobody came back for. To be called every few seconds.
    public synchronized void tick() {
        for (var entry : List.copyOf(entries.values())) {
            forgetIfDone(entry);
        }
    }

    private void forgetIfDone(Entry entry) {
        if (!entry.ended || !entry.endAcknowledged || entry.readers > 0 || entry.launching) {
            return;
        }
        var unread =
                entry.streamed && clock.instant().isBefore(entry.readersLeftAt.plus(UNREAD_OUTPUT));
        if (unread) {
            return;
        }
        entries.remove(entry.key);
        if (entry.step != null) {
            entry.step.dismiss();
            entry.step.release();
        }
        executor.execute(() -> launcher.remove(entry.key));
    }

    // ---- the end of a job ----

    private void sayIfGone(StepKey key) {
        sayIfGone(new JobAttempt(key.job(), key.attempt()));
    }

    private void sayIfGone(JobAttempt attempt) {
        var runs =
                entries.values().stream()
                        .anyMatch(entry -> isOf(entry.key, attempt) && !entry.ended);
        if (runs || ending.remove(attempt) == null) {
            return;
        }
        executor.execute(() -> launcher.removeJob(attempt.job()));
        outbox.send(
                AgentMessage.newBuilder()
                        .setJobGone(
                                JobGone.newBuilder()
                                        .setJobId(attempt.job())
                                        .setAttempt(attempt.attempt()))
                        .build());
    }

    private static boolean isOf(StepKey key, JobAttempt attempt) {
        return key.job() == attempt.job() && key.attempt() == attempt.attempt();
    }

    /// Everything this node still has: what runs, and what ended without the controller knowing.
    public synchronized List<RunningJob> jobs() {
        var jobs = new TreeMap<String, RunningJob.Builder>();
        for (var entry : entries.values()) {
            if (!entry.endAcknowledged) {
                jobs.computeIfAbsent(
                                entry.key.job() + "." + entry.key.attempt(),
                                _ ->
                                        RunningJob.newBuilder()
                                                .setJobId(entry.key.job())
                                                .setAttempt(entry.key.attempt()))
                        .addStepIds(entry.key.step().value());
            }
        }
        return jobs.values().stream().map(RunningJob.Builder::build).toList();
    }

    // ---- those who read a step's streams ----

    /// Finds a step for somebody who comes back to its streams.
    public synchronized Optional<Handle> find(int job, StepId id, StepListener listener) {
        for (var entry : entries.values()) {
            if (entry.key.job() == job && entry.key.step().equals(id) && entry.step != null) {
                entry.readers++;
                entry.streamed = true;
                entry.listeners.add(listener);
                return Optional.of(new Handle(entry.key, entry.step, listener));
            }
        }
        return Optional.empty();
    }

    private synchronized @Nullable StepStatus status(StepKey key) {
        var entry = entries.get(key);
        return entry == null ? null : entry.status;
    }

    private synchronized void leave(Handle handle, boolean delivered) {
        var entry = entries.get(handle.key);
        if (entry == null || !entry.listeners.remove(handle.listener)) {
            return;
        }
        entry.readers--;
        entry.readersLeftAt = clock.instant();
        if (delivered) {
            entry.streamed = false;
        }
        forgetIfDone(entry);
    }

    /// Stops watching everything; the steps go on and are found again.
    public synchronized void release() {
        for (var entry : entries.values()) {
            if (entry.step != null) {
                entry.step.release();
            }
        }
    }

    /// A reader's hold on a step: as long as it lasts, the step's streams are kept.
    public final class Handle {
        private final StepKey key;
        private final SupervisedStep step;
        private final StepListener listener;

        private Handle(StepKey key, SupervisedStep step, StepListener listener) {
            this.key = key;
            this.step = step;
            this.listener = listener;
        }

        public StepKey key() {
            return key;
        }

        public SupervisedStep step() {
            return step;
        }

        /// What is known now; null before the first word of the supervisor.
        public @Nullable StepStatus status() {
            return NodeSteps.this.status(key);
        }

        /// @param delivered whether all output has reached its reader
        public void leave(boolean delivered) {
            NodeSteps.this.leave(this, delivered);
        }
    }
}
