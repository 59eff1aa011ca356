package dev.spur.agent.io;

import com.google.protobuf.ByteString;
import dev.spur.agent.launch.StepPlanner;
import dev.spur.agent.reach.CallingHost;
import dev.spur.agent.registration.AgentSession;
import dev.spur.agent.step.LaunchException;
import dev.spur.agent.step.NodeSteps;
import dev.spur.agent.step.StepAttachment;
import dev.spur.agent.step.StepGoneException;
import dev.spur.agent.step.StepHandle;
import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepListener;
import dev.spur.agent.step.StepStatus;
import dev.spur.agent.step.SupervisedStep.StreamPosition;
import dev.spur.api.bounds.RequestBounds;
import dev.spur.api.v1.AttachStep;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.LaunchFault;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepEnded;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepSignal;
import dev.spur.api.v1.StepStarted;
import dev.spur.api.v1.TaskEnded;
import dev.spur.model.SpurException;
import dev.spur.model.StepId;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One caller at the streams of one step.
///
/// Output waits for the caller: the thread that reads from the supervisor stops here while the
/// transport is not ready, the supervisor's ring fills up and the task's write blocks. Input waits
/// for the tasks: at most a window of it goes to the supervisor, the rest is held here.
final class StepCall implements StepListener, StepAttachment.Receiver {
    private static final Logger log = LoggerFactory.getLogger(StepCall.class);
    private static final int INPUT_WINDOW = 64 << 10;
    private static final int MOST_HELD_INPUT = 4 << 20;
    private static final int COST_OF_A_PIECE = 256; // also of an empty one
    private static final int KILL = 9;
    private static final int MOST_ATTEMPTS = 5;
    private static final long PAUSE_NANOS = 200_000_000;

    private final AgentSession session;
    private final NodeSteps steps;
    private final StepPlanner planner;
    private final ServerCallStreamObserver<StepOutput> responses;
    private final @Nullable String from = CallingHost.current();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ready = lock.newCondition();
    private final OutputWindow window = new OutputWindow();
    private final Set<Integer> endedTasks = new HashSet<>();
    private final ArrayDeque<IoData> heldInput = new ArrayDeque<>();
    private @Nullable StepHandle handle;
    private @Nullable StepAttachment attachment;
    private long inputReceived;
    private long heldCost;
    private boolean full;
    private long inputSent;
    private long inputTaken;
    private int openStreams = -1;
    private boolean looksOn;
    private boolean mayType;
    private boolean startedSent;
    private boolean stepEnded;
    private boolean lost;
    private boolean saidAll;
    private boolean callerIsDone;
    private boolean finished;

    StepCall(
            AgentSession session,
            NodeSteps steps,
            StepPlanner planner,
            ServerCallStreamObserver<StepOutput> responses) {
        this.session = session;
        this.steps = steps;
        this.planner = planner;
        this.responses = responses;
    }

    StreamObserver<StepInput> begin() {
        responses.disableAutoRequest();
        responses.setOnReadyHandler(this::wake);
        responses.setOnCancelHandler(() -> leave(false));
        responses.request(1);
        return new StreamObserver<>() {
            @Override
            public void onNext(StepInput input) {
                try {
                    obey(input);
                } catch (RuntimeException e) {
                    log.atWarn().setCause(e).log("a request of srun makes no sense");
                    fail("the request makes no sense here: " + e.getMessage());
                }
                askForMore();
            }

            @Override
            public void onError(Throwable error) {
                leave(false);
            }

            @Override
            public void onCompleted() {
                nothingMoreToSay();
            }
        };
    }

    private void obey(StepInput input) {
        if (!session.isRegistered()) { // this agent has just started
            comeBackLater("the node's agent has not registered with the controller yet");
            return;
        }
        switch (input.getInputCase()) {
            case RUN -> start(input.getRun());
            case ATTACH -> attach(input.getAttach());
            case STDIN -> input(input.getStdin());
            case SIGNAL -> signal(input.getSignal());
            case RESIZE -> resize(input.getResize().getRows(), input.getResize().getColumns());
            case CREDIT -> credit(input.getCredit().getBytes());
            case INPUT_NOT_SET -> {}
        }
    }

    // ---- beginning ----

    private void start(RunStep run) {
        try {
            RequestBounds.require(run);
            var plan = planner.step(session.verify(run.getLaunch()), run);
            if (plan.tasks().isEmpty()) {
                throw new LaunchException(
                        "step %s has no tasks on this node".formatted(plan.key()),
                        LaunchFault.FAULT_LAUNCH);
            }
            // A caller whose first attempt broke off comes again with the same launch.
            var running = steps.find(plan.key(), this);
            join(running.isPresent() ? running.get() : steps.launch(plan, this), List.of());
        } catch (LaunchException | SpurException e) {
            fail(String.valueOf(e.getMessage()));
        }
    }

