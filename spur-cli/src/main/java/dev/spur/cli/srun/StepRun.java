package dev.spur.cli.srun;

import static dev.spur.cli.ProcessSignal.ALRM;
import static dev.spur.cli.ProcessSignal.CONT;
import static dev.spur.cli.ProcessSignal.HUP;
import static dev.spur.cli.ProcessSignal.INT;
import static dev.spur.cli.ProcessSignal.QUIT;
import static dev.spur.cli.ProcessSignal.TERM;
import static dev.spur.cli.ProcessSignal.USR1;
import static dev.spur.cli.ProcessSignal.USR2;
import static dev.spur.cli.ProcessSignal.WINCH;

import com.google.protobuf.ByteString;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.CreatedStep;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepNode;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepSignal;
import dev.spur.api.v1.TaskEnded;
import dev.spur.api.v1.TerminalSize;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Invocation;
import dev.spur.cli.ProcessSignal;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.submission.JobEvents;
import dev.spur.cli.submission.JobWatch;
import dev.spur.cli.submission.Refused;
import dev.spur.cli.submission.Voice;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One step while it runs: a thread per node takes output and exit codes, one passes srun's input
/// on, and the thread of the command waits for what happens: signals, the job's end, the last task.
final class StepRun {
    /// Tasks that end this close together are told of in one line.
    private static final long TOGETHER_MILLIS = 50;

    private static final int INPUT_PIECE = 32 * 1024;

    /// How long after the end of the job its nodes may take to say so.
    private static final Duration AFTER_THE_END = Duration.ofSeconds(10);

    private final Invocation in;
    private final Arguments arguments;
    private final Voice voice;
    private final ControllerClient controller;
    private final JobEvents events;
    private final CreatedStep step;
    private final StandardStreams streams;
    private final int killWait;
    private final String stepId;
    private final TaskBoard board;
    private final List<NodeStream> nodes = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Interrupts interrupts = new Interrupts();
    private boolean announcedAbort;
    private boolean cancelled;

    private record NodeDone() implements JobEvents.Event {}

    private record TasksDone(boolean wentWell) implements JobEvents.Event {}

    private record LaunchFailed(String node, String why) implements JobEvents.Event {}

    private record Gone(RuntimeException why) implements JobEvents.Event {}

    StepRun(
            Invocation in,
            Arguments arguments,
            ControllerClient controller,
            JobEvents events,
            CreatedStep step,
            StandardStreams streams,
            int killWait) {
        this.in = in;
        this.arguments = arguments;
        this.voice = Voice.of(in, arguments);
        this.controller = controller;
        this.events = events;
        this.step = step;
        this.streams = streams;
        this.killWait = killWait;
        this.stepId =
                Integer.toUnsignedString(step.getJobId())
                        + "."
                        + Integer.toUnsignedString(step.getStepId());
        this.board = new TaskBoard(stepId, step.getTasks(), voice);
    }

    /// Launches on every node and returns srun's exit code when all tasks have ended.
    int run(RunStep.Builder launch) throws IOException, InterruptedException {
        var input = streams.openInput();
        streams.open();
        events.listen(EnumSet.of(INT, QUIT, TERM, HUP, USR1, USR2, ALRM, CONT, WINCH));
        try {
            for (int i = 0; i < step.getNodesCount(); i++) {
                start(i, launch.setLaunch(step.getLaunches(i)).build());
            }
            if (input != null) {
                threads.add(Thread.ofVirtual().name("srun-input").start(() -> passOn(input)));
            }
            follow();
            return board.exitCode();
        } finally {
            if (board.isRunning()) {
                cancelStep();
            }
            threads.forEach(Thread::interrupt);
            nodes.forEach(NodeStream::cancel);
        }
    }

    private void start(int position, RunStep launch) {
        var node = step.getNodes(position);
        voice.mention(
                "launching StepId=%s on host %s, %d tasks: %s"
                        .formatted(
                                stepId,
                                node.getNode(),
                                node.getTaskIdsCount(),
                                Ranks.list(node.getTaskIdsList())));
        var stream = NodeStream.open(controller.agent(node.getAddress(), node.getNode()));
        stream.send(StepInput.newBuilder().setRun(launch).build());
        nodes.add(stream);
        threads.add(
                Thread.ofVirtual()
                        .name("srun-" + node.getNode())
                        .start(() -> listen(stream, node)));
    }

