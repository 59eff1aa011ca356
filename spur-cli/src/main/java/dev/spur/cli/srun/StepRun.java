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
import dev.spur.api.reach.AgentStream;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.CreatedStep;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepSignal;
import dev.spur.api.v1.TaskEnded;
import dev.spur.api.v1.TerminalSize;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Invocation;
import dev.spur.cli.ProcessSignal;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.submission.JobEvents;
import dev.spur.cli.submission.JobWatch;
import dev.spur.cli.submission.LastRequest;
import dev.spur.cli.submission.Remembered;
import dev.spur.cli.submission.Voice;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One step while it runs: a thread per node takes output and exit codes, one passes srun's input
/// on, and the thread of the command waits for what happens: signals, the job's end, the last task.
final class StepRun implements NodeLink.Listener {
    /// How long after the end of the job its nodes may take to say so.
    private static final Duration AFTER_THE_END = Duration.ofSeconds(10);

    private static final Duration SUPERVISORS_FIRST = Duration.ofMillis(300);

    private static final String TERMINATING = "launch/slurm: _step_signal: Terminating StepId=";

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
    private final StepOutputs outputs;
    private final Interrupts interrupts = new Interrupts();
    private final List<NodeLink> links = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private @Nullable InputFeed feed;
    private @Nullable Long deadline; // of --wait, or of the nodes of a job that has ended
    private boolean jobEnded;
    private boolean announcedAbort;
    private boolean saidTerminating;
    private boolean cancelled;

    private record NodeDone() implements JobEvents.Event {}

    private record TasksDone(boolean wentWell) implements JobEvents.Event {}

