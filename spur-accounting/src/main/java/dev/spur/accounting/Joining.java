package dev.spur.accounting;

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

/// Becomes the cluster's keeper of records: a one-time token against a certificate of the role
/// accounting.
final class Joining {
    private Joining() {}

    static HostIdentity join(JoinToken token, String host, Path directory) {
        var keys = HostKeys.create();
        try {
            var reply =
                    JoiningClient.join(
                            token.controllers(),
                            ClusterTrust.ofFingerprint(token.caFingerprint()),
                            token.secret(),
                            host,
                            "",
                            keys.certificateRequest(host));
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
