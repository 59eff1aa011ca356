package dev.spur.cloud.auth;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Secrets;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.users.People;
import dev.spur.cloud.users.Person;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// People who sign in by somebody else: the way there, the way back, and who they are here. The
/// only place that knows the tables `authorization_request` and `identity`.
///
/// The way back counts once, in the browser that went there, and ends at the console with cookies:
/// no token is ever part of an address.
final class Arrivals {
    private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);
    private static final Duration LIFE = Duration.ofMinutes(10);
    private static final String TAG = "auth";

    private final Jdbi db;
    private final People people;
    private final SignedIn signedIn;
    private final Cookies cookies;
    private final AuditLog audit;
    private final InstantSource clock;
    private final CloudConfig config;
    private final Throttle byAddress;

    Arrivals(
            Jdbi db,
            People people,
            SignedIn signedIn,
            Cookies cookies,
            AuditLog audit,
            InstantSource clock,
            CloudConfig config) {
        this.db = db;
        this.people = people;
        this.signedIn = signedIn;
        this.cookies = cookies;
        this.audit = audit;
        this.clock = clock;
        this.config = config;
        this.byAddress = new Throttle(60, Duration.ofMinutes(1), clock);
    }

    private record Request(
            byte[] browser, String verifier, String nonce, @Nullable UUID personId) {}

    List<Endpoint<Caller>> endpoints(ExternalProvider provider, CloudGate gate) {
        var path = "/api/auth/" + provider.name();
        var name =
                provider.name().substring(0, 1).toUpperCase(Locale.ROOT)
                        + provider.name().substring(1);
        return List.of(
                Endpoint.<Caller>get(path, "signInBy" + name)
                        .tag(TAG)
                        .says("Sign in by %s: sends the browser there".formatted(name))
                        .query(
                                "link",
                                boolean.class,
                                "true: whoever is signed in adds this way to their account")
                        .answers(307, Void.class)
                        .by(call -> depart(provider, gate, call)),
                Endpoint.<Caller>get(path + "/callback", "signedInBy" + name)
                        .tag(TAG)
                        .says("Where %s sends the browser back to".formatted(name))
                        .query("code", String.class, "what the provider gave")
                        .query("state", String.class, "what was sent there")
                        .query("error", String.class, "why the provider gave nothing")
                        .query("error_description", String.class, "the same for people")
                        .query("error_uri", String.class, "the same, elsewhere")
                        .query("iss", String.class, "who the provider is")
                        .query("session_state", String.class, "not used")
                        .answers(307, Void.class)
                        .by(call -> arrive(provider, call)));
    }

    private Answer depart(ExternalProvider provider, CloudGate gate, Call<Caller> call) {
        byAddress.take(call.request().remoteHost());
        var links = call.query("link").filter("true"::equals).isPresent();
        var person =
                links
                        ? gate.person(call.request())
                                .filter(known ->
                                        known.login() != null) // no API token makes a login
                                .orElseThrow(() ->
                                        Problem.of(
                                                401,
                                                "not-signed-in",
                                                "To add a way of signing in, be signed in.",
                                                "Sign in first."))
                        : null;
        var state = Secrets.text();
        var browser = Secrets.text();
        var verifier = Secrets.text();
        var nonce = Secrets.text();
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                insert into authorization_request (state, browser, provider, verifier, nonce, person_id, expires_at)
                                values (:state, :browser, :provider, :verifier, :nonce, :person, :expires)
                                """)
                        .bind("state", Secrets.hash(state))
                        .bind("browser", Secrets.hash(browser))
                        .bind("provider", provider.name())
                        .bind("verifier", verifier)
                        .bind("nonce", nonce)
                        .bind("person", person == null ? null : person.id())
                        .bind("expires", clock.instant().plus(LIFE))
                        .execute());
        var to =
                provider.authorization(
                        state,
                        Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(Secrets.hash(verifier)),
                        nonce);
        return cookies.onTheWay(redirect(to.toString()), browser);
    }

    /// Whatever goes wrong on the way back is told on the console's page, where people are.
    private Answer arrive(ExternalProvider provider, Call<Caller> call) {
        try {
            return cookies.arrived(arrived(provider, call));
        } catch (Problem problem) {
            LOG.atInfo()
                    .addKeyValue("provider", provider.name())
                    .addKeyValue("code", problem.code())
                    .addKeyValue("request", call.request().id())
                    .setCause(problem.getCause())
                    .log("somebody could not sign in");
            return cookies.arrived(
                    redirect(
                            "%s/login?error=%s&message=%s"
                                    .formatted(
                                            config.publicUrl(),
                                            problem.code(),
                                            URLEncoder.encode(
                                                    problem.because(), StandardCharsets.UTF_8))));
        }
    }

    private Answer arrived(ExternalProvider provider, Call<Caller> call) {
        byAddress.take(call.request().remoteHost());
        var request = taken(provider, call);
        var error = call.query("error");
        if (error.isPresent()) {
            throw Problem.of(
                    403,
                    "provider-refused",
                    "%s did not let you in (%s)."
                            .formatted(provider.name(), error.get().replaceAll("[^a-z_]", "")),
                    "Try again.");
        }
        var code =
                call.query("code").orElseThrow(() -> wrongWay("The provider sent no code along."));
        var claims = provider.redeem(code, request.verifier(), request.nonce());
        if (request.personId() != null) {
            return linked(provider, claims, request.personId(), call);
        }
        var person = person(provider, claims, call);
        audit.add(
                person.id(),
                person.email(),
                call.request(),
                "auth.login",
                person.email(),
                provider.name());
        var begun = signedIn.begin(person, provider.name(), call.request());
        return signedIn.withCookies(redirect(config.publicUrl() + "/"), begun);
    }

    /// Uses up what was noted when the browser left. It must be the same browser.
    private Request taken(ExternalProvider provider, Call<Caller> call) {
        var state = call.query("state").orElse("");
        var found =
                db.withHandle(handle ->
                        handle.createQuery(
                                        """
                                        delete from authorization_request
                                         where state = :state and provider = :provider and expires_at > :now
                                        returning browser, verifier, nonce, person_id
                                        """)
                                .bind("state", Secrets.hash(state))
                                .bind("provider", provider.name())
                                .bind("now", clock.instant())
                                .map(ConstructorMapper.of(Request.class))
                                .findOne());
        var browser = Secrets.hash(call.request().cookie(Cookies.OAUTH).orElse(""));
        return found.filter(request -> MessageDigest.isEqual(request.browser(), browser))
                .orElseThrow(
                        () -> wrongWay("This was not begun in this browser, or too long ago."));
    }

    private static Problem wrongWay(String because) {
        return Problem.of(400, "sign-in-again", because, "Begin again at the sign-in page.");
    }

    private Answer linked(
            ExternalProvider provider, ExternalProvider.Claims claims, UUID id, Call<Caller> call) {
        var owner = people.byIdentity(provider.name(), claims.subject());
        if (owner.isPresent() && !owner.get().id().equals(id)) {
            throw Problem.of(
                    409,
                    "identity-taken",
                    "This %s account belongs to another user here.".formatted(provider.name()),
                    "Sign in with it, or use another.");
        }
        db.useTransaction(handle -> link(handle, provider, claims, id));
        audit.add(
                id,
                claims.username(),
                call.request(),
                "user.link",
                provider.name(),
                claims.subject());
        return redirect(config.publicUrl() + "/settings?linked=" + provider.name());
    }

    private Person person(
            ExternalProvider provider, ExternalProvider.Claims claims, Call<Caller> call) {
        var known = people.byIdentity(provider.name(), claims.subject());
        var person = known.isPresent() ? known.get() : newcomer(provider, claims, call);
        if (!person.isActive()) {
            throw Problem.of(
                    403,
                    "account-disabled",
                    "Your account here is disabled.",
                    "Ask an administrator.");
        }
        var isAdmin = claims.isAdmin();
        if (isAdmin != null && isAdmin != person.isAdmin()) {
            people.setAdmin(person.id(), isAdmin);
            audit.addOwn(
                    "user.admin", person.email(), isAdmin + " by groups of " + provider.name());
        }
        return people.find(person.id()).orElseThrow(() -> Problem.notFound("user"));
    }

    /// Somebody whom this provider never sent before: a new person, or one who is here already and
    /// whose address both providers vouch for.
    private Person newcomer(
            ExternalProvider provider, ExternalProvider.Claims claims, Call<Caller> call) {
        var email =
                claims.verifiedEmail()
                        .orElseThrow(() ->
                                Problem.of(
                                        403,
                                        "no-verified-email",
                                        "%s vouches for no e-mail address of yours."
                                                .formatted(provider.name()),
                                        "Verify your address there, then try again."));
        var same = people.byEmail(email);
        if (same.isPresent()) {
            if (!same.get().emailVerified()) {
                throw Problem.of(
                        409,
                        "link-first",
                        "There is an account with this address already.",
                        "Sign in as you did before, and add this way in your settings.");
            }
            db.useTransaction(handle -> link(handle, provider, claims, same.get().id()));
            return same.get();
        }
        requireDomain(email);
        var person =
                db.inTransaction(handle -> {
                    var added =
                            People.insert(
                                    handle,
                                    new People.New(
                                            email,
                                            true,
                                            freeName(handle, claims.username()),
                                            null,
                                            claims.displayName(),
                                            claims.avatarUrl(),
                                            Boolean.TRUE.equals(claims.isAdmin())),
                                    clock.instant());
                    link(handle, provider, claims, added.id());
                    return added;
                });
        audit.add(person.id(), email, call.request(), "user.register", email, provider.name());
        return person;
    }

    private void requireDomain(String email) {
        var domains = config.auth().registrationDomains();
        if (!domains.isEmpty()
                && !domains.contains(
                        email.substring(email.indexOf('@') + 1).toLowerCase(Locale.ROOT))) {
            throw Problem.of(
                    403,
                    "domain-not-allowed",
                    "Addresses of your domain are not let in here.",
                    "Ask an administrator.");
        }
    }

    /// The name there, made fit for here; with a number behind it if somebody has it.
    private static String freeName(Handle handle, String wanted) {
        var base = wanted.replaceAll("@.*", "").replaceAll("[^A-Za-z0-9._-]", "-");
        base = base.replaceAll("^[^A-Za-z0-9]+", "");
        base = base.isEmpty() ? "user" : base.substring(0, Math.min(base.length(), 32));
        var name = base;
        for (var number = 2; isTaken(handle, name); number++) {
            name = base + number;
        }
        return name;
    }

    private static boolean isTaken(Handle handle, String name) {
        Optional<Integer> found =
                handle.createQuery("select 1 from person where lower(username) = lower(:name)")
                        .bind("name", name)
                        .mapTo(Integer.class)
                        .findOne();
        return found.isPresent();
    }

    private void link(
            Handle handle, ExternalProvider provider, ExternalProvider.Claims claims, UUID person) {
        handle.createUpdate(
                        """
                        insert into identity (provider, subject, person_id, email, linked_at)
                        values (:provider, :subject, :person, :email, :now)
                        on conflict (provider, subject) do nothing
                        """)
                .bind("provider", provider.name())
                .bind("subject", claims.subject())
                .bind("person", person)
                .bind("email", claims.email())
                .bind("now", clock.instant())
                .execute();
    }

    private static Answer redirect(String to) {
        return new Answer(307, java.util.Map.of(), null).with("Location", to);
    }
}
