package dev.spur.cli;

import dev.spur.api.client.AdmissionClient;
import dev.spur.api.client.Channels;
import dev.spur.api.client.TransportSecurity;
import dev.spur.cli.door.DoorConfig;
import dev.spur.cli.door.DoorServer;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.log.Logging;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.Running;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// The daemon `spur-door`: one on every host where people type commands.
public final class SpurDoor {
    private static final Flag SOCKET =
            Flag.value("socket", "PATH", "where commands find it (default /run/spur/door.sock)");
    private static final Flag CONTROLLER =
            Flag.value(
                    "controller",
                    "ADDRESS",
                    "the controllers, by comma (default: [controller] hosts)");
    private static final Flag IDENTITY =
            Flag.value(
                    "identity",
                    "DIRECTORY",
                    "this host's certificate (default /etc/spur/identity)");

    private static final Flag TOKEN =
            Flag.value("token", "TOKEN", "join token for the first start");

    private SpurDoor() {}

    public static void main(String[] args) {
        System.exit(daemon().run(System.out, System.err, args));
    }

    public static Daemon daemon() {
        return new Daemon(
                "spur-door",
                Versions.SPUR,
                List.of(Flag.CONFIG, SOCKET, CONTROLLER, IDENTITY, TOKEN),
                new Opening());
    }

    /// Opens the door of a host that belongs to a cluster.
    public static Running start(Path socket, List<HostAndPort> controllers, HostIdentity identity)
            throws IOException {
        var channels =
                new Channels(
                        new TransportSecurity.Tls(identity.keyManager(), identity.trustManager()));
        var tools = Tools.standard(new ClusterConnector(controllers, channels));
        var door = DoorServer.start(DoorConfig.of(socket, tools));
        var closed = new CountDownLatch(1);
        return new Running() {
            @Override
            public void awaitTermination() throws InterruptedException {
                closed.await();
            }

            @Override
            public void close() {
                door.close();
                channels.close();
                closed.countDown();
            }
        };
    }

    private static final class Opening implements Daemon.Start {
        @Override
        public Running start(Flags flags) throws IOException {
            var config =
                    ConfigFile.load(Path.of(flags.value(Flag.CONFIG).orElse("/etc/spur/spur.conf")))
                            .config();
            Logging.start(config.logging());
            return SpurDoor.start(
                    Path.of(flags.value(SOCKET).orElse("/run/spur/door.sock")),
                    flags.value(CONTROLLER)
                            .map(SpurDoor::addresses)
                            .orElseGet(() -> configured(config)),
                    identity(flags));
        }

        /// This host's certificate, or a new one against a join token where there is none yet.
        private static HostIdentity identity(Flags flags) {
            var directory = Path.of(flags.value(IDENTITY).orElse("/etc/spur/identity"));
            var token = flags.value(TOKEN);
            return HostIdentity.exists(directory) || token.isEmpty()
                    ? HostIdentity.load(directory)
                    : join(JoinToken.parse(token.get()), directory);
        }

        private static HostIdentity join(JoinToken token, Path directory) {
            var keys = HostKeys.create();
            var host = ThisHost.shortName();
            var reply =
                    AdmissionClient.join(
                            token.controllers(),
                            ClusterTrust.ofFingerprint(token.caFingerprint()),
                            token.secret(),
                            host,
                            keys.certificateRequest(host));
            return HostIdentity.store(
                    directory,
                    keys,
                    reply.getCertificate().toByteArray(),
                    reply.getCa().toByteArray());
        }

        @Override
        public Path logFile(Flags flags) {
            return Path.of("/var/log/spur/spur-door.log");
        }
    }

    private static List<HostAndPort> configured(SpurConfig config) {
        return config.controller().hosts().stream()
                .map(host -> HostAndPort.parse(host, config.controller().listenAddr().port()))
                .toList();
    }

    private static List<HostAndPort> addresses(String list) {
        return HostAndPort.parseList(list, HostAndPort.CONTROLLER_PORT);
    }
}
