package dev.spur.cli.process;

import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.cli.CallersToken;
import dev.spur.cli.ClusterConnector;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.IdentityException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Reaches a cluster without a door. Whoever may read this host's certificate (root, or the owner
/// of a cluster without root) uses it as the door would; everybody else brings a token.
public final class DoorlessConnector implements Connector {
    private static final String IDENTITY = "/etc/spur/identity";
    private static final String CONFIG = "/etc/spur/spur.conf";
    private static final HostAndPort USUAL =
            new HostAndPort("localhost", HostAndPort.CONTROLLER_PORT);

    @Override
    public ControllerClient connect(Invocation in) {
        var directory = directory(in);
        var controllers = ClusterConnector.addresses(in).orElseGet(() -> configured(in));
        return identity(in, directory)
                .map(identity ->
                        new Channels(
                                new TransportSecurity.Tls(
                                        identity.keyManager(), identity.trustManager())))
                .map(vouching -> new ClusterConnector(controllers, vouching).connect(in))
                .orElseGet(() -> new CallersToken().connect(in, controllers, because(directory)));
    }

    /// Where this host's certificate is. On a controller's own host there may be no other than the
    /// controller's: it will do, so that the first host of a cluster has commands at once.
    static Path directory(Invocation in) {
        var said = in.environment("SPUR_IDENTITY");
        if (said != null && !said.isBlank()) {
            return Path.of(said);
        }
        var usual = Path.of(IDENTITY);
        return HostIdentity.exists(usual)
                ? usual
                : configuration(in)
                        .map(config -> config.controller().stateDir().resolve("identity"))
                        .filter(HostIdentity::exists)
                        .orElse(usual);
    }

    private static Optional<SpurConfig> configuration(Invocation in) {
        var file = Path.of(setting(in, "SPUR_CONF", CONFIG));
        return Files.isReadable(file)
                ? Optional.of(ConfigFile.load(file).config())
                : Optional.empty();
    }

    private static String because(Path directory) {
        return "the local Spur service does not answer (./spur up or spur-door starts it), "
                + (Files.exists(directory)
                        ? "you may not read this host's certificate in " + directory
                        : "this host has no certificate in " + directory);
    }

    /// This host's certificate, unless the caller may not read it or trusts another cluster's CA.
    private static Optional<HostIdentity> identity(Invocation in, Path directory) {
        if (!Files.isReadable(directory) || !HostIdentity.exists(directory)) {
            return Optional.empty();
        }
        try {
            var identity = HostIdentity.load(directory);
            return in.environment("SPUR_CA_FILE") == null
                            || CallersToken.authority(in).equals(Optional.of(identity.ca()))
                    ? Optional.of(identity)
                    : Optional.empty();
        } catch (IdentityException | UncheckedIOException e) {
            throw new Failure("this host's certificate is of no use: " + e.getMessage());
        }
    }

    private static List<HostAndPort> configured(Invocation in) {
        return configuration(in)
                .map(config -> config.controller().addresses())
                .orElse(List.of(USUAL));
    }

    private static String setting(Invocation in, String variable, String usual) {
        var value = in.environment(variable);
        return value == null || value.isBlank() ? usual : value;
    }
}