    private void follow() throws InterruptedException {
        int open = nodes.size();
        Long deadline = null; // when a wait ends that has begun: --wait, or the job's end
        var ending = false;
        while (open > 0) {
            var event =
                    deadline == null
                            ? events.next()
                            : events.next(Duration.ofNanos(deadline - System.nanoTime()));
            switch (event) {
                case null -> {
                    if (ending) {
                        voice.error("Timed out waiting for job step to complete");
                        board.failed(1);
                        return;
                    }
                    voice.say(
                            "First task exited %ds ago"
                                    .formatted(arguments.get(SrunOptions.WAIT, 0)));
                    board.show();
                    terminate();
                    deadline = null;
                }
                case NodeDone() -> open--;
                case TasksDone(var wentWell) -> {
                    if (!wentWell
                            && arguments.get(SrunOptions.KILL_ON_BAD_EXIT, false)
                            && board.isRunning()) {
                        terminate();
                    }
                    int wait = arguments.get(SrunOptions.WAIT, 0);
                    if (wait > 0 && deadline == null) {
                        deadline = System.nanoTime() + Duration.ofSeconds(wait).toNanos();
                    }
                }
                case LaunchFailed(var node, var why) -> {
                    voice.error(
                            "Task launch for StepId=%s failed on node %s: %s"
                                    .formatted(stepId, node, why));
                    board.failed(1);
                    if (open > 1) {
                        cancelStep();
                    }
                }
                case JobEvents.Changed(var update) -> {
                    if (update.getEnded() || JobWatch.hasEnded(update.getJob())) {
                        announceAbort();
                        if (update.getEnded()) {
                            ending = true;
                            deadline = System.nanoTime() + AFTER_THE_END.toNanos();
                        }
                    }
                }
                case JobEvents.Caught(var signal) -> {
                    if (caught(signal)) {
                        return;
                    }
                }
                case Gone(var why) -> throw why;
                case JobEvents.Lost _ -> {} // the agents still tell
                case JobEvents.Event _ -> {}
            }
        }
    }

    /// True when srun shall leave without waiting for anybody.
    private boolean caught(ProcessSignal signal) {
        switch (signal) {
            case INT -> {
                switch (interrupts.next(
                        arguments.has(SrunOptions.QUIT_ON_INTERRUPT),
                        arguments.has(SrunOptions.DISABLE_STATUS))) {
                    case SHOW -> {
                        voice.say("interrupt (one more within 1 sec to abort)");
                        board.show();
                    }
                    case FORWARD -> {
                        voice.say("sending Ctrl-C to StepId=" + stepId);
                        signalTasks(INT.number());
                    }
                    case ABORT -> {
                        voice.say("sending Ctrl-C to StepId=" + stepId);
                        signalTasks(INT.number());
                        cancelStep();
                        announceAbort();
                    }
                    case LEAVE -> {
                        voice.say("forcing job termination");
                        cancelStep();
                        board.failed(128 + INT.number());
                        return true;
                    }
                }
            }
            case TERM, HUP, QUIT -> {
                if (cancelled) {
                    board.failed(128 + signal.number());
                    return true;
                }
                voice.say("forcing job termination");
                cancelStep();
                announceAbort();
            }
            case WINCH -> {
                if (arguments.has(SrunOptions.PTY)) {
                    nodes.getFirst().send(StepInput.newBuilder().setResize(size(in)).build());
                }
            }
            case USR1, USR2, ALRM -> signalTasks(signal.number());
            case CONT, TSTP -> {} // for srun itself
        }
        return false;
    }

    private void signalTasks(int number) {
        var message =
                StepInput.newBuilder().setSignal(StepSignal.newBuilder().setSignal(number)).build();
        nodes.forEach(node -> node.send(message));
    }

    private void terminate() {
        voice.say("Terminating StepId=" + stepId);
        cancelStep();
    }

