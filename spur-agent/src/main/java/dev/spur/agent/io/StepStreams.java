package dev.spur.agent.io;

import dev.spur.agent.launch.StepPlanner;
import dev.spur.agent.registration.AgentSession;
import dev.spur.agent.step.NodeSteps;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepServiceGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/// Runs steps for those who bring a launch that the controller signed for this node.
public final class StepStreams extends StepServiceGrpc.StepServiceImplBase {
    private final AgentSession session;
    private final NodeSteps steps;
    private final StepPlanner planner;

    public StepStreams(AgentSession session, NodeSteps steps, StepPlanner planner) {
        this.session = session;
        this.steps = steps;
        this.planner = planner;
    }

    @Override
    public StreamObserver<StepInput> run(StreamObserver<StepOutput> responses) {
        var call =
                new StepCall(
                        session, steps, planner, (ServerCallStreamObserver<StepOutput>) responses);
        return call.begin();
    }
}
