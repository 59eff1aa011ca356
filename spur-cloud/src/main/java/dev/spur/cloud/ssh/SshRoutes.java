package dev.spur.cloud.ssh;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Needs;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Endpoint;
import java.util.List;

/// `/api/ssh`: by what people recognise the gateway.
public final class SshRoutes {
    private final Gateway gateway;

    /// @param host that people type
    /// @param fingerprint of its key, as `ssh` shows it at the first visit
    /// @param publicKey for a `known_hosts` file
    public record Gateway(String host, int port, String fingerprint, String publicKey) {}

    public SshRoutes(Gateway gateway) {
        this.gateway = gateway;
    }

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/api/ssh", "getSshGateway")
                        .tag("sessions")
                        .says("The SSH gateway into sessions: where it is, and its key")
                        .needs(Needs.USER, Needs.SESSIONS)
                        .answers(200, Gateway.class)
                        .by(_ -> Answer.ok(gateway)));
    }
}
