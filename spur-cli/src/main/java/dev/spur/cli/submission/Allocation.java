package dev.spur.cli.submission;

import static dev.spur.cli.ProcessSignal.HUP;
import static dev.spur.cli.ProcessSignal.INT;
import static dev.spur.cli.ProcessSignal.QUIT;
import static dev.spur.cli.ProcessSignal.TERM;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.FinishAllocationRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.SubmitJobReply;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Invocation;
import dev.spur.cli.Memory;
import dev.spur.cli.options.Arguments;
import dev.spur.model.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// A job without a script that belongs to the command which asked for it: it ends when the command
/// does, also when the command dies.
public final class Allocation implements AutoCloseable {
    /// An idle cluster starts a job within this time; before that nobody is told that it waits.
    private static final Duration UNREMARKABLE = Duration.ofSeconds(1);

    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private static final Set<String> NOT_WEIGHED_YET = Set.of("", "None", "Priority");

    private final Invocation in;
    private final ControllerClient controller;
    private final JobEvents events;
    private final Voice voice;
    private final Style style;
    private final int jobId;
    private final String cluster;
    private boolean ended;

    /// In what the two commands that allocate differ.
    public enum Style {
        SRUN(
                "Unable to allocate resources: ",
                "Job allocation %s has been revoked",
                ErrorCode.NODES_BUSY.text()),
        SALLOC(
                "Job submit/allocate failed: ",
                "Job allocation %s has been revoked.",
                "Connection timed out");

        private final String refused;
        private final String revoked;

        /// When nothing was free in the time that `--immediate` gave.
        private final String late;

        Style(String refused, String revoked, String late) {
            this.refused = refused;
            this.revoked = revoked;
            this.late = late;
        }
    }

    private Allocation(
            Invocation in,
            ControllerClient controller,
            JobEvents events,
            Voice voice,
            Style style,
            int jobId,
            String cluster) {
        this.in = in;
        this.controller = controller;
        this.events = events;
        this.voice = voice;
        this.style = style;
        this.jobId = jobId;
        this.cluster = cluster;
    }

    /// Asks for the job. Empty when it was refused, which the user has then been told.
    public static Optional<Allocation> submit(
            Invocation in,
            Arguments arguments,
            ControllerClient controller,
            JobEvents events,
            Style style,
            SubmitJobRequest request) {
        var voice = Voice.of(in, arguments);
        SubmitJobReply reply;
        try {
            events.listen(EnumSet.of(HUP, INT, QUIT, TERM));
            reply = ask(in, voice, controller, events, request);
        } catch (ControllerException refusal) {
            if (isThereAlready(in, refusal)) {
                voice.say("no controller answers. " + farewell(in));
            } else {
                Refused.explain(voice, style.refused, refusal);
            }
            return Optional.empty();
        }
        var allocation =
                new Allocation(
                        in, controller, events, voice, style, reply.getJobId(), reply.getCluster());
        try {
            if (!in.memory().isResumed()) {
                reply.getWarningsList().forEach(voice::warn);
            }
            in.memory()
                    .farewell(
                            "Job %s goes on: see squeue -j %s, or end it with scancel %s."
                                    .formatted(allocation.id(), allocation.id(), allocation.id()));
        } catch (CallerGoneException e) {
            allocation.cancel();
            throw e;
        }
        events.watch(controller, reply.getJobId());
        return Optional.of(allocation);
    }

    /// A command that goes on behind another door has its job already: it asks until a controller
    /// can say so, or until its user has enough of it.
    private static SubmitJobReply ask(
            Invocation in,
            Voice voice,
            ControllerClient controller,
            JobEvents events,
            SubmitJobRequest request) {
        for (var isFirst = true; ; isFirst = false) {
            try {
                return KnownOutcome.of(() -> controller.call(stub -> stub.submitJob(request)));
            } catch (ControllerException lost) {
                if (!isThereAlready(in, lost) || !isPatient(events)) {
                    throw lost;
                }
                if (isFirst) {
                    voice.say("no controller answers, waiting for one ...");
                }
            }
        }
    }

    private static boolean isThereAlready(Invocation in, ControllerException failure) {
        return in.memory().isResumed()
                && in.memory().recall(Memory.FAREWELL).isPresent()
                && failure.kind() != ControllerException.Kind.REFUSED;
    }

