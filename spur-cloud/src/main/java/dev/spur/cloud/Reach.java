package dev.spur.cloud;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Grant;
import dev.spur.cloud.access.Revocations;
import dev.spur.cloud.auth.Authentication;
import dev.spur.cloud.cluster.ClusterClients;
import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.ports.PortProxy;
import dev.spur.cloud.ports.PortRoutes;
import dev.spur.cloud.ports.PortSite;
import dev.spur.cloud.reach.ClusterDoor;
import dev.spur.cloud.reach.SessionDoor;
import dev.spur.cloud.sessions.Sessions;
import dev.spur.cloud.ssh.Guest;
import dev.spur.cloud.ssh.HostKey;
import dev.spur.cloud.ssh.KeyGuests;
import dev.spur.cloud.ssh.SshGateway;
import dev.spur.cloud.ssh.SshLimits;
import dev.spur.cloud.ssh.SshRoutes;
import dev.spur.cloud.terminal.Terminals;
import dev.spur.cloud.users.SshKeys;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.http.Endpoint;
import io.helidon.webserver.WebServerConfig;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Every way into sessions, put together: terminals, SSH, and what listens inside.
final class Reach implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reach.class);
    private static final int SSH_PORT = 2222;
    private static final int APPS_PORT = 8081;

    private final CloudOptions options;
    private final Jdbi db;
    private final Authentication authentication;
    private final Sessions sessions;
    private final SessionDoor door;
    private final Revocations revocations;
    private final Terminals terminals;
    private final boolean hasCluster;
    private final List<Endpoint<Caller>> endpoints = new ArrayList<>();
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /// @param clients null: there is no cluster, and nothing can be entered
    Reach(
            CloudOptions options,
            Jdbi db,
            Authentication authentication,
            Sessions sessions,
            @Nullable ClusterClients clients) {
        this.options = options;
        this.db = db;
        this.authentication = authentication;
        this.sessions = sessions;
        this.hasCluster = clients != null;
        this.door =
                new ClusterDoor(
                        sessions.access(), sessions.store(), sessions::environment, clients);
        this.revocations = opened(new Revocations(db, options.clock()));
        this.terminals =
                opened(
                        new Terminals(
                                db,
                                door,
                                sessions.presence()::enter,
                                authentication.gate(),
                                authentication.codes(),
                                revocations,
                                config().publicUrl(),
                                options.clock()));
        endpoints.addAll(terminals.endpoints());
        if (hasSsh()) {
            var key = HostKey.of(options.stateDirectory());
            endpoints.addAll(
                    new SshRoutes(
                                    new SshRoutes.Gateway(
                                            sshHost(config()),
                                            sshPort(config()),
                                            key.fingerprint(),
                                            key.publicKey()))
                            .endpoints());
        }
        if (hasApps()) {
            endpoints.addAll(new PortRoutes(door, authentication.codes(), site()).endpoints());
        }
    }

    private CloudConfig config() {
        return options.config();
    }

    private boolean hasSsh() {
        return hasCluster && config().ssh().enabled();
    }

    private boolean hasApps() {
        return hasCluster && config().apps().enabled();
    }

    /// The host that people type.
    static String sshHost(CloudConfig config) {
        var said = config.ssh().publicHost();
        return said.isEmpty() ? URI.create(config.publicUrl()).getHost() : said;
    }

    static int sshPort(CloudConfig config) {
        var said = config.ssh().publicPort();
        return said == 0 ? HostAndPort.parse(config.ssh().listen(), SSH_PORT).port() : said;
    }

    private HostAndPort appsListen() {
        return HostAndPort.parse(config().apps().listen(), APPS_PORT);
    }

    private PortSite site() {
        var said = config().apps().url();
        return PortSite.of(said.isEmpty() ? "http://apps.localhost:" + appsListen().port() : said);
    }

    List<Endpoint<Caller>> endpoints() {
        return List.copyOf(endpoints);
    }

    /// On the API's own port.
    void serve(WebServerConfig.Builder port) {
        terminals.serve(port);
    }

    Reach start() {
        revocations.start();
        if (hasSsh()) {
            openSsh();
        }
        if (hasApps()) {
            opened(
                    PortProxy.open(
                            appsListen(),
                            site(),
                            config().publicUrl(),
                            db,
                            new PortProxy.Rights(
                                    door,
                                    authentication.gate(),
                                    authentication.codes(),
                                    revocations),
                            options.clock()));
        }
        return this;
    }

    private void openSsh() {
        var usual = SshLimits.USUAL;
        var key = HostKey.of(options.stateDirectory());
        var gateway =
                opened(
                        SshGateway.open(
                                HostAndPort.parse(config().ssh().listen(), SSH_PORT),
                                key,
                                new KeyGuests(new SshKeys(db), sessions.store(), door),
                                new SshLimits(
                                        usual.strangers(),
                                        usual.strangersOfOneAddress(),
                                        config().ssh().maxPerUser(),
                                        usual.channels(),
                                        usual.toProve(),
                                        usual.tries(),
                                        usual.aliveEvery(),
                                        config().ssh().idle()),
                                this::entered));
        LOG.atInfo()
                .addKeyValue("port", gateway.port())
                .addKeyValue("key", key.fingerprint())
                .log("SSH leads into sessions");
    }

    private void entered(Guest guest, SshGateway.Connection connection) {
        var presence = sessions.presence().enter(guest.session());
        var watch =
                revocations.watch(
                        Grant.ofKey(guest.person(), guest.key()),
                        guest.session(),
                        () -> whyNot(guest.person(), guest.session()),
                        connection::end);
        connection.whenClosed(() -> {
            watch.close();
            close(presence);
        });
    }

    private Optional<String> whyNot(UUID person, UUID session) {
        return switch (door.open(person, session)) {
            case SessionDoor.Open _ -> Optional.empty();
            case SessionDoor.Absent() -> Optional.of("the session is not yours to enter any more");
            case SessionDoor.Closed(var why, var forGood) ->
                    forGood ? Optional.of(why) : Optional.empty();
        };
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.atWarn().setCause(e).log("a part did not stop in order");
        }
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            close(parts.pop());
        }
    }
}
