package dev.spur.agent.step;

import dev.spur.api.v1.AskUsage;
import dev.spur.api.v1.JobTerms;
import dev.spur.api.v1.LaunchFault;
import dev.spur.api.v1.RunningJob;
import dev.spur.api.v1.SignalStep;
import dev.spur.api.v1.StepOfJob;
import dev.spur.api.v1.StepReportKind;
import dev.spur.api.v1.TerminateCause;
import dev.spur.api.v1.TerminateJob;
import dev.spur.api.v1.UsageAnswer;
import dev.spur.api.v1.UsageOfStep;
import dev.spur.model.StepId;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
/// A job whose script has ended here, or that the controller has ended, is remembered for a while,
/// by the next life of this agent as well: a launch that arrives late, by whatever way, is refused.
/// So the end of the last step may say that nothing is left of the job here.
public final class NodeSteps {
    /// Far more than run on one node.
    private static final int MOST_ASKED = 10_000;

    private final StepLauncher launcher;
    private final Outbox outbox;
    private final InstantSource clock;
    private final Executor executor;
    private final Map<StepKey, StepEntry> entries = new HashMap<>();
    private final StandingTerms terms;
    private final EndedJobs over;

    /// Until then the controller counts on what runs here; null for ever.
    private @Nullable Instant leaseEnd;

