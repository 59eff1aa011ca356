package dev.spur.agent.step;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.JobGone;
import dev.spur.api.v1.JobTerms;
import dev.spur.api.v1.LaunchFailed;
import dev.spur.api.v1.LaunchFault;
import dev.spur.api.v1.RunningJob;
import dev.spur.api.v1.SignalStep;
import dev.spur.api.v1.SignalTarget;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.StepReportKind;
import dev.spur.api.v1.TerminateCause;
import dev.spur.api.v1.TerminateJob;
import dev.spur.model.StepId;
import dev.spur.model.notation.Signal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
/// A job whose script has ended here, or that the controller has ended, is remembered for a while:
/// a launch that arrives late, by whatever way, is refused. So the end of the last step may say
/// that nothing is left of the job here.
public final class NodeSteps {
    private static final Logger log = LoggerFactory.getLogger(NodeSteps.class);

    /// How long streams of an ended step wait for a reader that went away: door and controller may
    /// have to start again first. The controller waits for such a reader just as long.
    private static final Duration UNREAD_OUTPUT = Duration.ofMinutes(5);

    /// The same if the step was to end: whoever ordered that is hardly coming back.
    private static final Duration UNREAD_LAST_WORDS = Duration.ofSeconds(30);

    private static final int STOP = 19;
    private static final int CONT = 18;

    private final StepLauncher launcher;
    private final Outbox outbox;
    private final InstantSource clock;
    private final Executor executor;
    private final Map<StepKey, Entry> entries = new HashMap<>();
    private final Map<JobAttempt, GoingOn> goingOn = new HashMap<>();
    private final EndedJobs over = new EndedJobs(this::hasSteps);

    /// Until then the controller counts on what runs here; null for ever.
    private @Nullable Instant leaseEnd;

    /// What the controller last said of a job that goes on here.
    ///
    /// @param until null for ever
    private record GoingOn(@Nullable Instant until, boolean suspended) {}

    /// Whether a step runs or stands still, as far as this agent has a part in it.
    private enum Motion {
        UNKNOWN,
        MOVING,
        STOPPED
    }

