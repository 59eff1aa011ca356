package dev.spur.controller.agent;

import dev.spur.api.v1.AgentLinkGrpc;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.Register;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/// Agents on gRPC. The stream's own calls come one after the other; no thread waits for it in
/// between.
public final class AgentLinkService extends AgentLinkGrpc.AgentLinkImplBase {
    private final Agents agents;

    public AgentLinkService(Agents agents) {
        this.agents = agents;
    }

    @Override
    public StreamObserver<AgentMessage> connect(StreamObserver<ControllerMessage> toAgent) {
        return new Connection(Caller.host(), (ServerCallStreamObserver<ControllerMessage>) toAgent);
    }

    private final class Connection implements StreamObserver<AgentMessage>, AgentChannel {
        private final PeerHost peer;
        private final ServerCallStreamObserver<ControllerMessage> toAgent;
        private volatile @Nullable AgentSession session;
        private boolean ended;

        Connection(PeerHost peer, ServerCallStreamObserver<ControllerMessage> toAgent) {
            this.peer = peer;
            this.toAgent = toAgent;
            toAgent.setOnReadyHandler(this::agentReads);
            toAgent.setOnCancelHandler(this::gone);
        }

        @Override
        public void onNext(AgentMessage message) {
            var open = session;
            if (open != null) {
                agents.received(open, message);
                return;
            }
            try {
                if (message.getMessageCase() != AgentMessage.MessageCase.REGISTER) {
                    throw new SpurException(
                            ErrorCode.INVALID_REQUEST, "the first message must register the node");
                }
                checkName(message.getRegister());
                session = agents.open(this, message.getRegister());
            } catch (RuntimeException e) {
                end(Failures.toStatus(e));
            }
        }

        /// A host may register itself, not another: the launches of a node belong to it alone.
        private void checkName(Register register) {
            if (register.getNode().isEmpty()) {
                throw new SpurException(
                        ErrorCode.INVALID_NODE, "the agent does not say which node it runs");
            }
            if (peer.role() != HostRole.CONTROLLER && !peer.host().equals(register.getNode())) {
                throw new SpurException(
                        ErrorCode.ACCESS_DENIED,
                        "the certificate is for host %s, but the agent calls itself %s. "
                                        .formatted(peer.host(), register.getNode())
                                + "Start it with -N %s, or join again".formatted(peer.host()));
            }
        }

        @Override
        public void onError(Throwable cause) {
            gone();
        }

        @Override
        public void onCompleted() {
            gone();
            end(null);
        }

        private void agentReads() {
            var open = session;
            if (open != null) {
                open.wake();
            }
        }

        private void gone() {
            var open = session;
            if (open != null) {
                agents.closed(open);
            }
        }

        @Override
        public boolean isReady() {
            return toAgent.isReady();
        }

        @Override
        public synchronized void send(ControllerMessage message) {
            if (!ended && !toAgent.isCancelled()) {
                toAgent.onNext(message);
            }
        }

        @Override
        public void close(String why) {
            end(Status.UNAVAILABLE.withDescription(why).asRuntimeException());
        }

        private synchronized void end(@Nullable Throwable failure) {
            if (ended || toAgent.isCancelled()) {
                return;
            }
            ended = true;
            if (failure == null) {
                toAgent.onCompleted();
            } else {
                toAgent.onError(failure);
            }
        }
    }
}
