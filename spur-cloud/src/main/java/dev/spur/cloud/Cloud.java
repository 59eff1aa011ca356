package dev.spur.cloud;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ClaimCloudLinkReply;
import dev.spur.api.v1.ClaimCloudLinkRequest;
import dev.spur.cloud.access.Caller;
import dev.spur.cloud.admin.AdminRoutes;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.auth.Authentication;
import dev.spur.cloud.billing.AccountingTruth;
import dev.spur.cloud.billing.Billing;
import dev.spur.cloud.billing.Truth;
import dev.spur.cloud.carry.Carrier;
import dev.spur.cloud.carry.RestAddress;
import dev.spur.cloud.cluster.ClusterClients;
import dev.spur.cloud.cluster.LinkRoutes;
import dev.spur.cloud.cluster.UnixAccount;
import dev.spur.cloud.cluster.UnixAccounts;
import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.projects.ProjectRoutes;
import dev.spur.cloud.projects.Projects;
import dev.spur.cloud.sessions.Backend;
import dev.spur.cloud.sessions.BackendAwayException;
import dev.spur.cloud.sessions.NativeBackend;
import dev.spur.cloud.sessions.NoBackend;
import dev.spur.cloud.sessions.Sessions;
import dev.spur.cloud.sessions.Steps;
import dev.spur.cloud.update.UpdateCheck;
import dev.spur.cloud.users.ApiTokens;
import dev.spur.cloud.users.People;
import dev.spur.cloud.users.SshKeys;
import dev.spur.cloud.users.UserRoutes;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.HttpPort;
import dev.spur.runtime.http.OpenApi;
import dev.spur.runtime.http.Problem;
import dev.spur.runtime.http.Router;
import dev.spur.runtime.postgres.Database;
import dev.spur.runtime.postgres.DatabaseAddress;
import dev.spur.runtime.postgres.EmbeddedPostgres;
import dev.spur.runtime.process.Running;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/// The cloud daemon. Read [#serve] to learn what it is made of.
final class Cloud implements Running {
    private static final Logger LOG = LoggerFactory.getLogger(Cloud.class);
    static final String DATABASE = "spur_cloud";
    private static final int LARGEST_BODY = 1 << 20;

    /// Administrators of the cluster have their rights by way of the cloud only so long.
    private static final Duration SIGNED_IN_RECENTLY = Duration.ofMinutes(15);

    private final @Nullable EmbeddedPostgres postgres;
    private final Database database;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile int port;
    private @Nullable ClusterClients clients;
    private @Nullable UnixAccounts accounts;
    private @Nullable Sessions sessions;

    private Cloud(@Nullable EmbeddedPostgres postgres, Database database) {
        this.postgres = postgres;
        this.database = database;
    }

    /// @param postgres a server of this daemon's own, which ends with it; null if somebody else
    ///   keeps the database running
    static Cloud start(
            @Nullable EmbeddedPostgres postgres, DatabaseAddress address, CloudOptions options) {
        return start(postgres, address, options, null);
    }

    /// @param backend instead of the configured one, which is not reconciled by itself then
    static Cloud start(
            @Nullable EmbeddedPostgres postgres,
            DatabaseAddress address,
            CloudOptions options,
            @Nullable Backend backend) {
        var cloud = new Cloud(postgres, Database.open(address, CloudDatabase.USE));
        try {
            cloud.serve(options, backend);
            return cloud;
        } catch (RuntimeException e) {
            cloud.closeParts();
            throw e;
        }
    }

