package dev.spur.api.client;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.AdmissionGrpc;
import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.model.notation.HostAndPort;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.TrustManager;

/// How a host without a certificate asks for one.
public final class AdmissionClient {
    private static final long TIMEOUT_SECONDS = 20;

    private AdmissionClient() {}

    /// Asks the controllers one after the other; the last refusal is thrown.
    ///
    /// @param trust by which the host knows the cluster: the fingerprint in its join token
    /// @param request DER of the certificate request
    public static JoinReply join(
            List<HostAndPort> controllers,
            TrustManager trust,
            String secret,
            String host,
            byte[] request) {
        var asked =
                JoinRequest.newBuilder()
                        .setSecret(secret)
                        .setHost(host)
                        .setCsr(ByteString.copyFrom(request))
                        .build();
        StatusRuntimeException refusal = null;
        try (var channels = new Channels(new TransportSecurity.Tls(null, trust))) {
            for (var controller : controllers) {
                try {
                    return AdmissionGrpc.newBlockingStub(channels.controller(controller))
                            .withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                            .join(asked);
                } catch (StatusRuntimeException e) {
                    refusal = e;
                }
            }
        }
        if (refusal == null) {
            throw new IllegalArgumentException("the join token names no controller");
        }
        throw ControllerException.of(refusal);
    }
}
