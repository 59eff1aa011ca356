package dev.spur.agent.registration;

import dev.spur.api.client.ControllerException;
import dev.spur.api.client.JoiningClient;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.IdentityException;
import dev.spur.runtime.identity.JoinToken;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Becomes part of a cluster: a one-time token against a certificate.
public final class AgentJoining {
    private static final Logger log = LoggerFactory.getLogger(AgentJoining.class);

    private AgentJoining() {}

    /// Asks the token's controllers one after the other and keeps the certificate in `directory`.
    public static HostIdentity join(JoinToken token, String node, Path directory) {
        var keys = HostKeys.create();
        try {
            var reply =
                    JoiningClient.join(
                            token.controllers(),
                            ClusterTrust.ofFingerprint(token.caFingerprint()),
                            token.secret(),
                            node,
                            "",
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
                    "cannot join the cluster at %s: %s"
                            .formatted(
                                    token.controllers().stream()
                                            .map(HostAndPort::toString)
                                            .collect(Collectors.joining(", ")),
                                    e.getMessage()),
                    e);
        }
    }
}