    /// A step and how far it got. Guarded by the lock of NodeSteps.
    private static final class Entry {
        final StepKey key;
        boolean launching;
        Motion motion = Motion.MOVING;
        @Nullable SupervisedStep step;
        @Nullable StepStatus status;
        boolean startReported;
        boolean ended;
        boolean endAcknowledged;
        @Nullable TerminateJob termination;
        int readers;
        Instant readersLeftAt = Instant.MIN;
        boolean streamed;
        boolean cutOff;
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
            if (entries.containsKey(plan.key())) {
                return; // it runs, or has ended: the reports say so
            }
            var refusal = refusal(plan);
            if (refusal != null) {
                fail(plan.key(), new LaunchException(refusal, LaunchFault.FAULT_PASSING));
                return;
            }
            var entry = new Entry(plan.key());
            entry.launching = true;
            entries.put(plan.key(), entry);
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
            var refusal = refusal(plan);
            if (refusal != null) {
                throw new LaunchException(refusal, LaunchFault.FAULT_PASSING);
            }
            var entry = new Entry(plan.key());
            entry.launching = true;
            entry.streamed = true;
            entry.readers = 1;
            entry.listeners.add(listener);
            if (entries.putIfAbsent(plan.key(), entry) != null) {
                throw new LaunchException(
                        "step %s has been started already".formatted(plan.key()),
                        LaunchFault.FAULT_PASSING);
            }
        }
        return new Handle(plan.key(), start(plan), listener);
    }

    private SupervisedStep start(StepPlan plan) throws LaunchException {
        try {
            var lease = lease();
            var step = launcher.launch(plan, lease, listener(plan.key()));
            started(plan.key(), step, plan.timeLimit());
            leaseAgain(step, lease != null);
            return step;
        } catch (LaunchException e) {
            notStarted(plan.key());
            throw e;
        } catch (RuntimeException e) {
            notStarted(plan.key());
            log.atError().addKeyValue("step", plan.key()).setCause(e).log("a launch went wrong");
            throw new LaunchException(
                    "the step could not be started", e, LaunchFault.FAULT_PASSING);
        }
    }

    /// A lease that came, went or changed while the step was being launched counts for it, too.
    private synchronized void leaseAgain(SupervisedStep step, boolean had) {
        if (had || leaseEnd != null) {
            step.lease(lease());
        }
    }

    private synchronized void notStarted(StepKey key) {
        entries.remove(key);
        sayIfGone(JobAttempt.of(key));
    }

    private synchronized @Nullable Duration lease() {
        return leaseEnd == null ? null : Duration.between(clock.instant(), leaseEnd);
    }

    private @Nullable String refusal(StepPlan plan) {
        var key = plan.key();
        if (leaseEnd != null && !clock.instant().plus(plan.killWait()).isBefore(leaseEnd)) {
            return "this node has not heard of its controller for too long";
        }
        if (over.contains(JobAttempt.of(key))) {
            return "job %s has ended on this node".formatted(Integer.toUnsignedString(key.job()));
        }
        return otherAttemptRuns(key)
                ? "another run of job %s has not ended on this node yet"
                        .formatted(Integer.toUnsignedString(key.job()))
                : null;
    }

    /// Two attempts of one job never run at once, whoever asks for it.
    private boolean otherAttemptRuns(StepKey key) {
        return entries.values().stream()
                .anyMatch(entry ->
                        !entry.ended
                                && entry.key.job() == key.job()
                                && entry.key.attempt() != key.attempt());
    }

    private synchronized void started(
            StepKey key, SupervisedStep step, @Nullable Duration launchedWith) {
        var entry = entries.get(key);
        if (entry == null) {
            return;
        }
        entry.step = step;
        entry.launching = false;
        if (entry.termination != null) {
            terminate(step, entry.termination);
        } else {
            catchUp(entry, step, launchedWith);
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
                                        .setFault(e.fault()))
                        .build());
    }

    /// Takes over what an earlier life of this agent left. To be called once, before anything else.
    ///
    /// All of it is known before anything is said of it: which end leaves nothing depends on the
    /// others.
    public void adoptAll() {
        var left = launcher.find();
        left.forEach(found -> add(found.key()));
        for (var found : left) {
            switch (found) {
                case StepLauncher.FoundStep.Running(var status) -> adopt(status);
                case StepLauncher.FoundStep.Ended(var status) -> changed(status.key(), status);
                case StepLauncher.FoundStep.Lost(var key, _, var because) -> bury(key, because);
            }
        }
    }

    private synchronized void add(StepKey key) {
        entries.put(key, new Entry(key));
    }

    private void adopt(StepStatus status) {
        Entry entry;
        synchronized (this) {
            entry = Objects.requireNonNull(entries.get(status.key()));
            entry.launching = true;
            entry.motion = Motion.UNKNOWN; // until the controller has said how it goes on
            entry.streamed = !status.key().isBatch(); // its reader may come back
        }
        try {
            started(status.key(), launcher.adopt(status, listener(status.key())), null);
            log.atInfo().addKeyValue("step", status.key()).log("adopted a running step");
        } catch (LaunchException e) {
            synchronized (this) {
                entry.launching = false;
            }
            bury(status.key(), String.valueOf(e.getMessage()));
        }
    }

    private void bury(StepKey key, String because) {
        executor.execute(() -> {
            launcher.reap(key);
            lost(key, because);
        });
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
            noteTrouble(entry, status);
            entry.status = status;
            if (!entry.startReported && status.state() != StepStatus.State.STARTING) {
                entry.startReported = true;
                tell(key, status, "job started here");
                outbox.report(report(key, status).setKind(StepReportKind.STEP_STARTED));
            }
            if (status.hasEnded() && status.nodeFault()) {
                fail(key, new LaunchException(status.error(), LaunchFault.FAULT_NODE));
            }
            if (status.hasEnded()) {
                entry.ended = true;
                entry.readersLeftAt = clock.instant();
                tell(key, status, "job ended here");
                outbox.report(
                        report(key, status)
                                .setKind(StepReportKind.STEP_ENDED)
                                .setNothingLeft(endLeavesNothing(key)));
            }
            listeners = List.copyOf(entry.listeners);
        }
        listeners.forEach(listener -> listener.changed(status));
    }

    /// Scripts begin and end jobs; other steps are many, and srun hears of them.
    private static void tell(StepKey key, StepStatus status, String what) {
        var line = key.isBatch() ? log.atInfo() : log.atDebug();
        line = line.addKeyValue("step", key);
        if (status.hasEnded()) {
            var exit =
                    status.worstTask().map(task -> task.code() + ":" + task.signal()).orElse("0:0");
            line = line.addKeyValue("exit", exit);
        }
        if (status.timedOut()) {
            line = line.addKeyValue("because", "time limit");
        }
        if (status.outOfMemory()) {
            line = line.addKeyValue("because", "out of memory");
        }
        if (!status.error().isEmpty()) {
            line = line.addKeyValue("cause", status.error());
        }
        line.log(what);
    }

    /// What an administrator must see to, said once.
    private static void noteTrouble(Entry entry, StepStatus status) {
        var before = entry.status;
        if (!status.unsaved().isEmpty() && (before == null || before.unsaved().isEmpty())) {
            log.atError()
                    .addKeyValue("step", entry.key)
                    .addKeyValue("cause", status.unsaved())
                    .log(
                            "the spool does not take the step's status; it is tried again every second");
        }
        if (status.unkillable() && (before == null || !before.unkillable())) {
            log.atError()
                    .addKeyValue("step", entry.key)
                    .log("processes of the step do not die, though they were killed");
        }
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
                            .setMessage(because)
                            .setNothingLeft(endLeavesNothing(key)));
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
        var attempt = JobAttempt.of(request);
        if (!request.hasStepId()) {
            over.add(attempt);
        }
        for (var entry : List.copyOf(entries.values())) {
            if (attempt.has(entry.key)
                    && (!request.hasStepId() || entry.key.step().value() == request.getStepId())) {
                terminate(entry, request);
            }
        }
        if (!request.hasStepId()) {
            sayIfGone(attempt);
        }
    }

    /// Once, unless it is to be killed sooner now: a job that traps TERM counts on hearing it once.
    private static void terminate(Entry entry, TerminateJob request) {
        var before = entry.termination;
        if (before != null && !isSooner(request, before)) {
            return;
        }
        entry.termination = request;
        if (entry.step != null && !entry.ended) {
            terminate(entry.step, request);
        }
    }

    private static boolean isSooner(TerminateJob request, TerminateJob before) {
        return !before.hasStepId()
                && (request.hasStepId()
                        || request.getKillWaitSeconds() < before.getKillWaitSeconds());
    }

    private static void terminate(SupervisedStep step, TerminateJob request) {
        if (request.hasStepId()) { // the rest of the job goes on: nobody waits for one step's end
            step.signal(Signal.KILL.number(), false, words(request.getCause()));
        } else {
            step.terminate(
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

    /// The controller has heard of this node, and counts on its jobs to be gone by then; null: they
    /// go on for ever. Supervisors keep the time themselves: they end their steps even if this
    /// agent is gone.
    public synchronized void lease(@Nullable Instant end) {
        leaseEnd = end;
        steps(_ -> true).forEach(step -> step.lease(lease()));
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
        return number == Signal.TERM.number() || number == Signal.KILL.number() ? "-" : "";
    }

    /// How the steps of a job go on. Each of them is stopped or continued once, however often this
    /// is said: what the user has stopped stays so.
    public synchronized void goOn(JobTerms terms) {
        var attempt = new JobAttempt(terms.getJobId(), terms.getAttempt());
        if (over.contains(attempt)) {
            return;
        }
        var until =
                terms.getRemainingMillis() < 0
                        ? null
                        : clock.instant().plusMillis(terms.getRemainingMillis());
        goingOn.put(attempt, new GoingOn(until, terms.getSuspended()));
        for (var entry : entries.values()) {
            if (attempt.has(entry.key) && entry.step != null && !entry.ended) {
                limit(entry.step, until);
                move(entry, entry.step, terms.getSuspended());
            }
        }
    }

    /// A connection begins, on which everything that still counts is said again. What was said of
    /// jobs without a step here may be about some that were taken from this node while it was away,
    /// and nobody would ever say so.
    public synchronized void connecting() {
        goingOn.keySet()
                .removeIf(attempt -> entries.keySet().stream().noneMatch(key -> attempt.has(key)));
    }

    /// What was said while the step was on its way or being launched counts for it, too. Which is
    /// newer, that or what it was launched with, is not known: no limit may come early.
    private void catchUp(Entry entry, SupervisedStep step, @Nullable Duration launchedWith) {
        var said = goingOn.get(JobAttempt.of(entry.key));
        if (said == null) {
            return;
        }
        if (launchedWith != null
                && (said.until() == null
                        || said.until().isAfter(clock.instant().plus(launchedWith)))) {
            limit(step, said.until());
        }
        move(entry, step, said.suspended());
    }

    private void limit(SupervisedStep step, @Nullable Instant until) {
        step.limitTime(until == null ? null : Duration.between(clock.instant(), until));
    }

    private static void move(Entry entry, SupervisedStep step, boolean suspended) {
        var wanted = suspended ? Motion.STOPPED : Motion.MOVING;
        if (entry.motion != wanted) {
            entry.motion = wanted;
            step.signal(wanted == Motion.STOPPED ? STOP : CONT, false, "");
        }
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
        var patience = entry.termination == null ? UNREAD_OUTPUT : UNREAD_LAST_WORDS;
        var unread = entry.streamed && clock.instant().isBefore(entry.readersLeftAt.plus(patience));
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

    private boolean hasSteps(int job) {
        return entries.keySet().stream().anyMatch(key -> key.job() == job);
    }

    /// The script's end is the job's.
    ///
    /// @return whether the job is over and this was its last step here
    private boolean endLeavesNothing(StepKey key) {
        var attempt = JobAttempt.of(key);
        if (key.isBatch()) {
            over.add(attempt);
        }
        return clearIfGone(attempt);
    }

    /// For whoever ends a job of which no step is left to say it.
    private void sayIfGone(JobAttempt attempt) {
        if (!clearIfGone(attempt)) {
            return;
        }
        outbox.send(
                AgentMessage.newBuilder()
                        .setJobGone(
                                JobGone.newBuilder()
                                        .setJobId(attempt.job())
                                        .setAttempt(attempt.attempt()))
                        .build());
    }

    /// @return whether nothing of the job is left here, nor will be
    private boolean clearIfGone(JobAttempt attempt) {
        var runs =
                entries.values().stream().anyMatch(entry -> attempt.has(entry.key) && !entry.ended);
        if (runs || !over.contains(attempt)) {
            return false;
        }
        goingOn.remove(attempt);
        executor.execute(() -> launcher.removeJob(attempt.job(), attempt.attempt()));
        return true;
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

    /// Every execution of a step that is known here: what an earlier attempt of its job left may
    /// still wait for its reader.
    public synchronized List<StepKey> executionsOf(int job, StepId id) {
        return entries.keySet().stream()
                .filter(key -> key.job() == job && key.step().equals(id))
                .toList();
    }

    /// Finds a step for somebody who comes back to its streams.
    public synchronized Optional<Handle> find(StepKey key, StepListener listener) {
        var entry = entries.get(key);
        if (entry == null || entry.step == null) {
            return Optional.empty();
        }
        entry.readers++;
        entry.streamed = true;
        entry.listeners.add(listener);
        return Optional.of(new Handle(entry.key, entry.step, listener));
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

    private synchronized void cutOff(StepKey key) {
        var entry = entries.get(key);
        if (entry != null) {
            entry.cutOff = true;
        }
    }

    private synchronized boolean wasCutOff(StepKey key) {
        var entry = entries.get(key);
        return entry != null && entry.cutOff;
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

        /// The streams broke off before they had ended.
        public void cutOff() {
            NodeSteps.this.cutOff(key);
        }

        /// Whether that happened to this reader or one before: if the supervisor has gone since,
        /// some of its output may have gone with it.
        public boolean wasCutOff() {
            return NodeSteps.this.wasCutOff(key);
        }

        /// @param delivered whether all output has reached its reader
        public void leave(boolean delivered) {
            NodeSteps.this.leave(this, delivered);
        }
    }
}
