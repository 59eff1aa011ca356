package dev.spur.controller.admission;

import dev.spur.api.v1.AdmissionGrpc;
import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.controller.access.Failures;
import io.grpc.stub.StreamObserver;

public final class AdmissionService extends AdmissionGrpc.AdmissionImplBase {
    private final HostAdmission hosts;

    public AdmissionService(HostAdmission hosts) {
        this.hosts = hosts;
    }

    @Override
    public void join(JoinRequest request, StreamObserver<JoinReply> reply) {
        Failures.answer(reply, () -> hosts.join(request));
    }
}
