package dev.spur.api.reach;

import com.google.protobuf.ByteString;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.TerminalSize;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;

/// Starts a shell beside a running job that outlives whoever started it: it ends with its command
/// or its job. See it, type to it and size it with a [StepView].
public final class TerminalStep {
    /// Of its output, for who comes later.
    private static final int KEPT = 1 << 20;

    private static final int UMASK = 0022;

    private static final Duration STARTED_WITHIN = Duration.ofSeconds(30);

    private final ControllerClient controller;

    public TerminalStep(ControllerClient controller) {
        this.controller = controller;
    }

    /// What to run.
    ///
    /// @param requestId the same for a repetition, which then finds the step that was made
    /// @param node of the job's; empty: its first
    /// @param environment `NAME=value`, each ended by a NUL
    public record Shell(
            String requestId,
            int jobId,
            String node,
            List<String> command,
            byte[] environment,
            String directory,
            String term,
            int rows,
            int columns) {
        public Shell {
            command = List.copyOf(command);
        }
    }

    /// @return the step's id, `12.0`
    /// @throws dev.spur.api.client.ControllerException if the controller refuses
    /// @throws OutputException if the node does not start it
    public String start(Shell shell) throws InterruptedException {
        var request =
                CreateStepRequest.newBuilder()
                        .setRequestId(shell.requestId())
                        .setJobId(shell.jobId())
                        .setName("terminal")
                        .setNodes(1)
                        .setMinNodes(1)
                        .setMaxNodes(1)
                        .setTasks(1)
                        .setNodeList(shell.node())
                        .setOverlap(true)
                        .build();
        var reply = controller.call(stub -> stub.createStep(request));
        if (!reply.hasCreated()) {
            throw new OutputException(Status.Code.UNAVAILABLE, reply.getBusy(), null);
        }
        var step = reply.getCreated();
        var node = step.getNodes(0);
        var run =
                RunStep.newBuilder()
                        .setLaunch(step.getLaunches(0))
                        .addAllArgv(shell.command())
                        .setEnvironment(ByteString.copyFrom(shell.environment()))
                        .setCwd(shell.directory())
                        .setPty(true)
                        .setTerm(shell.term())
                        .setTerminal(
                                TerminalSize.newBuilder()
                                        .setRows(shell.rows())
                                        .setColumns(shell.columns()))
                        .setUnbuffered(true)
                        .setUmask(UMASK)
                        .setKeptOutput(KEPT)
                        .build();
        var stream = AgentStream.open(controller.agent(node.getAddress(), node.getNode()));
        try {
            stream.send(StepInput.newBuilder().setRun(run).build());
            awaitStart(stream, node.getNode());
        } finally {
            stream.cancel(); // nobody waits for it any more, and it for nobody
        }
        return Integer.toUnsignedString(step.getJobId())
                + "."
                + Integer.toUnsignedString(step.getStepId());
    }

    private static void awaitStart(AgentStream stream, String node) throws InterruptedException {
        var deadline = System.nanoTime() + STARTED_WITHIN.toNanos();
        while (true) {
            var left = (deadline - System.nanoTime()) / 1_000_000;
            switch (left <= 0 ? null : stream.next(left)) {
                case null ->
                        throw new OutputException(
                                Status.Code.UNAVAILABLE,
                                "node %s does not say that the shell has started".formatted(node),
                                null);
                case AgentStream.Arrival.Message(var message) -> {
                    if (message.hasFailed()) {
                        throw new OutputException(
                                Status.Code.FAILED_PRECONDITION,
                                "node %s: %s".formatted(node, message.getFailed()),
                                null);
                    }
                    if (message.hasStarted()) {
                        return;
                    }
                }
                case AgentStream.Arrival.Closed(var status) ->
                        throw new OutputException(
                                status.getCode(),
                                "node %s: %s"
                                        .formatted(node, String.valueOf(status.getDescription())),
                                null);
            }
        }
    }
}