    private void attach(AttachStep request) {
        try {
            looksOn = request.hasReach();
            var step = looksOn ? granted(request) : proven(request);
            var found = looksOn ? steps.lookOn(step, this) : steps.find(step, this);
            if (found.isEmpty()) {
                throw new LaunchException(
                        "the step is not on this node any more", LaunchFault.FAULT_LAUNCH);
            }
            join(found.get(), positions(request, found.get().status()));
        } catch (LaunchException e) {
            fail(String.valueOf(e.getMessage()));
        } catch (StatusException e) {
            refuse(e);
        }
    }

    /// The execution that the controller lets somebody look at.
    private StepKey granted(AttachStep request) throws StatusException {
        var reach = session.verify(request.getReach(), from);
        if (!reach.hasStep()) {
            throw Status.PERMISSION_DENIED
                    .withDescription("the controller's word is not for a step")
                    .asException();
        }
        mayType = reach.getStep().getInput();
        return new StepKey(reach.getJobId(), new StepId(reach.getStepId()), reach.getAttempt());
    }

    private void refuse(StatusException why) {
        lock.lock();
        try {
            if (!finished) {
                finished = true;
                responses.onError(why);
                leaveStep(false);
            }
        } finally {
            lock.unlock();
        }
    }

    /// The execution that the caller has run: attempts of one job have steps of the same number.
    private StepKey proven(AttachStep request) throws LaunchException {
        var key = session.nodeKey();
        var cookie = request.getCookie().toByteArray();
        var known = steps.executionsOf(request.getJobId(), new StepId(request.getStepId()));
        for (var step : known) {
            if (StepCookie.isGenuine(cookie, step, key)) {
                return step;
            }
        }
        throw new LaunchException(
                known.isEmpty()
                        ? "the step is not on this node any more"
                        : "the step belongs to somebody else",
                LaunchFault.FAULT_LAUNCH);
    }

    private static List<StreamPosition> positions(AttachStep request, @Nullable StepStatus status) {
        var positions = new ArrayList<StreamPosition>();
        for (var task : request.getOffsetsList()) {
            positions.add(new StreamPosition(task.getTask(), 1, task.getOutOffset()));
            positions.add(new StreamPosition(task.getTask(), 2, task.getErrOffset()));
        }
        if (positions.isEmpty() && status != null && status.tasks().size() == 1) {
            var rank = status.tasks().getFirst().rank();
            positions.add(new StreamPosition(rank, 1, request.getOutOffset()));
            positions.add(new StreamPosition(rank, 2, request.getErrOffset()));
        }
        return positions;
    }

    private void join(StepHandle step, List<StreamPosition> resumeAt) {
        lock.lock();
        try {
            handle = step;
            if (finished) {
                step.leave(false); // the caller hung up meanwhile
                return;
            }
        } finally {
            lock.unlock();
        }
        var trouble = tryToAttach(step, resumeAt);
        if (trouble != null) {
            log.atError()
                    .addKeyValue("step", step.key())
                    .addKeyValue("cause", trouble.toString())
                    .log("a step's output cannot be reached");
            fail("its output cannot be reached: " + trouble.getMessage());
            return;
        }
        var status = step.status();
        if (status != null) {
            changed(status);
        }
    }

