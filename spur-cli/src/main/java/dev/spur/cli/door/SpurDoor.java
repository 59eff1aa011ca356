package dev.spur.cli.door;

import dev.spur.api.client.Channels;
import dev.spur.api.client.JoiningClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.cli.ClusterConnector;
import dev.spur.cli.Versions;
import dev.spur.cli.tools.Tools;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.CertificateRenewal;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.Joined;
import dev.spur.runtime.log.Logging;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.Running;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The daemon `spur-door`: one on every host where people type commands.
public final class SpurDoor {
    private static final Logger log = LoggerFactory.getLogger(SpurDoor.class);

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
    private static final Flag USER =
            Flag.value(
                    "user",
                    "USER",
                    "whom it becomes when root starts it (default: spur, or a number nobody has)");

    private SpurDoor() {}

    public static void main(String[] args) {
        var alone =
                new Daemon(
                        "spur-door",
                        Versions.SPUR,
                        List.of(Flag.CONFIG, SOCKET, CONTROLLER, IDENTITY, TOKEN, USER),
                        new Opening(SpurDoor::becomeUnprivileged));
        System.exit(alone.run(System.out, System.err, args));
    }

    /// A door beside other daemons in one process, whose user is theirs too.
    public static Daemon daemon() {
        return new Daemon(
                "spur-door",
                Versions.SPUR,
                List.of(Flag.CONFIG, SOCKET, CONTROLLER, IDENTITY, TOKEN),
                new Opening((_, _) -> {}));
    }

    /// What the process does between making the socket, of which callers see that root made it, and
    /// serving anybody.
    private interface Lowering {
        void lower(Flags flags, HostIdentity identity);
    }

    /// Gives up root's rights. All the door needs is its socket and the host's certificate: it acts
    /// on files only through its callers' own processes.
    private static void becomeUnprivileged(Flags flags, HostIdentity identity) {
        var chosen = flags.value(USER);
        if (Users.currentUid() != 0) {
            if (chosen.isPresent()) {
                throw new IllegalArgumentException("--user can be given by root only");
            }
            return;
        }
        var account = chosen.map(ServiceAccount::named).orElseGet(ServiceAccount::usual);
        var java = Path.of(System.getProperty("java.home"), "lib/modules");
        if (!account.canRunJava()) {
            if (chosen.isPresent()) {
                throw new IllegalArgumentException(
                        "user %s may not read %s: install the JDK where everybody can read it"
                                .formatted(chosen.get(), java));
            }
            log.atWarn()
                    .addKeyValue("uid", account.uid())
                    .addKeyValue("file", java)
                    .log("the door stays root: nobody else may read the JDK");
            return;
        }
        account.own(identity.directory());
        account.become();
        log.atInfo().addKeyValue("uid", account.uid()).log("door became unprivileged");
    }

    private static Running open(
            Path socket, List<HostAndPort> controllers, HostIdentity identity, Runnable lower)
            throws IOException {
        var channels =
                new Channels(
                        new TransportSecurity.Tls(identity.keyManager(), identity.trustManager()));
        var tools = Tools.standard(new ClusterConnector(controllers, channels));
        var config = DoorConfig.of(socket, tools);
        var self = Users.currentUid();
        // Who cannot give up root's rights speaks for no other user either.
        var bound = DoorServer.bind(self == 0 ? config : config.only(self));
        lower.run();
        var door = bound.open();
        var renewal =
                CertificateRenewal.start(
                        identity,
                        JoiningClient.renewals(channels, controllers),
                        channels::reconnect,
                        InstantSource.system());
        var rehearsal = rehearse(identity, door);
        var closed = new CountDownLatch(1);
        return new Running() {
            @Override
            public void awaitTermination() throws InterruptedException {
                closed.await();
            }

            @Override
            public void close() {
                rehearsal.ifPresent(Rehearsal::close);
                renewal.close();
                door.close();
                channels.close();
                closed.countDown();
            }
        };
    }

    /// Where people work. Compute hosts are many, start together, and nobody waits for the first
    /// command in a job.
    private static Optional<Rehearsal> rehearse(HostIdentity identity, Door door) {
        var home = System.getProperty("spur.home");
        var wanted = !System.getProperty("spur.rehearsal", "no").equals("no");
        return home != null && wanted && identity.self().role() != HostRole.COMPUTE
                ? Optional.of(Rehearsal.start(Path.of(home), door))
                : Optional.empty();
    }

    private static final class Opening implements Daemon.Start {
        private final Lowering lowering;

        Opening(Lowering lowering) {
            this.lowering = lowering;
        }

        @Override
        public Running start(Flags flags) throws IOException {
            var config =
                    ConfigFile.load(Path.of(flags.value(Flag.CONFIG).orElse("/etc/spur/spur.conf")))
                            .config();
            Logging.start(config.logging());
            var identity = identity(flags);
            return open(
                    Path.of(flags.value(SOCKET).orElse("/run/spur/door.sock")),
                    flags.value(CONTROLLER)
                            .map(SpurDoor::addresses)
                            .orElseGet(() -> config.controller().addresses()),
                    identity,
                    () -> lowering.lower(flags, identity));
        }

        /// This host's certificate, or a new one against a join token.
        private static HostIdentity identity(Flags flags) {
            var directory = Path.of(flags.value(IDENTITY).orElse("/etc/spur/identity"));
            var token = flags.value(TOKEN);
            return Joined.identity(
                    directory,
                    token.map(JoinToken::parse),
                    known -> join(known, directory),
                    Instant.now(),
                    said -> LoggerFactory.getLogger(SpurDoor.class).atWarn().log(said));
        }

        private static HostIdentity join(JoinToken token, Path directory) {
            var keys = HostKeys.create();
            var host = ThisHost.shortName();
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
        }

        @Override
        public Path logFile(Flags flags) {
            return Path.of("/var/log/spur/spur-door.log");
        }
    }

    private static List<HostAndPort> addresses(String list) {
        return HostAndPort.parseList(list, HostAndPort.CONTROLLER_PORT);
    }
}
