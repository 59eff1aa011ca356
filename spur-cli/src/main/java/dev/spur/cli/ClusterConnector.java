package dev.spur.cli;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.model.notation.HostAndPort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which cluster a command means: this host's own, unless `SPUR_CONTROLLER_ADDR` names another.
///
/// On the own cluster the host's certificate vouches for the caller. A foreign address gets nothing
/// of the host's: only the token the caller brought, over TLS under the CA certificate the caller
/// trusts.
public final class ClusterConnector implements Connector {
    private final List<HostAndPort> own;
    private final Channels vouching;
    private final ForeignChannels foreign = new ForeignChannels();

    /// @param own the controllers of the cluster this host belongs to
    /// @param vouching channels with this host's certificate
    public ClusterConnector(List<HostAndPort> own, Channels vouching) {
        this.own = List.copyOf(own);
        this.vouching = vouching;
    }

    @Override
    public ControllerClient connect(Invocation in) {
        var asked = in.environment("SPUR_CONTROLLER_ADDR");
        var addresses = asked == null || asked.isBlank() ? own : parse(asked);
        if (addresses.stream().allMatch(this::isOwn)) {
            return new ControllerClient(vouching, addresses, vouched(in.caller()));
        }
        return new ControllerClient(
                foreign.trusting(authority(in)), addresses, new CallerIdentity.Bearer(token(in)));
    }

    private static List<HostAndPort> parse(String addresses) {
        try {
            return HostAndPort.parseList(addresses, HostAndPort.CONTROLLER_PORT);
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

    /// The CA certificate by which the caller knows the foreign cluster.
    private static X509Certificate authority(Invocation in) {
        var path = in.environment("SPUR_CA_FILE");
        var file = path != null ? path : inHome(in, ".spur/ca.pem");
        if (file == null) {
            throw new Failure(
                    "SPUR_CONTROLLER_ADDR names another cluster than this host's, and nothing says whom to trust there.\n"
                            + "Set SPUR_CA_FILE to that cluster's CA certificate.");
        }
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(
                                    new ByteArrayInputStream(in.files().read(file, 1 << 20)));
        } catch (IOException | CertificateException e) {
            throw new Failure(
                    "cannot read the CA certificate of the cluster that SPUR_CONTROLLER_ADDR names: %s.\n"
                                    .formatted(e.getMessage())
                            + "Set SPUR_CA_FILE to it, or put it into ~/.spur/ca.pem.");
        }
    }

    private static String token(Invocation in) {
        for (var name : List.of("SPUR_AUTH_TOKEN", "SLURM_JWT")) {
            var token = in.environment(name);
            if (token != null && !token.isBlank()) {
                return token.strip();
            }
        }
        var file = inHome(in, ".spur/token");
        try {
            if (file != null && isPrivate(in, file)) {
                return new String(in.files().read(file, 1 << 16), in.charset()).strip();
            }
        } catch (UserFileException e) {
            if (e.errno() != UserFileException.ENOENT) {
                throw new Failure("cannot read your token: " + e.getMessage());
            }
        } catch (IOException e) {
            throw new Failure("cannot read your token: " + e.getMessage());
        }
        throw new Failure(
                "SPUR_CONTROLLER_ADDR names another cluster than this host's, and you have no token for it.\n"
                        + "Make one there (spur token create) and put it into SPUR_AUTH_TOKEN or ~/.spur/token (mode 0600).");
    }

    private static boolean isPrivate(Invocation in, String file) throws IOException {
        if ((in.files().status(file).mode() & 077) == 0) {
            return true;
        }
        throw new Failure(
                "%s can be read by others. Protect it first: chmod 600 %s".formatted(file, file));
    }

    private static @Nullable String inHome(Invocation in, String name) {
        var home = in.environment("HOME");
        return home == null ? null : home + "/" + name;
    }
}