    /// Only a step that has ended may be without streams; whatever else is in the way is tried
    /// again for a while.
    ///
    /// @return what kept us from them, null if nothing did
    private @Nullable IOException tryToAttach(StepHandle step, List<StreamPosition> resumeAt) {
        for (var attempt = 1; ; attempt++) {
            lock.lock();
            try {
                if (finished) {
                    return null;
                }
                attachment =
                        looksOn
                                ? step.step().lookOn(resumeAt, this)
                                : step.step().attach(resumeAt, this);
                return null;
            } catch (StepGoneException e) {
                if (hasEnded(step)) {
                    if (step.wasCutOff()) {
                        return new IOException("the end of it was lost with the step supervisor");
                    }
                    openStreams = 0; // only the exit is left to tell
                    return null;
                }
                if (attempt == MOST_ATTEMPTS) {
                    return e;
                }
            } catch (IOException e) {
                if (attempt == MOST_ATTEMPTS) {
                    return e;
                }
            } finally {
                lock.unlock();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static boolean hasEnded(StepHandle step) {
        var status = step.status();
        return status != null && status.hasEnded();
    }

    // ---- from the step ----

    @Override
    public void changed(StepStatus status) {
        lock.lock();
        try {
            if (finished || handle == null) {
                return; // join() asks for the status when it is ready for it
            }
            if (!startedSent && status.state() != StepStatus.State.STARTING) {
                startedSent = true;
                ready.signalAll();
                send(StepOutput.newBuilder().setStarted(started(status)).build());
            }
            for (var task : status.tasks()) {
                if (task.ended() && endedTasks.add(task.rank())) {
                    send(StepOutput.newBuilder().setTaskEnded(ended(task, status)).build());
                }
            }
            if (status.hasEnded()) {
                stepEnded = true;
                ready.signalAll();
            }
            if (status.hasEnded() && !status.error().isEmpty()) {
                complain(status);
            }
            finishIfDone();
        } finally {
            lock.unlock();
        }
    }

    private StepStarted started(StepStatus status) {
        var started = StepStarted.newBuilder();
        status.tasks().forEach(task -> started.addPids(task.pid()));
        try {
            if (handle != null && !looksOn) { // a proof of having run it
                started.setCookie(
                        ByteString.copyFrom(StepCookie.of(handle.key(), session.nodeKey())));
            }
        } catch (LaunchException e) {
            log.atDebug().addKeyValue("cause", e.getMessage()).log("no cookie without a node key");
        }
        return started.build();
    }

    private static TaskEnded ended(StepStatus.Task task, StepStatus status) {
        return TaskEnded.newBuilder()
                .setTask(task.rank())
                .setExitCode(task.code())
                .setExitSignal(task.signal())
                .setOutOfMemory(status.outOfMemory() && task.signal() == KILL)
                .build();
    }

    @Override
    public void lost(String because) {
        lock.lock();
        try {
            lost = true;
            fail(because);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void attached(long inputOffset, int streams) {
        lock.lock();
        try {
            inputSent = Math.max(inputSent, inputOffset);
            inputTaken = Math.max(inputTaken, inputOffset);
            openStreams = streams;
            passInput();
            finishIfDone();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void output(StreamPosition at, byte[] data) {
        lock.lock();
        try {
            while (!(startedSent && responses.isReady()) && !finished) {
                ready.awaitUninterruptibly(); // what is read here is nowhere else any more
            }
            if (finished) {
                return;
            }
            var piece =
                    IoData.newBuilder()
                            .setTask(at.rank())
                            .setOffset(at.offset())
                            .setData(ByteString.copyFrom(data));
            var message = StepOutput.newBuilder();
            send((at.stream() == 1 ? message.setStdout(piece) : message.setStderr(piece)).build());
            letGo(window.sent(at, data.length));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void outputEnded(StreamPosition at) {
        lock.lock();
        try {
            while (!startedSent && !finished) {
                ready.awaitUninterruptibly();
            }
            if (!finished) {
                var piece =
                        IoData.newBuilder().setTask(at.rank()).setOffset(at.offset()).setEof(true);
                var message = StepOutput.newBuilder();
                send(
                        (at.stream() == 1 ? message.setStdout(piece) : message.setStderr(piece))
                                .build());
            }
            openStreams--;
            finishIfDone();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void inputTaken(long offset) {
        lock.lock();
        try {
            inputTaken = offset;
            if (startedSent && !finished) {
                send(StepOutput.newBuilder().setStdinTaken(offset).build());
            }
            passInput();
        } finally {
            lock.unlock();
        }
    }

    /// Before all streams have ended that is no end of theirs: the caller comes back for the rest.
    @Override
    public void detached() {
        lock.lock();
        try {
            var current = handle;
            stepEnded |= current != null && hasEnded(current);
            if (finished || openStreams == 0) {
                finishIfDone();
                return;
            }
            awaitWordOfTheStep();
            if (!finished && current != null && openStreams > 0 && !looksOn) {
                current.cutOff();
            }
            comeBackLater("the connection to the step's output broke");
        } finally {
            lock.unlock();
        }
    }

    /// A supervisor that was killed is told of in a moment, in better words than ours.
    private void awaitWordOfTheStep() {
        var left = MOST_ATTEMPTS * PAUSE_NANOS;
        try {
            while (!finished && !stepEnded && left > 0) {
                left = ready.awaitNanos(left);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// What kept tasks from starting is told where they would have told it.
    private void complain(StepStatus status) {
        var rank = status.tasks().isEmpty() ? 0 : status.tasks().getFirst().rank();
        var line = "slurmstepd-%s: error: %s\n".formatted(session.node(), status.error());
        send(
                StepOutput.newBuilder()
                        .setStderr(
                                IoData.newBuilder()
                                        .setTask(rank)
                                        .setData(ByteString.copyFromUtf8(line)))
                        .build());
    }

    /// What was sent may be on its way to a caller that has died: the step's streams are kept until
    /// it says by the end of its own that it has everything.
    private void finishIfDone() {
        if (finished || saidAll || lost || !stepEnded || openStreams != 0) {
            return;
        }
        saidAll = true;
        send(StepOutput.newBuilder().setStepEnded(StepEnded.getDefaultInstance()).build());
        completeIfHeard();
    }

    private void nothingMoreToSay() {
        lock.lock();
        try {
            callerIsDone = true;
            completeIfHeard();
        } finally {
            lock.unlock();
        }
    }

    private void completeIfHeard() {
        if (!finished && saidAll && callerIsDone) {
            finished = true;
            responses.onCompleted();
            leaveStep(true);
        }
    }

    private void comeBackLater(String because) {
        lock.lock();
        try {
            if (!finished) {
                finished = true;
                responses.onError(Status.UNAVAILABLE.withDescription(because).asRuntimeException());
                leaveStep(false);
            }
        } finally {
            lock.unlock();
        }
    }

    private void fail(String why) {
        lock.lock();
        try {
            if (finished || saidAll) {
                return;
            }
            send(StepOutput.newBuilder().setFailed(why).build());
            finished = true;
            ready.signalAll(); // whoever waits for the caller waits in vain now
            responses.onCompleted();
            leaveStep(false);
        } finally {
            lock.unlock();
        }
    }

    // ---- from the caller ----

    /// Takes the next message unless too much input waits for the tasks already.
    private void askForMore() {
        lock.lock();
        try {
            full = heldCost > MOST_HELD_INPUT;
            if (!full) {
                responses.request(1);
            }
        } finally {
            lock.unlock();
        }
    }

    private void input(IoData data) {
        if (looksOn) {
            type(data);
            return;
        }
        lock.lock();
        try {
            // A caller that does not count its bytes sends 0 every time.
            var offset = data.getOffset() == 0 ? inputReceived : data.getOffset();
            inputReceived = offset + data.getData().size();
            heldCost += cost(data);
            heldInput.addLast(data.toBuilder().setOffset(offset).build());
            passInput();
        } finally {
            lock.unlock();
        }
    }

    /// Beside what the step's own caller sends; that it has no more to say ends nobody's input.
    private void type(IoData data) {
        var to = attachment;
        if (to != null && mayType && !data.getData().isEmpty()) {
            to.type(data.getTask(), data.getData().toByteArray());
        }
    }

    private void passInput() {
        var to = attachment;
        while (to != null
                && openStreams >= 0
                && !heldInput.isEmpty()
                && inputSent - inputTaken < INPUT_WINDOW) {
            var data = heldInput.removeFirst();
            heldCost -= cost(data);
            if (!data.getData().isEmpty()) {
                to.input(data.getTask(), data.getOffset(), data.getData().toByteArray());
                inputSent = Math.max(inputSent, data.getOffset() + data.getData().size());
            }
            if (data.getEof()) {
                to.endInput(data.getTask());
            }
        }
        if (full && heldCost <= MOST_HELD_INPUT) {
            full = false;
            responses.request(1);
        }
    }

    private static int cost(IoData data) {
        return COST_OF_A_PIECE + data.getData().size();
    }

    private void signal(StepSignal request) {
        var current = handle;
        if (current != null && (!looksOn || mayType)) {
            current.step().signal(request.getSignal(), false, "");
        }
    }

    private void resize(int rows, int columns) {
        var to = attachment;
        if (to != null && (!looksOn || mayType)) {
            to.resize(rows, columns);
        }
    }

    private void credit(int bytes) {
        lock.lock();
        try {
            letGo(window.credit(Integer.toUnsignedLong(bytes)));
        } finally {
            lock.unlock();
        }
    }

    private void letGo(List<StreamPosition> upTo) {
        var to = attachment;
        if (to != null && !looksOn) {
            upTo.forEach(to::seen);
        }
    }

    private void wake() {
        lock.lock();
        try {
            ready.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void send(StepOutput output) {
        try {
            responses.onNext(output);
        } catch (IllegalStateException | io.grpc.StatusRuntimeException e) {
            log.atDebug().addKeyValue("cause", e.toString()).log("the caller has gone");
        }
    }

    private void leave(boolean delivered) {
        lock.lock();
        try {
            finished = true;
            ready.signalAll();
            leaveStep(delivered);
        } finally {
            lock.unlock();
        }
    }

    private void leaveStep(boolean delivered) {
        if (attachment != null) {
            attachment.close();
        }
        if (handle != null) {
            handle.leave(delivered);
        }
    }
}
