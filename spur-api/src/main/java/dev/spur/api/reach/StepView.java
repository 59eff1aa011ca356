package dev.spur.api.reach;

import com.google.protobuf.ByteString;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.AttachStep;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.ReachStepReply;
import dev.spur.api.v1.ReachStepRequest;
import dev.spur.api.v1.SignedReach;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepNode;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepSignal;
import dev.spur.api.v1.TaskOffsets;
import dev.spur.api.v1.TerminalSize;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Looks on at a running step, beside the caller that runs it and others who look on: nothing waits
/// for this one, and its end ends nothing. Comes back by itself to an agent that was restarted,
/// behind what it has had.
///
/// ```
///  ReachStep ──▶ one word of the controller per node
///     ▲               │
///     │ agent gone    ▼
///     └────────── attach ──▶ output, ends of tasks ──▶ step ended
/// ```
public final class StepView implements AutoCloseable {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /// A task's stream, and up to where it is wanted no more.
    private record Stream(int task, int number) {}

    private final ControllerClient controller;
    private final String id;
    private final StepSink sink;
    private final ReachStepReply step;
    private final Map<Stream, Long> offsets = new ConcurrentHashMap<>();
    private final Map<String, AgentStream> links = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Object connecting = new Object();
    private boolean wasConnected;
    private @Nullable TerminalSize size;
    private volatile boolean closed;
    private volatile @Nullable Exception failure;

    private StepView(ControllerClient controller, String id, StepSink sink, ReachStepReply step) {
        this.controller = controller;
        this.id = id;
        this.sink = sink;
        this.step = step;
    }

    /// Asks the controller; nothing is read before [#begin].
    ///
    /// @param id of a step, `12.0`
    /// @throws ControllerException if there is no such step, or it may not be seen
    public static StepView of(ControllerClient controller, String id, StepSink sink) {
        return new StepView(controller, id, sink, ask(controller, id));
    }

    private static ReachStepReply ask(ControllerClient controller, String id) {
        var request = ReachStepRequest.newBuilder().setId(id).build();
        return controller.call(stub -> stub.reachStep(request));
    }

    /// The step as it is laid out over its nodes.
    public ReachStepReply step() {
        return step;
    }

    /// Where to begin with a task's stream; without this with the oldest that is kept.
    public StepView from(int task, int number, long offset) {
        offsets.put(new Stream(task, number), offset);
        return this;
    }

    /// Begins to look on, a thread per node.
    public StepView begin() {
        for (var i = 0; i < step.getNodesCount(); i++) {
            var node = step.getNodes(i);
            var reach = step.getReaches(i);
            threads.add(
                    Thread.ofVirtual()
                            .name("step-view-" + node.getNode())
                            .start(() -> new Link(node).run(reach)));
        }
        return this;
    }

    /// Waits until the step has ended on every node.
    ///
    /// @throws OutputException if a node cannot be reached any more
    public void await() throws IOException, InterruptedException {
        for (var thread : threads) {
            thread.join();
        }
        switch (failure) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }

    /// Types to these tasks; lost where an agent is not there just now.
    ///
    /// @param task -1 for all
    public void type(int task, byte[] bytes) {
        var input =
                StepInput.newBuilder()
                        .setStdin(
                                IoData.newBuilder()
                                        .setTask(task)
                                        .setData(ByteString.copyFrom(bytes)))
                        .build();
        for (var node : step.getNodesList()) {
            if (task < 0 || node.getTaskIdsList().contains(task)) {
                send(node.getNode(), input);
            }
        }
    }

    /// Types to the only task, as fast as its node takes it; waits for the first connection.
    public void typeWhenReady(byte[] bytes) throws InterruptedException {
        var first = step.getNodes(0);
        AgentStream link;
        synchronized (connecting) {
            while (!wasConnected && !closed && failure == null) {
                connecting.wait();
            }
            link = links.get(first.getNode());
        }
        if (link != null) {
            link.sendWhenReady(
                    StepInput.newBuilder()
                            .setStdin(
                                    IoData.newBuilder()
                                            .setTask(first.getTaskIds(0))
                                            .setData(ByteString.copyFrom(bytes)))
                            .build());
        }
    }

    private void connected(String node, AgentStream stream) {
        synchronized (connecting) {
            links.put(node, stream);
            wasConnected = true;
            if (size != null && node.equals(step.getNodes(0).getNode())) {
                stream.send(StepInput.newBuilder().setResize(size).build());
            }
            if (closed) {
                stream.cancel();
            }
            connecting.notifyAll();
        }
    }

    /// Sets the size of the step's terminal, which is on its first node. It is said again to an
    /// agent that comes back.
    public void resize(int rows, int columns) {
        var wanted = TerminalSize.newBuilder().setRows(rows).setColumns(columns).build();
        synchronized (connecting) {
            size = wanted;
            send(step.getNodes(0).getNode(), StepInput.newBuilder().setResize(wanted).build());
        }
    }

    public void signal(int number) {
        var signal = StepSignal.newBuilder().setSignal(number);
        links.values().forEach(link -> link.send(StepInput.newBuilder().setSignal(signal).build()));
    }

    private void send(String node, StepInput input) {
        var link = links.get(node);
        if (link != null) {
            link.send(input);
        }
    }

