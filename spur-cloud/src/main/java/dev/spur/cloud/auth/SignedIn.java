package dev.spur.cloud.auth;

import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.users.Person;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Incoming;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// What every way of signing in ends with: a login, the platform's token, and the cookies.
final class SignedIn {
    private final Logins logins;
    private final PlatformTokens tokens;
    private final Cookies cookies;
    private final Duration access;

    SignedIn(Logins logins, PlatformTokens tokens, Cookies cookies, CloudConfig config) {
        this.logins = logins;
        this.tokens = tokens;
        this.cookies = cookies;
        this.access = config.auth().access();
    }

    /// A person in answers of the authentication.
    public record User(UUID id, String email, String username, boolean isAdmin) {
        static User of(Person person) {
            return new User(person.id(), person.email(), person.username(), person.isAdmin());
        }
    }

    /// @param token the platform's, as `Authorization: Bearer`
    /// @param refreshToken gets the next one, once
    /// @param csrfToken browsers send it with what changes something
    public record Session(
            String token, Instant expiresAt, String refreshToken, String csrfToken, User user) {}

    Answer answer(Person person, String way, Incoming request) {
        var session = begin(person, way, request);
        return withCookies(Answer.ok(session.shown()), session);
    }

    /// To be shown, and to be kept in cookies.
    record Begun(UUID login, Session shown) {}

    Begun begin(Person person, String way, Incoming request) {
        var begun =
                logins.begin(
                        person.id(),
                        way,
                        request.remoteHost(),
                        request.header("User-Agent").orElse(""));
        return new Begun(begun.id(), session(person, begun.id(), begun.refreshToken()));
    }

    Session session(Person person, UUID login, String refreshToken) {
        var issued = tokens.issue(person, login);
        return new Session(
                issued.token(),
                issued.expiresAt(),
                refreshToken,
                cookies.csrfToken(login),
                User.of(person));
    }

    Answer withCookies(Answer answer, Begun begun) {
        return cookies.signedIn(
                answer, begun.shown().token(), access, begun.shown().refreshToken(), begun.login());
    }
}
