package dev.spur.controller.joining;

import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.api.v1.JoiningGrpc;
import dev.spur.controller.access.Failures;
import io.grpc.stub.StreamObserver;

public final class JoiningService extends JoiningGrpc.JoiningImplBase {
    private final HostJoining hosts;

    public JoiningService(HostJoining hosts) {
        this.hosts = hosts;
    }

    @Override
    public void join(JoinRequest request, StreamObserver<JoinReply> reply) {
        Failures.answer(reply, () -> hosts.join(request));
    }
}
