package dev.spur.rest;

import dev.spur.api.client.JoiningClient;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.Joined;
import dev.spur.runtime.log.Logging;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.Running;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// spurrestd, the REST daemon as a process.
public final class Spurrestd implements Daemon.Start {
    private static final Logger LOG = LoggerFactory.getLogger(Spurrestd.class);
    static final String VERSION = "0.1.0";
    private static final Path DEFAULT_IDENTITY = Path.of("/etc/spur/identity");
    private static final int PORT = 6820;

    private static final Flag CONTROLLER =
            Flag.value(
                    "controller",
                    "ADDRESS",
                    "the controller, or several with commas (SPUR_CONTROLLER_ADDR; default: controller.hosts of spur.conf)");
    private static final Flag TOKEN =
            Flag.value(
                    "token",
                    "TOKEN",
                    "join token for the first start (SPUR_JOIN_TOKEN; spur token join --role login, or admin)");
    private static final Flag IDENTITY =
            Flag.value(
                    "identity",
                    "DIRECTORY",
                    "this host's certificate (default /etc/spur/identity)");
    static final List<Flag> FLAGS = List.of(Flag.CONFIG, Flag.LISTEN, CONTROLLER, TOKEN, IDENTITY);

    private final Runnable lower;

    /// @param lower gives up root's rights, if the process has them and nobody else in it needs
    ///   them
    private Spurrestd(Runnable lower) {
        this.lower = lower;
    }

    static void main(String[] arguments) {
        var alone =
                new Daemon(
                        "spurrestd", VERSION, FLAGS, new Spurrestd(Spurrestd::becomeUnprivileged));
        System.exit(alone.run(System.out, System.err, arguments));
    }

    /// Beside other daemons in one process, whose user is its own, too.
    public static Daemon daemon() {
        return new Daemon("spurrestd", VERSION, FLAGS, new Spurrestd(() -> {}));
    }

    @Override
    public Running start(Flags flags) throws Exception {
        var config =
                ConfigFile.load(Path.of(flags.value(Flag.CONFIG).orElse("/etc/spur/spur.conf")))
                        .config();
        Logging.start(config.logging());
        var options = options(flags, config);
        lower.run();
        return RestService.start(options);
    }

    private static RestOptions options(Flags flags, SpurConfig config) throws Exception {
        var listen = HostAndPort.parse(flags.value(Flag.LISTEN).orElse("127.0.0.1"), PORT);
        var isEncrypted = !InetAddress.getByName(listen.host()).isLoopbackAddress();
        var identity = config.auth().tls() ? identity(flags) : null;
        if (isEncrypted && identity == null) {
            LOG.atWarn()
                    .addKeyValue("listen", listen)
                    .log("auth.tls is off: tokens can be read by everybody on the way");
        }
        return new RestOptions(
                flags.value(CONTROLLER)
                        .or(() -> Optional.ofNullable(System.getenv("SPUR_CONTROLLER_ADDR")))
                        .map(said -> HostAndPort.parseList(said, HostAndPort.CONTROLLER_PORT))
                        .orElseGet(() -> config.controller().addresses()),
                listen,
                identity,
                isEncrypted,
                Set.of(),
                InstantSource.system());
    }

    private static HostIdentity identity(Flags flags) {
        var directory = flags.value(IDENTITY).map(Path::of).orElse(DEFAULT_IDENTITY);
        var token =
                flags.value(TOKEN).or(() -> Optional.ofNullable(System.getenv("SPUR_JOIN_TOKEN")));
        var identity =
                Joined.identity(
                        directory,
                        token.map(JoinToken::parse),
                        known -> join(known, directory),
                        Instant.now(),
                        said -> LOG.atWarn().log(said));
        if (Users.currentUid() == 0) {
            ServiceAccount.usual().own(directory); // renewed by whom this process becomes
        }
        return identity;
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
                directory, keys, reply.getCertificate().toByteArray(), reply.getCa().toByteArray());
    }

    @Override
    public Path logFile(Flags flags) {
        return Path.of("/var/log/spur/spurrestd.log");
    }

    private static void becomeUnprivileged() {
        if (Users.currentUid() != 0) {
            return;
        }
        var account = ServiceAccount.usual();
        if (account.canRunJava()) {
            account.become();
            LOG.atInfo().addKeyValue("uid", account.uid()).log("spurrestd became unprivileged");
        } else {
            LOG.atWarn()
                    .addKeyValue("uid", account.uid())
                    .log("spurrestd stays root: nobody else may read the JDK");
        }
    }
}
