package dev.spur.controller.member;

import dev.spur.api.v1.EnterReply;
import dev.spur.api.v1.EnterRequest;
import dev.spur.api.v1.HandOverReply;
import dev.spur.api.v1.HandOverRequest;
import dev.spur.api.v1.PeersGrpc;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import io.grpc.stub.StreamObserver;

public final class PeersService extends PeersGrpc.PeersImplBase {
    private final Members members;

    public PeersService(Members members) {
        this.members = members;
    }

    @Override
    public void handOver(HandOverRequest request, StreamObserver<HandOverReply> reply) {
        Failures.answer(reply, () -> members.handOver(Caller.host()));
    }

    @Override
    public void enter(EnterRequest request, StreamObserver<EnterReply> reply) {
        Failures.answer(reply, () -> members.enter(request, Caller.host()));
    }
}
