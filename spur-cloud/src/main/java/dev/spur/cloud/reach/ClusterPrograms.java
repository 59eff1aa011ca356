package dev.spur.cloud.reach;

import com.google.protobuf.ByteString;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.CreatedStep;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/// Programs as steps of a session's job, beside what runs there already, with all that the job has.
public final class ClusterPrograms implements Programs {
    private static final int UMASK = 0022;

    private final Supplier<ControllerClient> controller;
    private final SessionJob job;

    /// @param controller in the name of the session's user
    public ClusterPrograms(Supplier<ControllerClient> controller, SessionJob job) {
        this.controller = controller;
        this.job = job;
    }

    @Override
    public RunningProgram start(Program program) throws InterruptedException {
        try {
            var client = controller.get();
            var step = created(client, program);
            var node = step.getNodes(0);
            return StepProgram.start(
                    () -> controller.get().agent(node.getAddress(), node.getNode()),
                    step,
                    run(step, program));
        } catch (ControllerException e) {
            throw notReached(job, e);
        }
    }

    private CreatedStep created(ControllerClient client, Program program) {
        var request =
                CreateStepRequest.newBuilder()
                        .setRequestId(UUID.randomUUID().toString())
                        .setJobId((int) job.id())
                        .setName(program.name())
                        .setNodes(1)
                        .setMinNodes(1)
                        .setMaxNodes(1)
                        .setTasks(1)
                        .setNodeList(job.node())
                        .setOverlap(true)
                        .build();
        var reply = client.call(stub -> stub.createStep(request));
        if (!reply.hasCreated()) {
            throw new NotReachedException(reply.getBusy());
        }
        return reply.getCreated();
    }

    private RunStep run(CreatedStep step, Program program) {
        var run =
                RunStep.newBuilder()
                        .setLaunch(step.getLaunches(0))
                        .addAllArgv(program.command())
                        .setEnvironment(environment(job, program.environment()))
                        .setUnbuffered(true)
                        .setStdinTask(-1)
                        .setUmask(UMASK);
        var terminal = program.terminal();
        if (terminal != null) {
            run.setPty(true)
                    .setTerm(terminal.type())
                    .setTerminal(
                            TerminalSize.newBuilder()
                                    .setRows(terminal.rows())
                                    .setColumns(terminal.columns()));
        }
        return run.build();
    }

    static ByteString environment(SessionJob job, Map<String, String> more) {
        var all = new LinkedHashMap<String, String>();
        all.put("LANG", "C.UTF-8");
        all.putAll(job.environment());
        all.putAll(more);
        var text = new StringBuilder();
        all.forEach((name, value) -> text.append(name).append('=').append(value).append('\0'));
        return ByteString.copyFrom(text.toString(), StandardCharsets.UTF_8);
    }

    static NotReachedException notReached(SessionJob job, ControllerException e) {
        return new NotReachedException(
                switch (e.kind()) {
                    case REFUSED ->
                            "the session %s cannot be entered: %s"
                                    .formatted(job.name(), e.getMessage());
                    default -> "the cluster's scheduler cannot be asked just now; try again";
                },
                e);
    }
}
