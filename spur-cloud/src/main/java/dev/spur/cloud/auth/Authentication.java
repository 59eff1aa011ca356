package dev.spur.cloud.auth;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Secrets;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.users.People;
import dev.spur.runtime.http.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything about signing in, put together.
public final class Authentication {
    private static final Logger LOG = LoggerFactory.getLogger(Authentication.class);

    private final List<Endpoint<Caller>> endpoints;
    private final CloudGate gate;
    private final Logins logins;
    private final OneTimeCodes codes;
    private final AdminLink adminLink;

    public Authentication(
            CloudConfig config,
            Jdbi db,
            People people,
            AuditLog audit,
            Path stateDirectory,
            InstantSource clock) {
        var secret = secret(config, db, clock);
        var idle = Duration.ofHours(config.auth().jwtExpiryHours());
        this.logins = new Logins(db, idle, clock);
        this.codes = new OneTimeCodes(db, clock);
        var cookies = new Cookies(secret, config.isSecure(), idle);
        var tokens = new PlatformTokens(secret, config.publicUrl(), config.auth().access(), clock);
        var signedIn = new SignedIn(logins, tokens, cookies, config);
        this.gate = new CloudGate(tokens, logins, cookies);
        this.adminLink = new AdminLink(codes, people, config.publicUrl(), stateDirectory);
        var passwords = new Passwords(config.auth().local());
        this.endpoints =
                new ArrayList<>(
                        new AuthRoutes(
                                        config,
                                        people,
                                        passwords,
                                        logins,
                                        signedIn,
                                        new SecondFactor(db, people, clock),
                                        codes,
                                        cookies,
                                        audit,
                                        clock)
                                .endpoints());
        endpoints.add(new AdminLinkRoute(adminLink).endpoint());
        var arrivals = new Arrivals(db, people, signedIn, cookies, audit, clock, config);
        if (config.auth().github().isOn()) {
            endpoints.addAll(
                    arrivals.endpoints(
                            new Github(config.auth().github(), config.publicUrl()), gate));
        }
        if (config.auth().okta().isOn()) {
            endpoints.addAll(
                    arrivals.endpoints(
                            new OpenIdConnect(config.auth().okta(), config.publicUrl(), clock),
                            gate));
        }
    }

    /// Where nobody said a secret, the database keeps one.
    private static String secret(CloudConfig config, Jdbi db, InstantSource clock) {
        if (config.auth().hasSoundSecret()) {
            return config.auth().jwtSecret().reveal();
        }
        if (!config.auth().jwtSecret().isEmpty()) {
            LOG.atWarn()
                    .log(
                            "auth.jwt_secret is too short or the one of the example: a generated one is used instead");
        }
        return db.inTransaction(handle -> {
            handle.createUpdate(
                            "insert into installation (jwt_secret, created_at) values (:secret, :now) on conflict do nothing")
                    .bind("secret", Secrets.text())
                    .bind("now", clock.instant())
                    .execute();
            return handle.createQuery("select jwt_secret from installation")
                    .mapTo(String.class)
                    .one();
        });
    }

    public List<Endpoint<Caller>> endpoints() {
        return List.copyOf(endpoints);
    }

    public CloudGate gate() {
        return gate;
    }

    public Logins logins() {
        return logins;
    }

    public OneTimeCodes codes() {
        return codes;
    }

    public AdminLink adminLink() {
        return adminLink;
    }

    /// At the start of the daemon.
    public void offerAdminLink() {
        adminLink.offer();
    }
}
