package dev.spur.cli.process;

import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.cli.ClusterConnector;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import java.util.List;

/// Reaches a cluster without a door: there nobody vouches for the caller, so it must say which
/// cluster it means and bring a token.
public final class TokenConnector implements Connector {
    @Override
    public ControllerClient connect(Invocation in) {
        var address = in.environment("SPUR_CONTROLLER_ADDR");
        if (address == null || address.isBlank()) {
            throw new Failure(
                    "the local Spur service does not answer, and SPUR_CONTROLLER_ADDR names no cluster to reach without it.\n"
                            + "Start a cluster with './spur up' and then: eval \"$(./spur env)\"; or ask an administrator to start spurd here.");
        }
        var nobodyVouches = new Channels(new TransportSecurity.Plain());
        return new ClusterConnector(List.of(), nobodyVouches).connect(in);
    }
}
