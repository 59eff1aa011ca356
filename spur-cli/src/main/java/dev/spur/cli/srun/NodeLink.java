package dev.spur.cli.srun;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.AttachStep;
import dev.spur.api.v1.Credit;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepNode;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.TaskEnded;
import dev.spur.api.v1.TaskOffsets;
import io.grpc.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/// The part of a step that runs on one node: launches it, passes its output on, and when the agent
/// goes away in the middle comes back to it where the output broke off.
///
/// ```
///  launch ──▶ started ──▶ output, tasks ended ──▶ step ended
///    ▲ │lost              ▲ │lost
///    └─┘ a few times      └─┘ attach, until the job ends
/// ```
final class NodeLink {
    /// Tasks that end this close together are told of in one line.
    private static final long TOGETHER_MILLIS = 50;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final int LAUNCH_TRIES = 5;
    private static final int CREDIT_AT_LEAST = 64 * 1024;

    /// What the rest of srun hears. Called on the link's own thread.
    interface Listener {
        void started(NodeLink link);

        /// The supervisor said that the step was cancelled.
        void cancelled();

        void tasksEnded(NodeLink link, List<TaskEnded> tasks);

        void inputTaken(NodeLink link, long offset);

        /// The agent has gone; the link waits for it.
        void lost(NodeLink link, String why);

        void attachedAgain(NodeLink link);

        void failed(NodeLink link, String why);
    }

    /// How far one task's two streams have been read.
    private static final class Offsets {
        private long output;
        private long error;
    }

    private final StepNode node;
    private final String stepId;
    private final RunStep launch;
    private final Supplier<NodeStream> connect;
    private final StepOutputs outputs;
    private final Listener listener;
    private final Map<Integer, Offsets> offsets = new TreeMap<>();
    private final List<TaskEnded> ended = new ArrayList<>();
    private final Set<Integer> reported = new HashSet<>();
    private volatile NodeStream stream;
    private ByteString cookie = ByteString.EMPTY;
    private boolean started;
    private boolean heardSinceConnect;
    private int uncredited;

    NodeLink(
            StepNode node,
            String stepId,
            RunStep launch,
            Supplier<NodeStream> connect,
            StepOutputs outputs,
            Listener listener) {
        this.node = node;
        this.stepId = stepId;
        this.launch = launch;
        this.connect = connect;
        this.outputs = outputs;
        this.listener = listener;
        this.stream = connect.get();
    }

    StepNode node() {
        return node;
    }

    /// Sends to the agent; lost when there is none just now.
    void send(StepInput input) {
        stream.send(input);
    }

    void cancel() {
        stream.cancel();
    }

    /// Runs the node's part of the step to its end.
    void run() throws IOException, InterruptedException {
        stream.send(StepInput.newBuilder().setRun(launch).build());
        var pause = FIRST_PAUSE;
        int tries = 1;
        while (true) {
            var status = converse();
            if (status.isEmpty()) {
                return;
            }
            var why = reason(status.get());
            if (!mayComeBack(status.get()) || (!started && tries >= LAUNCH_TRIES)) {
                finish();
                listener.failed(this, why);
                return;
            }
            if (started && heardSinceConnect) {
                listener.lost(this, why);
            }
            Thread.sleep(pause);
            pause =
                    pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0
                            ? pause.multipliedBy(2)
                            : LONGEST_PAUSE;
            tries = heardSinceConnect ? 1 : tries + 1;
            comeBack();
        }
    }

    private static boolean mayComeBack(Status status) {
        return status.isOk() || status.getCode() == Status.Code.UNAVAILABLE;
    }

    private void comeBack() {
        heardSinceConnect = false;
        stream = connect.get();
        if (cookie.isEmpty()) {
            stream.send(StepInput.newBuilder().setRun(launch).build());
            return;
        }
        var attach =
                AttachStep.newBuilder()
                        .setJobId(
                                Integer.parseUnsignedInt(stepId.substring(0, stepId.indexOf('.'))))
                        .setStepId(
                                Integer.parseUnsignedInt(stepId.substring(stepId.indexOf('.') + 1)))
                        .setCookie(cookie);
        offsets.forEach((rank, at) ->
                attach.addOffsets(
                        TaskOffsets.newBuilder()
                                .setTask(rank)
                                .setOutOffset(at.output)
                                .setErrOffset(at.error)));
        stream.send(StepInput.newBuilder().setAttach(attach).build());
        listener.attachedAgain(this);
    }

    /// Listens until the step's end (empty) or the connection's (its status).
    private Optional<Status> converse() throws IOException, InterruptedException {
        while (true) {
            var arrival = ended.isEmpty() ? stream.next() : stream.next(TOGETHER_MILLIS);
            switch (arrival) {
                case null -> report();
                case NodeStream.Arrival.Message(var message) -> {
                    heardSinceConnect = true;
                    if (take(message)) {
                        return Optional.empty();
                    }
                    if (stream.isIdle()) {
                        outputs.flush();
                        giveCredit(1);
                    }
                }
                case NodeStream.Arrival.Closed(var status) -> {
                    return Optional.of(status);
                }
            }
        }
    }

    /// True when this was the last message.
    private boolean take(StepOutput message) throws IOException {
        switch (message.getOutputCase()) {
            case STARTED -> {
                cookie = message.getStarted().getCookie();
                if (!started) {
                    started = true;
                    listener.started(this);
                }
            }
            case STDOUT -> {
                var at = offsets(message.getStdout().getTask());
                at.output = Math.max(at.output, end(message.getStdout()));
                outputs.output(message.getStdout());
                spend(message.getStdout());
            }
            case STDERR -> {
                var at = offsets(message.getStderr().getTask());
                at.error = Math.max(at.error, end(message.getStderr()));
                outputs.error(message.getStderr());
                spend(message.getStderr());
                if (tellsOfCancellation(message.getStderr().getData())) {
                    listener.cancelled();
                }
            }
            case TASK_ENDED -> {
                if (reported.add(message.getTaskEnded().getTask())) {
                    ended.add(message.getTaskEnded());
                }
            }
            case STDIN_TAKEN -> listener.inputTaken(this, message.getStdinTaken());
            case STEP_ENDED -> {
                finish();
                return true;
            }
            case FAILED -> {
                finish();
                listener.failed(this, message.getFailed());
                return true;
            }
            case OUTPUT_NOT_SET -> {} // of a newer agent
        }
        return false;
    }

    private Offsets offsets(int rank) {
        return offsets.computeIfAbsent(rank, _ -> new Offsets());
    }

    private static long end(IoData data) {
        return data.getOffset() + data.getData().size();
    }

    private void spend(IoData data) {
        uncredited += data.getData().size();
        giveCredit(CREDIT_AT_LEAST);
    }

    /// Tells the agent what has arrived, so that it need not keep it.
    private void giveCredit(int atLeast) {
        if (uncredited >= atLeast) {
            stream.send(
                    StepInput.newBuilder()
                            .setCredit(Credit.newBuilder().setBytes(uncredited))
                            .build());
            uncredited = 0;
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

    private void finish() throws IOException {
        for (int rank : node.getTaskIdsList()) {
            outputs.end(rank);
        }
        outputs.flush();
        report();
    }

    private void report() {
        if (!ended.isEmpty()) {
            listener.tasksEnded(this, List.copyOf(ended));
            ended.clear();
        }
    }

    private static String reason(Status status) {
        return Optional.ofNullable(status.getDescription()).orElse(status.getCode().name());
    }
}
