package dev.spur.cloud.reach;

import com.google.protobuf.ByteString;
import dev.spur.api.reach.AgentStream;
import dev.spur.api.v1.AttachStep;
import dev.spur.api.v1.CreatedStep;
import dev.spur.api.v1.Credit;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepServiceGrpc;
import dev.spur.api.v1.StepSignal;
import dev.spur.api.v1.TaskEnded;
import dev.spur.api.v1.TaskOffsets;
import dev.spur.api.v1.TerminalSize;
import io.grpc.Status;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One step with one task, and its streams. Comes back by itself to an agent that was restarted,
/// behind what it has had, as srun does.
///
/// ```
///  run ──▶ started ──▶ output, end of the task ──▶ step ended
///            │ lost              ▲
///            └──── attach ───────┘   for a minute
/// ```
final class StepProgram implements RunningProgram {
    private static final Duration STARTED_WITHIN = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration DIES_WITHIN = Duration.ofSeconds(3);
    private static final int CREDIT_AT_LEAST = 64 << 10;
    private static final int HUP = 1;
    private static final int CONT = 18;
    private static final int KILL = 9;

    private final Supplier<StepServiceGrpc.StepServiceStub> agent;
    private final CreatedStep step;
    private final String node;
    private final Pipe output = new Pipe();
    private final Pipe error = new Pipe();
    private final StepInputs input = new StepInputs(this::sendInput);
    private final CompletableFuture<Boolean> started = new CompletableFuture<>();
    private final CompletableFuture<ProgramEnd> end = new CompletableFuture<>();
    private volatile AgentStream stream;
    private ByteString cookie = ByteString.EMPTY;
    private @Nullable TaskEnded taskEnded;
    private long outOffset;
    private long errorOffset;
    private int uncredited;
    private long heardAt = System.nanoTime();
    private volatile boolean closed;

    private StepProgram(
            Supplier<StepServiceGrpc.StepServiceStub> agent, CreatedStep step, AgentStream stream) {
        this.agent = agent;
        this.step = step;
        this.node = step.getNodes(0).getNode();
        this.stream = stream;
    }