    private void serve(CloudOptions options, @Nullable Backend instead) {
        var config = options.config();
        var clock = options.clock();
        var db = CloudDatabase.prepared(database.jdbi());
        var audit = new AuditLog(db, clock);
        var people = new People(db);
        var authentication =
                new Authentication(config, db, people, audit, options.stateDirectory(), clock);

        var endpoints = new ArrayList<Endpoint<Caller>>();
        endpoints.addAll(new Operations(database::answers).endpoints());
        endpoints.addAll(authentication.endpoints());
        endpoints.addAll(
                new UserRoutes(people, new SshKeys(db), new ApiTokens(db), audit, clock)
                        .endpoints());
        endpoints.addAll(
                new AdminRoutes(
                                people,
                                authentication.logins(),
                                authentication.codes(),
                                audit,
                                config.publicUrl(),
                                clock,
                                _ -> {})
                        .endpoints());
        var updates =
                new UpdateCheck(
                        config.update(), SpurCloud.VERSION, options.stateDirectory(), clock);
        endpoints.addAll(updates.endpoints());
        var projects = new Projects(db);
        clients = clients(options);
        var known = clients;
        accounts =
                new UnixAccounts(db, () -> known == null ? UnixAccounts.Range.USUAL : known.uids());
        var billing = new Billing(db, config.billing(), audit, clock);
        endpoints.addAll(billing.endpoints());
        sessions =
                opened(
                        new Sessions(
                                config,
                                db,
                                new Sessions.Needs(
                                        instead == null ? backend(config, known) : instead,
                                        projects,
                                        accounts(),
                                        audit,
                                        authentication.gate()::isStillThere,
                                        billing::cost,
                                        billing::requireBudget,
                                        hasSsh(config) ? Reach.sshHost(config) : null,
                                        hasSsh(config) ? Reach.sshPort(config) : 0,
                                        options.stateDirectory(),
                                        Steps.NONE),
                                clock));
        endpoints.addAll(sessions().endpoints());
        var reach = new Reach(options, db, authentication, sessions(), known);
        endpoints.addAll(reach.endpoints());
        endpoints.addAll(
                new LinkRoutes(db, authentication.codes(), audit, clock, claim -> claimed(claim))
                        .endpoints());
        var metrics = new Metrics(db, billing::unsettled, authentication.gate()::admit);
        endpoints.add(metrics.endpoint());
        endpoints.addAll(new ProjectRoutes(projects, people, audit, clock).endpoints());
        endpoints.add(description(endpoints));
        var router =
                new Router<>(
                        endpoints,
                        authentication.gate(),
                        Cloud::faults,
                        LARGEST_BODY,
                        fallback(options, authentication),
                        metrics);
        authentication.offerAdminLink(); // who sees the port open finds the link
        port = opened(HttpPort.open(options.listen(), router, reach::serve)).number();
        opened(reach).start(); // closed before the port: terminals are told why
        updates.startUp();
        sessions().start();
        if (instead == null) {
            sessions().reconciling();
        }
        if (known != null) {
            opened(billing.start(accounting(config, known), sessions()::stop));
        }
        LOG.atInfo()
                .addKeyValue("port", port)
                .addKeyValue("public_url", config.publicUrl())
                .log("the cloud serves");
    }

    private boolean hasSsh(CloudConfig config) {
        return clients != null && config.ssh().enabled();
    }

    /// Null: this daemon is not part of a cluster.
    private @Nullable ClusterClients clients(CloudOptions options) {
        return options.controllers().isEmpty()
                ? null
                : opened(
                        new ClusterClients(
                                options.identity(), options.controllers(), options.clock()));
    }

    /// What really ran, asked in the name of whose sessions they are.
    private static Truth accounting(CloudConfig config, ClusterClients clients) {
        var said = config.spur().accountingAddr();
        return new AccountingTruth(
                session ->
                        clients.as(
                                new UnixAccount(
                                        session.uid(), session.unixName(), session.isLinked()),
                                false),
                said.isEmpty() ? null : HostAndPort.parse(said, AccountingTruth.PORT));
    }

    private static Backend backend(CloudConfig config, @Nullable ClusterClients clients) {
        var kind = config.server().backend();
        return switch (kind) {
            case NATIVE ->
                    clients == null
                            ? new NoBackend(
                                    kind,
                                    "This service knows no cluster: spur.controller_addr is not set.")
                            : new NativeBackend(clients);
            case KUBERNETES ->
                    new NoBackend(
                            kind,
                            "Sessions in Kubernetes need Spur's operator, which this installation does not have.");
        };
    }

    /// What is not this API's own: the cluster's, and the console's files.
    private Router.Fallback fallback(CloudOptions options, Authentication authentication) {
        var address = options.config().spur().restAddr();
        if (address.isEmpty()) {
            return options.console();
        }
        var identity = options.identity();
        var gate = authentication.gate();
        var carrier =
                opened(
                        new Carrier(
                                RestAddress.parse(address),
                                identity == null ? null : identity.sslContext(),
                                person -> token(person, options.clock()),
                                gate::admit,
                                gate::isStillThere));
        return request -> {
            var carried = carrier.answer(request);
            return carried.isPresent() ? carried : options.console().answer(request);
        };
    }