    /// @param over what earlier lives of this agent knew of jobs that have ended here
    /// @param executor runs what may take a moment: making directories, starting supervisors
    public NodeSteps(
            StepLauncher launcher,
            Outbox outbox,
            EndedJobs over,
            InstantSource clock,
            Executor executor) {
        this.launcher = launcher;
        this.outbox = outbox;
        this.over = over;
        this.clock = clock;
        this.executor = executor;
        this.terms = new StandingTerms(clock);
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
            entries.put(plan.key(), StepEntry.launching(plan.key()));
        }
        // Many large ones at the same time would be more than the agent's memory.
        if (plan.isLarge()) {
            startBatch(plan);
        } else {
            executor.execute(() -> startBatch(plan));
        }
    }

    private void startBatch(StepPlan plan) {
        try {
            start(plan);
        } catch (LaunchException e) {
            fail(plan.key(), e);
        }
    }

    /// Starts a step that a caller waits for.
    ///
    /// @return the running step
    public StepHandle launch(StepPlan plan, StepListener listener) throws LaunchException {
        synchronized (this) {
            var refusal = refusal(plan);
            if (refusal != null) {
                throw new LaunchException(refusal, LaunchFault.FAULT_PASSING);
            }
            var entry = StepEntry.launching(plan.key());
            entry.join(listener);
            if (entries.putIfAbsent(plan.key(), entry) != null) {
                throw new LaunchException(
                        "step %s has been started already".formatted(plan.key()),
                        LaunchFault.FAULT_PASSING);
            }
        }
        return new StepHandle(this, plan.key(), start(plan), listener);
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
            StepJournal.launchWentWrong(plan.key(), e);
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
        if (!entry.started(step)) {
            terms.catchUp(entry, step, launchedWith);
        }
        forgetIfDone(entry);
    }

    private void fail(StepKey key, LaunchException e) {
        StepJournal.notLaunched(key, e);
        outbox.send(StepReports.notLaunched(key, e));
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
        entries.put(key, StepEntry.found(key));
    }

    private void adopt(StepStatus status) {
        StepEntry entry;
        synchronized (this) {
            entry = Objects.requireNonNull(entries.get(status.key()));
            entry.adopting();
        }
        try {
            started(status.key(), launcher.adopt(status, listener(status.key())), null);
            StepJournal.adopted(status.key());
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
            StepJournal.trouble(key, entry.status, status);
            entry.status = status;
            if (!entry.startReported && status.state() != StepStatus.State.STARTING) {
                entry.startReported = true;
                StepJournal.started(key, status);
                outbox.report(StepReports.started(key, status));
            }
            if (status.hasEnded() && status.nodeFault()) {
                fail(key, new LaunchException(status.error(), LaunchFault.FAULT_NODE));
            }
            if (status.hasEnded()) {
                entry.end(clock.instant());
                StepJournal.ended(key, status);
                outbox.report(StepReports.ended(key, status, endLeavesNothing(key)));
            }
            listeners = entry.listeners();
        }
        listeners.forEach(listener -> listener.changed(status));
    }

    private void lost(StepKey key, String because) {
        StepJournal.lost(key, because);
        List<StepListener> listeners;
        synchronized (this) {
            var entry = entries.get(key);
            if (entry == null || entry.ended) {
                return;
            }
            var now = clock.instant();
            entry.end(now);
            outbox.report(StepReports.lost(key, because, now, endLeavesNothing(key)));
            listeners = entry.listeners();
        }
        listeners.forEach(listener -> listener.lost(because));
    }

    // ---- what the controller asks ----

    public synchronized void terminate(TerminateJob request) {
        var order = new Termination(request);
        if (order.isOfWholeJob()) {
            nothingBeginsAgain(order.attempt());
        }
        for (var entry : List.copyOf(entries.values())) {
            if (order.isFor(entry.key)) {
                entry.terminate(order);
            }
        }
        if (order.isOfWholeJob()) {
            sayIfGone(order.attempt());
        }
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
        var order = new SignalOrder(request);
        steps(order::isFor).forEach(order::carryOut);
    }

    /// What steps use now. Those that do not run here, or do not say, are left out.
    public CompletableFuture<UsageAnswer> usage(AskUsage question) {
        var answers =
                question.getStepsList().stream()
                        .distinct()
                        .limit(MOST_ASKED)
                        .map(asked -> usage(asked, question.getPids()))
                        .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(_ -> {
                    var answer = UsageAnswer.newBuilder().setQuestion(question.getQuestion());
                    answers.forEach(each -> each.join().ifPresent(answer::addSteps));
                    return answer.build();
                });
    }

    private CompletableFuture<Optional<UsageOfStep>> usage(StepOfJob asked, boolean withPids) {
        var key = new StepKey(asked.getJobId(), new StepId(asked.getStepId()), asked.getAttempt());
        var running = steps(key::equals);
        if (running.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return running.getFirst()
                .usage()
                .handle((status, _) ->
                        Optional.ofNullable(status)
                                .map(known -> StepUsages.of(asked, known, withPids)));
    }

    /// How the steps of a job go on. Each of them is stopped or continued once, however often this
    /// is said: what the user has stopped stays so.
    public synchronized void goOn(JobTerms said) {
        if (!over.contains(new JobAttempt(said.getJobId(), said.getAttempt()))) {
            terms.say(said, entries.values());
        }
    }

    /// A connection begins, on which everything that still counts is said again. What was said of
    /// jobs without a step here may be about some that were taken from this node while it was away,
    /// and nobody would ever say so.
    public synchronized void connecting() {
        terms.forgetIf(attempt -> entries.keySet().stream().noneMatch(attempt::has));
    }

    private synchronized List<SupervisedStep> steps(Predicate<StepKey> wanted) {
        var steps = new ArrayList<SupervisedStep>();
        for (var entry : entries.values()) {
            var running = entry.running();
            if (running != null && wanted.test(entry.key)) {
                steps.add(running);
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

    /// Lets go of streams that nobody came back for, and what else has its time. To be called every
    /// few seconds.
    public synchronized void tick() {
        for (var entry : List.copyOf(entries.values())) {
            forgetIfDone(entry);
        }
        if (!over.isForced()) {
            executor.execute(over::force);
        }
    }

    private void forgetIfDone(StepEntry entry) {
        if (!entry.isDone(clock.instant())) {
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
            nothingBeginsAgain(attempt);
        }
        return clearIfGone(attempt);
    }

    private void nothingBeginsAgain(JobAttempt attempt) {
        over.add(attempt, this::hasSteps);
        if (!over.isSaved()) {
            executor.execute(over::save);
        }
    }

    /// For whoever ends a job of which no step is left to say it.
    private void sayIfGone(JobAttempt attempt) {
        if (clearIfGone(attempt)) {
            outbox.send(StepReports.gone(attempt));
        }
    }

    /// @return whether nothing of the job is left here, nor will be
    private boolean clearIfGone(JobAttempt attempt) {
        var runs =
                entries.values().stream().anyMatch(entry -> attempt.has(entry.key) && !entry.ended);
        if (runs || !over.contains(attempt)) {
            return false;
        }
        terms.forget(attempt);
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

    /// Whether something of it may still run here.
    public synchronized boolean runs(StepKey key) {
        var entry = entries.get(key);
        return entry != null && !entry.ended;
    }

    /// Every execution of a step that is known here: what an earlier attempt of its job left may
    /// still wait for its reader.
    public synchronized List<StepKey> executionsOf(int job, StepId id) {
        return entries.keySet().stream()
                .filter(key -> key.job() == job && key.step().equals(id))
                .toList();
    }

    /// Finds a step for somebody who comes back to its streams.
    public synchronized Optional<StepHandle> find(StepKey key, StepListener listener) {
        var entry = entries.get(key);
        if (entry == null || entry.step == null) {
            return Optional.empty();
        }
        entry.join(listener);
        return Optional.of(new StepHandle(this, entry.key, entry.step, listener));
    }

    /// Finds a step for somebody who looks on; what its own reader needs stays as it is.
    public synchronized Optional<StepHandle> lookOn(StepKey key, StepListener listener) {
        var entry = entries.get(key);
        if (entry == null || entry.step == null) {
            return Optional.empty();
        }
        entry.lookOn(listener);
        return Optional.of(new StepHandle(this, entry.key, entry.step, listener));
    }

    synchronized @Nullable StepStatus status(StepKey key) {
        var entry = entries.get(key);
        return entry == null ? null : entry.status;
    }

    synchronized void leave(StepKey key, StepListener listener, boolean delivered) {
        var entry = entries.get(key);
        if (entry != null) {
            entry.leave(listener, delivered, clock.instant());
            forgetIfDone(entry);
        }
    }

    synchronized void cutOff(StepKey key) {
        var entry = entries.get(key);
        if (entry != null) {
            entry.cutOff = true;
        }
    }

    synchronized boolean wasCutOff(StepKey key) {
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
}
