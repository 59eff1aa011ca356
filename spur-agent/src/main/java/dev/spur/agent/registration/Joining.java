package dev.spur.agent.registration;

import dev.spur.api.client.AdmissionClient;
import dev.spur.api.client.ControllerException;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.IdentityException;
import dev.spur.runtime.identity.JoinToken;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Becomes part of a cluster: a one-time token against a certificate.
public final class Joining {
    private static final Logger log = LoggerFactory.getLogger(Joining.class);

    private Joining() {}

    /// Asks the token's controllers one after the other and keeps the certificate in `directory`.
    public static HostIdentity join(JoinToken token, String node, Path directory) {
        var keys = HostKeys.create();
        try {
            var reply =
                    AdmissionClient.join(
                            token.controllers(),
                            ClusterTrust.ofFingerprint(token.caFingerprint()),
                            token.secret(),
                            node,
                            keys.certificateRequest(node));
            log.atInfo()
                    .addKeyValue("node", node)
                    .addKeyValue("role", reply.getRole())
                    .log("joined the cluster");
            return HostIdentity.store(
                    directory,
                    keys,
                    reply.getCertificate().toByteArray(),
                    reply.getCa().toByteArray());
        } catch (ControllerException e) {
            throw new IdentityException(
                    "cannot join the cluster at %s: %s. A token works once and for a limited time; ask an administrator for another"
                            .formatted(token.controllers(), e.getMessage()),
                    e);
        }
    }
}
