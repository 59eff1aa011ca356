package dev.spur.agent.io;

import dev.spur.agent.launch.StepPlanner;
import dev.spur.agent.registration.AgentSession;
import dev.spur.agent.step.NodeSteps;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepServiceGrpc;
import dev.spur.runtime.process.MemoryGuard;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/// Runs steps for those who bring a launch that the controller signed for this node.
public final class StepStreams extends StepServiceGrpc.StepServiceImplBase {
    /// What a caller that was refused may still say.
    private static final StreamObserver<StepInput> IGNORED =
            new StreamObserver<>() {
                @Override
                public void onNext(StepInput input) {}

                @Override
                public void onError(Throwable error) {}

                @Override
                public void onCompleted() {}
            };

    private final AgentSession session;
    private final NodeSteps steps;
    private final StepPlanner planner;
    private final MemoryGuard memory;

    public StepStreams(
            AgentSession session, NodeSteps steps, StepPlanner planner, MemoryGuard memory) {
        this.session = session;
        this.steps = steps;
        this.planner = planner;
        this.memory = memory;
    }

    @Override
    public StreamObserver<StepInput> run(StreamObserver<StepOutput> responses) {
        if (!memory.hasRoom()) {
            responses.onError(
                    Status.UNAVAILABLE
                            .withDescription("the node's agent has no memory for another caller")
                            .asRuntimeException());
            return IGNORED;
        }
        var call =
                new StepCall(
                        session, steps, planner, (ServerCallStreamObserver<StepOutput>) responses);
        return call.begin();
    }
}
