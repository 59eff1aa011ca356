package dev.spur.agent.output;

import dev.spur.agent.reach.CallingHost;
import dev.spur.agent.registration.AgentSession;
import dev.spur.agent.step.FileReader;
import dev.spur.agent.step.FileReaders;
import dev.spur.agent.step.NodeSteps;
import dev.spur.agent.step.StepKey;
import dev.spur.api.v1.OutputPiece;
import dev.spur.api.v1.OutputServiceGrpc;
import dev.spur.api.v1.Reach;
import dev.spur.api.v1.ReadOutputRequest;
import dev.spur.model.StepId;
import dev.spur.runtime.process.MemoryGuard;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.Map;

/// Reads files of jobs for those whom the controller lets.
public final class OutputStreams extends OutputServiceGrpc.OutputServiceImplBase {
    private static final int MOST_CALLS = 4_096;
    private static final int MOST_OF_ONE_CALLER = 512;

    private final AgentSession session;
    private final NodeSteps steps;
    private final MemoryGuard memory;
    private final SharedFiles files;
    private final Map<String, Integer> calls = new HashMap<>();
    private int allCalls;

    public OutputStreams(
            AgentSession session, NodeSteps steps, MemoryGuard memory, FileReaders readers) {
        this.session = session;
        this.steps = steps;
        this.memory = memory;
        this.files = new SharedFiles(readers);
    }

    @Override
    public void read(ReadOutputRequest request, StreamObserver<OutputPiece> responses) {
        try {
            var reach = session.verify(request.getReach(), CallingHost.current());
            if (!reach.hasFile()) {
                throw Status.PERMISSION_DENIED
                        .withDescription("the controller's word is not for reading a file")
                        .asException();
            }
            enter(reach.getCaller());
            var step =
                    new StepKey(
                            reach.getJobId(), new StepId(reach.getStepId()), reach.getAttempt());
            var call =
                    new OutputCall(
                            request,
                            file(reach),
                            files,
                            () -> steps.runs(step),
                            (ServerCallStreamObserver<OutputPiece>) responses);
            call.begin(() -> leave(reach.getCaller()));
        } catch (StatusException e) {
            responses.onError(e);
        }
    }

    private static FileReader.UserFile file(Reach reach) {
        return new FileReader.UserFile(
                reach.getUid(), reach.getGid(), reach.getGroupsList(), reach.getFile());
    }

    private synchronized void enter(String caller) throws StatusException {
        var own = calls.getOrDefault(caller, 0);
        if (!memory.hasRoom() || allCalls >= MOST_CALLS || own >= MOST_OF_ONE_CALLER) {
            throw Status.UNAVAILABLE
                    .withDescription("too many read output of this node at the moment")
                    .asException();
        }
        calls.put(caller, own + 1);
        allCalls++;
    }

    private synchronized void leave(String caller) {
        calls.computeIfPresent(caller, (_, own) -> own == 1 ? null : own - 1);
        allCalls--;
    }
}