    private record NodeFailed(String node, String why) implements JobEvents.Event {}

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
        var plain = Voice.of(in, arguments);
        this.voice = arguments.has(SrunOptions.PTY) ? plain.onRawTerminal() : plain;
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
        in.memory().recall(Remembered.TASKS).ifPresent(board::restore);
        this.outputs = new StepOutputs(streams, in.memory(), arguments, step.getTasks());
    }

    /// Launches on every node and returns srun's exit code when all tasks have ended.
    int run(RunStep.Builder launch) throws IOException, InterruptedException {
        try {
            var input = streams.openInput();
            streams.open();
            events.listen(EnumSet.of(INT, QUIT, TERM, HUP, USR1, USR2, ALRM, CONT, WINCH));
            for (int i = 0; i < step.getNodesCount(); i++) {
                links.add(link(i, launch.setLaunch(step.getLaunches(i)).build()));
            }
            if (input != null) {
                var readers =
                        links.stream().filter(link -> reads(link, launch.getStdinTask())).toList();
                var copier = new InputFeed(readers, input, in.memory()::isSuspended);
                feed = copier;
                threads.add(Thread.ofVirtual().name("srun-input").unstarted(copier::copy));
            }
            links.forEach(link ->
                    threads.addFirst(
                            Thread.ofVirtual()
                                    .name("srun-" + link.node().getNode())
                                    .unstarted(() -> listen(link))));
            threads.forEach(Thread::start);
            follow();
            if (board.wasKilled() && !announcedAbort && (!cancelled || killsOnBadExit())) {
                voice.say("Force Terminated StepId=" + stepId);
            }
            return board.exitCode();
        } finally {
            if (board.isRunning()) {
                cancelStep();
            }
            threads.forEach(Thread::interrupt);
            links.forEach(NodeLink::cancel);
        }
    }

    private NodeLink link(int position, RunStep launch) {
        var node = step.getNodes(position);
        voice.mention(
                "launching StepId=%s on host %s, %d tasks: %s"
                        .formatted(
                                stepId,
                                node.getNode(),
                                node.getTaskIdsCount(),
                                Ranks.list(node.getTaskIdsList())));
        return new NodeLink(
                node,
                stepId,
                launch,
                () -> AgentStream.open(controller.agent(node.getAddress(), node.getNode())),
                outputs,
                in.memory()
                        .recall(Remembered.node(position))
                        .map(ByteString::copyFrom)
                        .orElse(ByteString.EMPTY),
                board::isOver,
                this);
    }

    private static boolean reads(NodeLink link, int task) {
        return task == -1 || link.node().getTaskIdsList().contains(task);
    }

    private void listen(NodeLink link) {
        try {
            link.run();
        } catch (CallerGoneException gone) {
            events.add(new Gone(gone));
        } catch (IOException e) {
            voice.error(
                    "Could not write the output of %s: %s"
                            .formatted(link.node().getNode(), e.getMessage()));
            events.add(new Gone(new CallerGoneException("output cannot be written")));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // srun ends
        } finally {
            var current = feed;
            if (current != null) {
                current.done(link);
            }
            events.add(new NodeDone());
        }
    }

    private void follow() throws InterruptedException {
        int open = links.size();
        while (open > 0) {
            var until = deadline;
            var event =
                    until == null
                            ? events.next()
                            : events.next(Duration.ofNanos(until - System.nanoTime()));
            switch (event) {
                case null -> {
                    if (jobEnded) {
                        voice.error("Timed out waiting for job step to complete");
                        board.failed(1);
                        return;
                    }
                    waitedLongEnough();
                }
                case NodeDone() -> open--;
                case TasksDone(var wentWell) -> someTaskEnded(wentWell);
                case NodeFailed(var node, var why) -> {
                    voice.error(
                            "Task launch for StepId=%s failed on node %s: %s"
                                    .formatted(stepId, node, why));
                    board.failed(1);
                    cancelStep();
                }
                case JobEvents.Changed(var update) -> {
                    if (update.getEnded() || JobWatch.hasEnded(update.getJob())) {
                        afterTheSupervisorsLine();
                    }
                    if (update.getEnded()) {
                        jobEnded = true;
                        deadline = System.nanoTime() + AFTER_THE_END.toNanos();
                    }
                }
                case JobEvents.Caught(var signal) -> {
                    if (isLast(signal)) {
                        return;
                    }
                }
                case Gone(var why) -> throw why;
                case JobEvents.Event _ -> {} // the controller may be silent: the agents still tell
            }
        }
    }

    private void someTaskEnded(boolean wentWell) {
        // The supervisor of the task that failed may have been faster.
        if (!wentWell
                && killsOnBadExit()
                && !saidTerminating
                && (board.isRunning() || board.wasKilled())) {
            saidTerminating = true;
            voice.say(TERMINATING + stepId);
            if (board.isRunning()) {
                cancelStep();
            }
        }
        int wait = arguments.get(SrunOptions.WAIT, 0);
        if (wait > 0 && deadline == null) {
            deadline = System.nanoTime() + Duration.ofSeconds(wait).toNanos();
        }
    }

    private boolean killsOnBadExit() {
        return arguments.get(SrunOptions.KILL_ON_BAD_EXIT, false);
    }

    private void waitedLongEnough() {
        deadline = null;
        if (!cancelled && board.isRunning()) {
            voice.say("First task exited %ds ago".formatted(arguments.get(SrunOptions.WAIT, 0)));
            board.show();
            voice.say(TERMINATING + stepId);
            cancelStep();
        }
    }

    /// Acts on a signal to srun. True when srun shall leave without waiting for anybody.
    private boolean isLast(ProcessSignal signal) {
        return switch (signal) {
            case INT -> isLastInterrupt();
            case TERM, HUP, QUIT -> {
                if (cancelled) {
                    board.failed(128 + signal.number());
                    yield true;
                }
                voice.say("forcing job termination");
                announceAbort();
                cancelStep();
                yield false;
            }
            case WINCH -> {
                if (arguments.has(SrunOptions.PTY)) {
                    links.getFirst().send(StepInput.newBuilder().setResize(size(in)).build());
                }
                yield false;
            }
            case USR1, USR2, ALRM -> {
                signalTasks(signal);
                yield false;
            }
            case CONT, TSTP -> false; // for srun itself
        };
    }

    private boolean isLastInterrupt() {
        var meaning =
                interrupts.next(
                        arguments.has(SrunOptions.QUIT_ON_INTERRUPT),
                        arguments.has(SrunOptions.DISABLE_STATUS));
        return switch (meaning) {
            case SHOW -> {
                voice.say("interrupt (one more within 1 sec to abort)");
                board.show();
                yield false;
            }
            case FORWARD -> {
                voice.say("sending Ctrl-C to StepId=" + stepId);
                signalTasks(INT);
                yield false;
            }
            case ABORT -> {
                voice.say("sending Ctrl-C to StepId=" + stepId);
                signalTasks(INT);
                announceAbort();
                cancelStep();
                yield false;
            }
            case LEAVE -> {
                voice.say("forcing job termination");
                cancelStep();
                board.failed(128 + INT.number());
                yield true;
            }
        };
    }

    /// The supervisors tell on the tasks' error stream why they end; they get a moment to be first.
    private void afterTheSupervisorsLine() {
        threads.add(
                Thread.ofVirtual()
                        .name("srun-abort")
                        .start(() -> {
                            try {
                                Thread.sleep(SUPERVISORS_FIRST);
                                announceAbort();
                            } catch (CallerGoneException _) {
                                // nobody is there to be told
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt(); // the step has ended
                            }
                        }));
    }

    private void signalTasks(ProcessSignal signal) {
        var message =
                StepInput.newBuilder()
                        .setSignal(StepSignal.newBuilder().setSignal(signal.number()))
                        .build();
        links.forEach(link -> link.send(message));
    }

    private void cancelStep() {
        if (cancelled) {
            return;
        }
        cancelled = true;
        var request =
                CancelJobsRequest.newBuilder()
                        .setRequestId(in.newRequestId())
                        .addIds(stepId)
                        .build();
        LastRequest.send(
                in,
                voice,
                "step " + stepId,
                () -> controller.call(stub -> stub.cancelJobs(request)));
    }

    @Override
    public void started(NodeLink link) {
        board.started(link.node().getTaskIdsList());
        voice.mention(
                "launch/slurm: _task_start: Node %s, %d tasks started"
                        .formatted(link.node().getNode(), link.node().getTaskIdsCount()));
    }

    /// With `--kill-on-bad-exit` the tasks are ended because of one of them, which is told of.
    @Override
    public void cancelled() {
        if (!killsOnBadExit()) {
            announceAbort();
        }
    }

    /// Called by all threads: the line stands once, before what the tasks' ends say.
    private synchronized void announceAbort() {
        if (!announcedAbort && board.isRunning()) {
            announcedAbort = true;
            voice.say(
                    "Job step aborted: Waiting up to %d seconds for job step to finish."
                            .formatted(killWait + 2));
        }
    }

    @Override
    public void tasksEnded(NodeLink link, List<TaskEnded> tasks) {
        board.ended(link.node().getNode(), tasks);
        in.memory().keep(Remembered.TASKS, board.toBytes());
        events.add(new TasksDone(tasks.stream().allMatch(TaskBoard::wentWell)));
    }

    @Override
    public void inputTaken(NodeLink link, long offset) {
        var current = feed;
        if (current != null) {
            current.taken(link, offset);
        }
    }

    @Override
    public void mayComeBack(NodeLink link, ByteString cookie) {
        in.memory().keep(Remembered.node(links.indexOf(link)), cookie.toByteArray());
    }

    @Override
    public void lost(NodeLink link, String why) {
        voice.mention(
                "lost the agent of node %s (%s), waiting for it"
                        .formatted(link.node().getNode(), why));
    }

    @Override
    public void attachedAgain(NodeLink link) {
        var current = feed;
        if (current != null) {
            current.repeat(link);
        }
    }

    @Override
    public void failed(NodeLink link, String why) {
        events.add(new NodeFailed(link.node().getNode(), why));
    }

    static TerminalSize size(Invocation in) {
        var size = in.terminal().size();
        return TerminalSize.newBuilder().setRows(size.rows()).setColumns(size.columns()).build();
    }
}