    /// @throws NotReachedException if the node does not start it
    static StepProgram start(
            Supplier<StepServiceGrpc.StepServiceStub> agent, CreatedStep step, RunStep run)
            throws InterruptedException {
        var program = new StepProgram(agent, step, AgentStream.open(agent.get()));
        program.stream.send(StepInput.newBuilder().setRun(run).build());
        Thread.ofVirtual().name("step-program").start(program::follow);
        try {
            program.started.get(STARTED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            return program;
        } catch (TimeoutException e) {
            program.close();
            throw new NotReachedException(
                    "node %s does not start it in time".formatted(program.node), e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof NotReachedException why) {
                throw why;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            program.close();
            throw e;
        }
    }

    private void follow() {
        ProgramEnd how;
        try {
            how = untilItsEnd();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            how = new ProgramEnd.Lost("the service stops");
        } catch (RuntimeException e) {
            how = new ProgramEnd.Lost("node %s: %s".formatted(node, e.getMessage()));
        }
        stream.cancel();
        input.over();
        output.end();
        error.end();
        started.completeExceptionally(
                new NotReachedException(
                        how instanceof ProgramEnd.Lost(var why) ? why : "it ended at once"));
        end.complete(how);
    }

    private ProgramEnd untilItsEnd() throws InterruptedException {
        while (true) {
            var broken = converse();
            if (broken == null) {
                return how();
            }
            var mayPass =
                    broken.isOk()
                            || broken.getCode() == Status.Code.UNAVAILABLE && !cookie.isEmpty();
            if (closed || !mayPass || System.nanoTime() - heardAt > PATIENCE.toNanos()) {
                return new ProgramEnd.Lost(
                        "node %s: %s"
                                .formatted(
                                        node,
                                        Objects.requireNonNullElse(
                                                broken.getDescription(), "the connection broke")));
            }
            Thread.sleep(PAUSE);
            comeBack();
        }
    }

    private ProgramEnd how() {
        var task = taskEnded;
        if (task == null) {
            return new ProgramEnd.Lost("the session ended");
        }
        return task.getExitSignal() > 0
                ? new ProgramEnd.Signalled(task.getExitSignal())
                : new ProgramEnd.Exited(task.getExitCode());
    }

    private void comeBack() {
        stream = AgentStream.open(agent.get());
        stream.send(
                StepInput.newBuilder()
                        .setAttach(
                                AttachStep.newBuilder()
                                        .setJobId(step.getJobId())
                                        .setStepId(step.getStepId())
                                        .setCookie(cookie)
                                        .addOffsets(
                                                TaskOffsets.newBuilder()
                                                        .setTask(0)
                                                        .setOutOffset(outOffset)
                                                        .setErrOffset(errorOffset)))
                        .build());
        input.repeat();
    }

    /// Null when the step has ended, else how the connection did.
    private @Nullable Status converse() throws InterruptedException {
        while (true) {
            switch (stream.next()) {
                case AgentStream.Arrival.Message(var message) -> {
                    heardAt = System.nanoTime();
                    if (take(message)) {
                        stream.part();
                        return null;
                    }
                }
                case AgentStream.Arrival.Closed(var status) -> {
                    return status;
                }
            }
        }
    }

    private boolean take(StepOutput message) throws InterruptedException {
        switch (message.getOutputCase()) {
            case STARTED -> {
                cookie = message.getStarted().getCookie();
                started.complete(true);
            }
            case STDOUT -> outOffset = pass(output, message.getStdout(), outOffset);
            case STDERR -> errorOffset = pass(error, message.getStderr(), errorOffset);
            case TASK_ENDED -> taskEnded = message.getTaskEnded();
            case STDIN_TAKEN -> input.taken(message.getStdinTaken());
            case STEP_ENDED -> {
                return true;
            }
            case FAILED -> {
                started.completeExceptionally(
                        new NotReachedException(
                                "node %s: %s".formatted(node, message.getFailed())));
                throw new NotReachedException(message.getFailed());
            }
            case OUTPUT_NOT_SET -> {} // of a newer agent
        }
        return false;
    }

    /// @return up to where the stream has arrived
    private long pass(Pipe pipe, IoData data, long before) throws InterruptedException {
        if (data.getEof()) {
            pipe.end();
            return before;
        }
        // The supervisor's own lines have no place in the stream.
        var known =
                data.getOffset() == 0 && before > 0
                        ? 0
                        : (int) Math.clamp(before - data.getOffset(), 0, data.getData().size());
        pipe.fill(data.getData().substring(known).toByteArray());
        uncredited += data.getData().size();
        if (uncredited >= CREDIT_AT_LEAST || stream.isIdle()) {
            stream.send(
                    StepInput.newBuilder()
                            .setCredit(Credit.newBuilder().setBytes(uncredited))
                            .build());
            uncredited = 0;
        }
        return Math.max(before, data.getOffset() + data.getData().size());
    }

    private void sendInput(StepInput piece) {
        stream.send(piece);
    }

    @Override
    public InputStream output() {
        return output;
    }

    @Override
    public InputStream error() {
        return error;
    }

    @Override
    public OutputStream input() {
        return input;
    }

    @Override
    public void resize(int rows, int columns) {
        stream.send(
                StepInput.newBuilder()
                        .setResize(TerminalSize.newBuilder().setRows(rows).setColumns(columns))
                        .build());
    }

    @Override
    public void signal(int number) {
        stream.send(
                StepInput.newBuilder()
                        .setSignal(StepSignal.newBuilder().setSignal(number))
                        .build());
    }

    @Override
    public ProgramEnd await() throws InterruptedException {
        try {
            return end.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /// As a terminal that is hung up, and then for good.
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        input.close();
        output.close();
        error.close();
        if (!end.isDone()) {
            Thread.ofVirtual().name("step-end").start(this::kill);
        }
    }

    private void kill() {
        try {
            signal(HUP);
            signal(CONT);
            end.get(DIES_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            signal(KILL);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException _) {
            // it has ended
        }
    }
}