    /// Looks on no more; the step goes on.
    @Override
    public void close() {
        closed = true;
        threads.forEach(Thread::interrupt);
        links.values().forEach(AgentStream::cancel);
        synchronized (connecting) {
            connecting.notifyAll();
        }
    }

    /// The part of the step on one node.
    private final class Link {
        private final StepNode node;
        private final Set<Integer> reported = new HashSet<>();
        private final Map<Stream, Long> seen = new HashMap<>();
        private Duration pause = FIRST_PAUSE;
        private long heardAt = System.nanoTime();
        private boolean told;

        Link(StepNode node) {
            this.node = node;
        }

        void run(SignedReach first) {
            try {
                var reach = first;
                while (!closed && !converse(reach)) {
                    Thread.sleep(pause);
                    var twice = pause.multipliedBy(2);
                    pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
                    var again = again();
                    if (again == null) {
                        return; // it has ended meanwhile, and what it said last with it
                    }
                    reach = again;
                }
            } catch (IOException | RuntimeException e) {
                fail(e);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // nobody looks on any more
            } finally {
                links.remove(node.getNode());
            }
        }

        /// The controller's word is good once.
        private @Nullable SignedReach again() {
            try {
                var now = ask(controller, id);
                return now.getReachesList().stream()
                        .filter(reach -> reach.getNode().equals(node.getNode()))
                        .findFirst()
                        .orElse(null);
            } catch (ControllerException e) {
                if (e.kind() == ControllerException.Kind.REFUSED) {
                    return null;
                }
                throw e;
            }
        }

        /// @return whether the step has ended here
        private boolean converse(SignedReach reach) throws IOException, InterruptedException {
            var stream = AgentStream.open(controller.agent(reach.getAddress(), reach.getNode()));
            try {
                stream.send(StepInput.newBuilder().setAttach(attach(reach)).build());
                connected(node.getNode(), stream);
                while (true) {
                    switch (stream.next()) {
                        case AgentStream.Arrival.Message(var message) -> {
                            heardAt = System.nanoTime();
                            if (take(message)) {
                                stream.part();
                                return true;
                            }
                        }
                        case AgentStream.Arrival.Closed(var status) -> {
                            judge(status);
                            return false;
                        }
                    }
                }
            } finally {
                stream.cancel();
            }
        }

        private AttachStep attach(SignedReach reach) {
            var attach =
                    AttachStep.newBuilder()
                            .setJobId(step.getJobId())
                            .setStepId(step.getStepId())
                            .setReach(reach);
            for (int task : node.getTaskIdsList()) {
                attach.addOffsets(
                        TaskOffsets.newBuilder()
                                .setTask(task)
                                .setOutOffset(offset(new Stream(task, 1)))
                                .setErrOffset(offset(new Stream(task, 2))));
            }
            return attach.build();
        }

        private long offset(Stream stream) {
            return seen.getOrDefault(stream, offsets.getOrDefault(stream, 0L));
        }

        /// @return whether that was the last
        private boolean take(StepOutput message) throws IOException {
            switch (message.getOutputCase()) {
                case STARTED -> {
                    told = false;
                    pause = FIRST_PAUSE;
                }
                case STDOUT -> pass(1, message.getStdout());
                case STDERR -> pass(2, message.getStderr());
                case TASK_ENDED -> {
                    if (reported.add(message.getTaskEnded().getTask())) {
                        sink.taskEnded(node.getNode(), message.getTaskEnded());
                    }
                }
                case STEP_ENDED -> {
                    return true;
                }
                case FAILED ->
                        throw new OutputException(
                                Status.Code.FAILED_PRECONDITION,
                                "node %s: %s".formatted(node.getNode(), message.getFailed()),
                                null);
                case STDIN_TAKEN, OUTPUT_NOT_SET -> {}
            }
            return false;
        }

        private void pass(int number, IoData data) throws IOException {
            var stream = new Stream(data.getTask(), number);
            var before = offset(stream);
            var end = data.getOffset() + data.getData().size();
            if (data.getEof()) {
                sink.ended(stream.task(), number);
                return;
            }
            if (data.getOffset() > before) {
                sink.missed(stream.task(), number, data.getOffset() - before);
            }
            var known =
                    (int) Math.max(0, Math.min(before - data.getOffset(), data.getData().size()));
            if (end > before) {
                sink.data(
                        stream.task(),
                        number,
                        data.getOffset() + known,
                        data.getData().substring(known).toByteArray());
                seen.put(stream, end);
            }
        }

        private void judge(Status status) {
            var why = Objects.requireNonNullElse(status.getDescription(), status.getCode().name());
            var mayPass = status.isOk() || status.getCode() == Status.Code.UNAVAILABLE;
            if (closed) {
                return;
            }
            if (!mayPass || System.nanoTime() - heardAt > PATIENCE.toNanos()) {
                throw new OutputException(
                        status.getCode(), "node %s: %s".formatted(node.getNode(), why), null);
            }
            if (!told) {
                told = true;
                sink.lost(node.getNode(), why);
            }
        }
    }

    private synchronized void fail(Exception why) {
        if (failure == null) {
            failure = why;
        }
        links.values().forEach(AgentStream::cancel);
        synchronized (connecting) {
            connecting.notifyAll();
        }
    }
}
