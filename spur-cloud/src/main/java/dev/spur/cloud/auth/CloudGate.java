package dev.spur.cloud.auth;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Needs;
import dev.spur.cloud.users.ApiTokens;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Gate;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Problem;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Who may call what. Every rule is looked up when it is needed: whoever loses a right, a login or
/// a token has lost it with the next request.
public final class CloudGate implements Gate<Caller> {
    private static final Set<String> READING = Set.of("GET", "HEAD");

    private final PlatformTokens tokens;
    private final Logins logins;
    private final Cookies cookies;

    CloudGate(PlatformTokens tokens, Logins logins, Cookies cookies) {
        this.tokens = tokens;
        this.logins = logins;
        this.cookies = cookies;
    }

    @Override
    public Caller admit(Endpoint<Caller> endpoint, Incoming request) {
        if (endpoint.isOpen()) {
            return new Caller.Stranger();
        }
        return admit(endpoint.needs(), request);
    }

    /// Whoever a request is from, if they are and have all of this.
    public Caller.Person admit(List<String> needs, Incoming request) {
        var person = person(request).orElseThrow(() -> unknown(request));
        for (var need : needs) {
            require(need, person, READING.contains(request.method()));
        }
        return person;
    }

    /// Whoever a request is from, if anybody; also for endpoints that are open.
    public Optional<Caller.Person> person(Incoming request) {
        var authorization = request.header("Authorization");
        if (authorization.isPresent()) {
            return bearer(authorization.get());
        }
        var person = request.cookie(Cookies.ACCESS).flatMap(tokens::login).flatMap(logins::person);
        person.ifPresent(known -> {
            if (!READING.contains(request.method())) {
                requireOwnPage(known, request);
            }
        });
        return person;
    }

    /// Whoever holds this token: of a login, or an API token.
    public Optional<Caller.Person> holder(String token) {
        return token.startsWith(ApiTokens.PREFIX)
                ? logins.personOfToken(token)
                : tokens.login(token).flatMap(logins::person);
    }

    /// Whoever was let in by this before, as things are now.
    ///
    /// @param kind `login` or `token`
    public Optional<Caller.Person> again(String kind, UUID id) {
        return kind.equals("login") ? logins.person(id) : logins.personOfToken(id);
    }

    /// Whether somebody who was let in may stay: for whatever lasts longer than a request.
    public boolean isStillThere(Caller.Person person) {
        return person.login() == null
                ? person.token() != null && logins.isGoodToken(person.token())
                : logins.person(person.login()).isPresent();
    }

    private Optional<Caller.Person> bearer(String header) {
        if (!header.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return Optional.empty();
        }
        return holder(header.substring(7).strip());
    }

    /// A browser sends cookies with whatever any page asks; only pages of ours can read the other
    /// cookie and send it as a header.
    private void requireOwnPage(Caller.Person person, Incoming request) {
        var said = request.header(Cookies.CSRF_HEADER).orElse("");
        var expected = cookies.csrfToken(person);
        if (!MessageDigest.isEqual(said.getBytes(), expected.getBytes())) {
            throw Problem.of(
                    403,
                    "csrf",
                    "The request does not show that it comes from the console.",
                    "Send the value of the cookie %s in the header %s."
                            .formatted(Cookies.CSRF, Cookies.CSRF_HEADER));
        }
    }

    private static void require(String need, Caller.Person person, boolean onlyReads) {
        switch (need) {
            case Needs.USER -> {}
            case Needs.LOGIN -> {
                if (person.login() == null) {
                    throw Problem.of(
                            403,
                            "login-needed",
                            "An API token cannot do that.",
                            "Sign in, as in POST /api/auth/login.");
                }
            }
            case Needs.ADMIN -> {
                if (!person.isAdmin()) {
                    throw Problem.of(
                            403,
                            "administrators-only",
                            "Only administrators can do that.",
                            "Ask one of them.");
                }
            }
            default -> requireScope(need.substring("scope ".length()), person, onlyReads);
        }
    }

    private static void requireScope(String scope, Caller.Person person, boolean onlyReads) {
        if (!person.scopes().contains(scope) && !(onlyReads && person.scopes().contains("read"))) {
            throw Problem.of(
                    403,
                    "scope-needed",
                    "This API token was not made for that: it lacks the scope %s.".formatted(scope),
                    "Make one with it in your settings.");
        }
    }

    private static Problem unknown(Incoming request) {
        var said =
                request.header("Authorization").isPresent()
                        || request.cookie(Cookies.ACCESS).isPresent();
        return Problem.of(
                        401,
                        said ? "token-over" : "not-signed-in",
                        said
                                ? "Your token is unknown, over or revoked."
                                : "This needs somebody who is signed in.",
                        said
                                ? "Renew it (POST /api/auth/refresh) or sign in again."
                                : "Send the header Authorization: Bearer TOKEN.")
                .with("WWW-Authenticate", "Bearer");
    }
}
