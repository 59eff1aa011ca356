package dev.spur.agent.registration;

import com.google.protobuf.ByteString;
import dev.spur.api.client.Channels;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.AdmissionGrpc;
import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.IdentityException;
import dev.spur.runtime.identity.JoinToken;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Becomes part of a cluster: a one-time token against a certificate.
public final class Joining {
    private static final Logger log = LoggerFactory.getLogger(Joining.class);
    private static final long TIMEOUT_SECONDS = 20;

    private Joining() {}

    /// Asks the token's controllers one after the other and keeps the certificate in `directory`.
    public static HostIdentity join(JoinToken token, String node, Path directory) {
        var keys = HostKeys.create();
        var request =
                JoinRequest.newBuilder()
                        .setSecret(token.secret())
                        .setHost(node)
                        .setCsr(ByteString.copyFrom(keys.certificateRequest(node)))
                        .build();
        var reply = ask(token, request);
        log.atInfo()
                .addKeyValue("node", node)
                .addKeyValue("role", reply.getRole())
                .log("joined the cluster");
        return HostIdentity.store(
                directory, keys, reply.getCertificate().toByteArray(), reply.getCa().toByteArray());
    }

    private static JoinReply ask(JoinToken token, JoinRequest request) {
        var trust = ClusterTrust.ofFingerprint(token.caFingerprint());
        StatusRuntimeException last = null;
        try (var channels = new Channels(new TransportSecurity.Tls(null, trust))) {
            for (var controller : token.controllers()) {
                var address = new HostAndPort(controller.host(), controller.port());
                try {
                    return AdmissionGrpc.newBlockingStub(channels.controller(address))
                            .withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                            .join(request);
                } catch (StatusRuntimeException e) {
                    last = e;
                }
            }
        }
        if (last == null) {
            throw new IdentityException("the join token names no controller");
        }
        throw new IdentityException(
                "cannot join the cluster at %s: %s. A token works once and for a limited time; ask an administrator for another"
                        .formatted(token.controllers(), last.getStatus().getDescription()),
                last);
    }
}