    private void cancelStep() {
        if (cancelled) {
            return;
        }
        cancelled = true;
        var interrupted = Thread.interrupted();
        try {
            var request =
                    CancelJobsRequest.newBuilder()
                            .setRequestId(in.newRequestId())
                            .addIds(stepId)
                            .build();
            controller.call(stub -> stub.cancelJobs(request));
        } catch (ControllerException refusal) {
            voice.mention("could not end step %s: %s".formatted(stepId, Refused.message(refusal)));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Called by the nodes' threads too: the line stands before the tasks' own.
    private synchronized void announceAbort() {
        if (!announcedAbort && board.isRunning()) {
            announcedAbort = true;
            voice.say(
                    "Job step aborted: Waiting up to %d seconds for job step to finish."
                            .formatted(killWait + 2));
        }
    }

    /// Copies srun's input to every task, as far as the nodes have room.
    private void passOn(InputStream input) {
        try {
            var piece = new byte[INPUT_PIECE];
            for (int length = input.read(piece); length >= 0; length = input.read(piece)) {
                broadcast(
                        IoData.newBuilder()
                                .setTask(-1)
                                .setData(ByteString.copyFrom(piece, 0, length)));
            }
            broadcast(IoData.newBuilder().setTask(-1).setEof(true));
        } catch (IOException | CallerGoneException _) {
            // nobody types any more; the tasks go on without input
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the step has ended
        }
    }

    private void broadcast(IoData.Builder data) throws InterruptedException {
        var message = StepInput.newBuilder().setStdin(data).build();
        for (var node : nodes) {
            node.sendWhenReady(message);
        }
    }

    private void listen(NodeStream stream, StepNode node) {
        var conversation = new Conversation(stream, node);
        try {
            conversation.run();
        } catch (CallerGoneException gone) {
            events.add(new Gone(gone));
        } catch (IOException e) {
            voice.error(
                    "Could not write output of %s: %s".formatted(node.getNode(), e.getMessage()));
            events.add(new Gone(new CallerGoneException("output cannot be written")));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // srun ends
        } finally {
            events.add(new NodeDone());
        }
    }

    private final class Conversation {
        private final NodeStream stream;
        private final StepNode node;
        private final Map<Integer, TaskStream> output = new HashMap<>();
        private final Map<Integer, TaskStream> error = new HashMap<>();
        private final List<TaskEnded> ended = new ArrayList<>();
        private boolean started;

        Conversation(NodeStream stream, StepNode node) {
            this.stream = stream;
            this.node = node;
        }

        void run() throws IOException, InterruptedException {
            while (true) {
                var arrival = ended.isEmpty() ? stream.next() : stream.next(TOGETHER_MILLIS);
                switch (arrival) {
                    case null -> report();
                    case NodeStream.Arrival.Message(var message) -> {
                        if (take(message)) {
                            return;
                        }
                        if (stream.isIdle()) {
                            streams.flush();
                        }
                    }
                    case NodeStream.Arrival.Closed(var status) -> {
                        closed(status);
                        return;
                    }
                }
            }
        }

        /// True when this was the last message.
        private boolean take(StepOutput message) throws IOException {
            switch (message.getOutputCase()) {
                case STARTED -> {
                    started = true;
                    board.started(node.getTaskIdsList());
                    voice.mention(
                            "launch/slurm: _task_start: Node %s, %d tasks started"
                                    .formatted(node.getNode(), node.getTaskIdsCount()));
                }
                case STDOUT ->
                        pass(
                                message.getStdout(),
                                output,
                                streams.outputOf(message.getStdout().getTask()));
                case STDERR -> {
                    pass(
                            message.getStderr(),
                            error,
                            streams.errorOf(message.getStderr().getTask()));
                    if (tellsOfCancellation(message.getStderr().getData())) {
                        announceAbort();
                    }
                }
                case TASK_ENDED -> ended.add(message.getTaskEnded());
                case STEP_ENDED -> {
                    if (!message.getStepEnded().getCancelledMessage().isEmpty()) {
                        announceAbort();
                    }
                    finish();
                    return true;
                }
                case FAILED -> {
                    events.add(new LaunchFailed(node.getNode(), message.getFailed()));
                    finish();
                    return true;
                }
                case OUTPUT_NOT_SET -> {} // of a newer agent
            }
            return false;
        }

        private void pass(IoData data, Map<Integer, TaskStream> byTask, OutputStream to)
                throws IOException {
            var task =
                    byTask.computeIfAbsent(
                            data.getTask(), rank -> new TaskStream(to, label(rank), byLines()));
            if (!data.getData().isEmpty()) {
                task.accept(data.getData().toByteArray());
            }
            if (data.getEof()) {
                task.end();
            }
        }

        private void closed(Status status) throws IOException {
            if (!status.isOk() && !started) {
                events.add(new LaunchFailed(node.getNode(), reason(status)));
            } else if (!status.isOk()) {
                voice.error(
                        "Lost connection to node %s: %s".formatted(node.getNode(), reason(status)));
                board.failed(1);
            }
            finish();
        }

        private void finish() throws IOException {
            for (var tasks : List.of(output, error)) {
                for (var task : tasks.values()) {
                    task.end();
                }
            }
            streams.flush();
            report();
        }

        private void report() {
            if (ended.isEmpty()) {
                return;
            }
            var tasks = List.copyOf(ended);
            ended.clear();
            board.ended(node.getNode(), tasks);
            events.add(new TasksDone(tasks.stream().allMatch(TaskBoard::wentWell)));
        }
    }

    /// The supervisor's own line on the tasks' error stream.
    private boolean tellsOfCancellation(ByteString data) {
        if (data.size() > 1024) {
            return false;
        }
        var text = data.toString(StandardCharsets.UTF_8);
        return text.contains("*** STEP " + stepId + " ON ") && text.contains("CANCELLED AT");
    }

    private static String reason(Status status) {
        return Optional.ofNullable(status.getDescription()).orElse(status.getCode().name());
    }

    private boolean byLines() {
        return !arguments.hasAny(SrunOptions.UNBUFFERED, SrunOptions.PTY);
    }

    private byte[] label(int rank) {
        if (!arguments.has(SrunOptions.LABEL) || arguments.has(SrunOptions.PTY)) {
            return new byte[0];
        }
        var width = Integer.toString(Math.max(0, step.getTasks() - 1)).length();
        return ("%" + width + "d: ").formatted(rank).getBytes(StandardCharsets.US_ASCII);
    }

    static TerminalSize size(Invocation in) {
        var size = in.terminal().size();
        return TerminalSize.newBuilder().setRows(size.rows()).setColumns(size.columns()).build();
    }
}
