package dev.spur.cli.srun;

import com.google.protobuf.ByteString;
import dev.spur.api.reach.AgentStream;
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
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
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

    /// Some twenty seconds: an agent that restarts is back by then.
    private static final int LAUNCH_TRIES = 24;

    private static final int CREDIT_AT_LEAST = 64 * 1024;

    /// What the rest of srun hears. Called on the link's own thread.
    interface Listener {
        void started(NodeLink link);

        /// The supervisor said that the step was cancelled.
        void cancelled();

        void tasksEnded(NodeLink link, List<TaskEnded> tasks);

        void inputTaken(NodeLink link, long offset);

        /// With this cookie another door can attach to what runs here.
        void mayComeBack(NodeLink link, ByteString cookie);

        /// The agent has gone; the link waits for it.
        void lost(NodeLink link, String why);

        void attachedAgain(NodeLink link);

        void failed(NodeLink link, String why);
    }

    private final StepNode node;
    private final String stepId;
    private final RunStep launch;
    private final Supplier<AgentStream> connect;
    private final StepOutputs outputs;
    private final Listener listener;
    private final List<TaskEnded> ended = new ArrayList<>();
    private final Set<Integer> reported = new HashSet<>();
    private volatile AgentStream stream;
    private ByteString cookie;
    private boolean started; // here or behind an earlier door
    private boolean announced;
    private boolean heardSinceConnect;
    private int uncredited;

    /// @param cookie of a step that an earlier door has started, else empty
    /// @param told tasks whose end an earlier door has told
    NodeLink(
            StepNode node,
            String stepId,
            RunStep launch,
            Supplier<AgentStream> connect,
            StepOutputs outputs,
            ByteString cookie,
            Predicate<Integer> told,
            Listener listener) {
        this.node = node;
        this.stepId = stepId;
        this.launch = launch;
        this.connect = connect;
        this.outputs = outputs;
        this.listener = listener;
        this.cookie = cookie;
        this.started = !cookie.isEmpty();
        node.getTaskIdsList().stream().filter(told).forEach(reported::add);
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
        begin();
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

    private void comeBack() throws IOException {
        heardSinceConnect = false;
        stream = connect.get();
        begin();
        if (!cookie.isEmpty()) {
            listener.attachedAgain(this);
        }
    }

    /// Launches, or attaches to what was launched.
    private void begin() throws IOException {
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
        for (int rank : node.getTaskIdsList()) {
            attach.addOffsets(
                    TaskOffsets.newBuilder()
                            .setTask(rank)
                            .setOutOffset(outputs.offset(rank, StepOutputs.OUTPUT))
                            .setErrOffset(outputs.offset(rank, StepOutputs.ERROR)));
        }
        stream.send(StepInput.newBuilder().setAttach(attach).build());
    }

    /// Listens until the step's end (empty) or the connection's (its status).
    private Optional<Status> converse() throws IOException, InterruptedException {
        while (true) {
            var arrival = ended.isEmpty() ? stream.next() : stream.next(TOGETHER_MILLIS);
            switch (arrival) {
                case null -> report();
                case AgentStream.Arrival.Message(var message) -> {
                    heardSinceConnect = true;
                    if (take(message)) {
                        stream.part();
                        return Optional.empty();
                    }
                    if (stream.isIdle()) {
                        settle();
                    }
                }
                case AgentStream.Arrival.Closed(var status) -> {
                    return Optional.of(status);
                }
            }
        }
    }

    /// True when this was the last message.
    private boolean take(StepOutput message) throws IOException {
        switch (message.getOutputCase()) {
            case STARTED -> {
                if (!cookie.equals(message.getStarted().getCookie())) {
                    cookie = message.getStarted().getCookie();
                    listener.mayComeBack(this, cookie);
                }
                if (!announced) {
                    announced = true;
                    started = true;
                    listener.started(this);
                }
            }
            case STDOUT -> {
                pass(StepOutputs.OUTPUT, message.getStdout());
            }
            case STDERR -> {
                pass(StepOutputs.ERROR, message.getStderr());
                if (tellsOfCancellation(message.getStderr().getData())) {
                    settle(); // the supervisor's line comes first
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

    private void pass(int number, IoData data) throws IOException {
        outputs.accept(number, data);
        uncredited += data.getData().size();
        if (uncredited >= CREDIT_AT_LEAST) {
            settle();
        }
    }

    /// Passes on what has gathered, leaves word of it with the caller, and only then tells the
    /// agent that it need not keep it: whoever comes next begins behind it.
    private void settle() throws IOException {
        outputs.flush();
        if (uncredited > 0) {
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
        outputs.end(node.getTaskIdsList());
        settle();
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