    private static boolean isPatient(JobEvents events) {
        try {
            return !(events.next(BETWEEN_TRIES) instanceof JobEvents.Caught);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String farewell(Invocation in) {
        return in.memory()
                .recall(Memory.FAREWELL)
                .map(text -> new String(text, StandardCharsets.UTF_8))
                .orElse("");
    }

    /// Waits until the job has its resources. Empty when that will not be, which the user has been
    /// told.
    ///
    /// @param immediate how long it may take at most, if there is a bound
    public Optional<Job> await(Optional<Duration> immediate) throws InterruptedException {
        var begin = System.nanoTime();
        var announced = false;
        while (true) {
            var waited = Duration.ofNanos(System.nanoTime() - begin);
            var bound = announced ? Duration.ofDays(365) : UNREMARKABLE;
            if (immediate.isPresent() && immediate.get().compareTo(bound) < 0) {
                bound = immediate.get();
            }
            switch (events.next(bound.minus(waited))) {
                case null -> {
                    if (immediate.isPresent() && waited.compareTo(immediate.get()) >= 0) {
                        cancel();
                        voice.error("Unable to allocate resources: " + style.late);
                        return Optional.empty();
                    }
                    if (!announced && waited.compareTo(UNREMARKABLE) >= 0) {
                        announced = true;
                        announce("");
                    }
                }
                case JobEvents.Changed(var update) -> {
                    var job = update.getJob();
                    if (update.getEnded() || JobWatch.hasEnded(job)) {
                        ended = true;
                        voice.say(style.revoked.formatted(id()));
                        return Optional.empty();
                    }
                    if (hasResources(job)) {
                        if (announced) {
                            voice.say("job %s has been allocated resources".formatted(id()));
                        }
                        return Optional.of(job);
                    }
                    if (!announced && !NOT_WEIGHED_YET.contains(job.getReason())) {
                        announced = true;
                        announce(job.getReason());
                    }
                }
                case JobEvents.Caught _ -> {
                    cancel();
                    voice.say(style.revoked.formatted(id()));
                    return Optional.empty();
                }
                case JobEvents.Lost(var why) -> {
                    voice.error(style.refused + Refused.text(why));
                    return Optional.empty();
                }
                case JobEvents.Event _ -> {} // of the command's own; none before the job runs
            }
        }
    }

    private static boolean hasResources(Job job) {
        return job.getBaseState().equals("RUNNING") && !job.getState().equals("CONFIGURING");
    }

    private void announce(String reason) {
        var why = explanation(reason);
        if (!why.isEmpty()) {
            voice.say(why);
        }
        if (style == Style.SALLOC) {
            voice.say("Pending job allocation " + id());
        }
        voice.say("job %s queued and waiting for resources".formatted(id()));
    }

    /// Slurm's words when a job waits for more than its turn.
    private static String explanation(String reason) {
        return switch (reason) {
            case "PartitionNodeLimit", "PartitionTimeLimit", "PartitionConfig" ->
                    ErrorCode.PARTITION_CONFIG_UNAVAILABLE.text();
            case "PartitionDown" -> ErrorCode.PARTITION_DOWN.text();
            case "PartitionInactive" -> ErrorCode.PARTITION_NOT_AVAILABLE.text();
            case "ReqNodeNotAvail" -> ErrorCode.NODE_NOT_AVAILABLE.text();
            default -> "";
        };
    }

    public int jobId() {
        return jobId;
    }

    public String id() {
        return Integer.toUnsignedString(jobId);
    }

    public String cluster() {
        return cluster;
    }

    /// Somebody else ended the job.
    public void revoked() {
        ended = true;
    }

    /// The command is done: the job ends with its exit code.
    public void finish(int exitCode) {
        if (ended) {
            return;
        }
        ended = true;
        var request =
                FinishAllocationRequest.newBuilder()
                        .setRequestId(in.newRequestId())
                        .setJobId(jobId)
                        .setExitCode(exitCode)
                        .build();
        LastRequest.send(
                in,
                voice,
                "job " + id(),
                () -> controller.call(stub -> stub.finishAllocation(request)));
    }

    public void cancel() {
        if (ended) {
            return;
        }
        ended = true;
        var request =
                CancelJobsRequest.newBuilder().setRequestId(in.newRequestId()).addIds(id()).build();
        LastRequest.send(
                in, voice, "job " + id(), () -> controller.call(stub -> stub.cancelJobs(request)));
    }

    /// The job stays (`salloc --no-shell`).
    public void leave() {
        ended = true;
    }

    /// A command that dies leaves no job behind.
    @Override
    public void close() {
        cancel();
    }

    /// `SLURM_EXIT_IMMEDIATE` chooses how a command ends that would not wait.
    public static int refusedExitCode(Invocation in, boolean immediate) {
        var variable = in.environment("SLURM_EXIT_IMMEDIATE");
        return immediate && variable != null && variable.matches("\\d{1,3}")
                ? Integer.parseInt(variable) & 0xff
                : 1;
    }

    /// `-I`: one second unless a number says more.
    public static Duration immediately(int seconds) {
        return Duration.ofMillis(TimeUnit.SECONDS.toMillis(Math.max(1, seconds)));
    }
}