    private ClaimCloudLinkReply claimed(ClaimCloudLinkRequest request) {
        var known = clients;
        if (known == null) {
            throw Problem.of(
                    503,
                    "no-cluster",
                    "This service is not part of a cluster.",
                    "Ask your administrator.");
        }
        return known.asHost().call(controller -> controller.claimCloudLink(request));
    }

    /// By which the cluster knows this person.
    private String token(Caller.Person person, InstantSource clock) {
        var known = clients;
        if (known == null) {
            throw Problem.of(
                    503,
                    "no-cluster",
                    "This service is not part of a cluster that would know %s."
                            .formatted(person.email()),
                    "Ask your administrator to join it (spur token join --role cloud).");
        }
        var recently = person.hasProvedSince(clock.instant().minus(SIGNED_IN_RECENTLY));
        return known.token(accounts().of(person.id()), recently).text();
    }

    private static Endpoint<Caller> description(List<Endpoint<Caller>> endpoints) {
        var self = new ObjectNode[1];
        var endpoint =
                Endpoint.<Caller>get("/api/openapi.json", "describeApi")
                        .tag("operations")
                        .says("This description")
                        .answers(200, Object.class)
                        .by(_ -> Answer.ok(self[0]));
        var all = new ArrayList<>(endpoints);
        all.add(endpoint);
        self[0] = document(all);
        return endpoint;
    }

    private static ObjectNode document(List<Endpoint<Caller>> endpoints) {
        return OpenApi.document(
                new OpenApi.Title(
                        "Spur Cloud",
                        SpurCloud.VERSION,
                        "Sessions with GPUs on a Spur cluster. Errors are problem documents (RFC 9457) with a stable code.",
                        Map.of(
                                "bearer",
                                Map.of("type", "http", "scheme", "bearer"),
                                "browser",
                                Map.of("type", "apiKey", "in", "cookie", "name", "spur_access"))),
                endpoints);
    }

    /// What failures of others mean to those who called us.
    private static Optional<Problem> faults(Throwable failure) {
        return switch (failure) {
            case BackendAwayException e ->
                    Optional.of(
                            Problem.of(
                                            503,
                                            "scheduler-away",
                                            "What runs sessions cannot be asked: %s."
                                                    .formatted(e.getMessage()),
                                            "Try again in a moment.")
                                    .causedBy(e));
            case ControllerException e -> {
                LOG.atWarn().setCause(e).log("the controllers did not do what was asked");
                yield Optional.of(
                        Problem.of(
                                        503,
                                        "scheduler-away",
                                        // where controllers are is nobody's business here
                                        e.kind() == ControllerException.Kind.REFUSED
                                                ? "The cluster refuses: %s."
                                                        .formatted(e.getMessage())
                                                : "The cluster's scheduler cannot be asked.",
                                        "Try again in a moment.")
                                .causedBy(e));
            }
            case JdbiException e -> {
                LOG.atError().setCause(e).log("the database failed");
                yield Optional.of(
                        Problem.of(
                                        503,
                                        "database-away",
                                        "The database did not do what was asked.",
                                        "Try again in a moment.")
                                .causedBy(e));
            }
            default -> Optional.empty();
        };
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    private UnixAccounts accounts() {
        return Objects.requireNonNull(accounts);
    }

    Sessions sessions() {
        return Objects.requireNonNull(sessions);
    }

    int port() {
        return port;
    }

    @Override
    public void awaitTermination() throws InterruptedException {
        if (postgres != null) {
            postgres.awaitTermination();
        }
        closed.await();
    }

    @Override
    public void close() {
        closeParts();
        if (postgres != null) {
            postgres.close();
        }
        closed.countDown();
    }

    /// The last one first; the database when nobody uses it any more.
    private synchronized void closeParts() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                LOG.atWarn().setCause(e).log("a part did not stop in order");
            }
        }
        database.close();
    }
}
