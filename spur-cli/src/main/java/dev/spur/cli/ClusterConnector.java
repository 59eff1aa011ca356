package dev.spur.cli;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.model.notation.HostAndPort;
import java.util.List;
import java.util.Optional;

/// Which cluster a command means: this host's own, unless `SPUR_CONTROLLER_ADDR` names another.
///
/// On the own cluster the host's certificate vouches for the caller. A foreign address gets nothing
/// of the host's: only the token the caller brought, over TLS under the CA certificate the caller
/// trusts.
public final class ClusterConnector implements Connector {
    private final List<HostAndPort> own;
    private final Channels vouching;
    private final CallersToken foreign = new CallersToken();

    /// @param own the controllers of the cluster this host belongs to
    /// @param vouching channels with this host's certificate
    public ClusterConnector(List<HostAndPort> own, Channels vouching) {
        this.own = List.copyOf(own);
        this.vouching = vouching;
    }

    @Override
    public ControllerClient connect(Invocation in) {
        var addresses = addresses(in).orElse(own);
        if (addresses.stream().allMatch(this::isOwn)) {
            return new ControllerClient(vouching, addresses, vouched(in.caller()), in.answers());
        }
        return foreign.connect(
                in, addresses, "SPUR_CONTROLLER_ADDR names another cluster than this host's");
    }

    /// The controllers that the caller names.
    public static Optional<List<HostAndPort>> addresses(Invocation in) {
        var asked = in.environment("SPUR_CONTROLLER_ADDR");
        if (asked == null || asked.isBlank()) {
            return Optional.empty();
        }
        try {
            return Optional.of(HostAndPort.parseList(asked, HostAndPort.CONTROLLER_PORT));
        } catch (IllegalArgumentException e) {
            throw new Failure("SPUR_CONTROLLER_ADDR: " + e.getMessage());
        }
    }

    private boolean isOwn(HostAndPort address) {
        return own.contains(address)
                || (address.isLoopback()
                        && own.stream()
                                .anyMatch(mine ->
                                        mine.isLoopback() && mine.port() == address.port()));
    }

    private static CallerIdentity vouched(Caller caller) {
        return new CallerIdentity.Vouched(
                (int) caller.uid(),
                (int) caller.gid(),
                caller.name(),
                caller.groups().stream().map(Long::intValue).toList());
    }
}
