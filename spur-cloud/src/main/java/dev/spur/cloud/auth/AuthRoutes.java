package dev.spur.cloud.auth;

import static dev.spur.cloud.access.Needs.LOGIN;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Fields;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.auth.OneTimeCodes.Kind;
import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.users.People;
import dev.spur.cloud.users.Person;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Lists;
import dev.spur.runtime.http.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// `/api/auth` for people with a password, and what all logins have in common.
final class AuthRoutes {
    private static final String TAG = "auth";
    private static final String WAY = "local";

    private final CloudConfig config;
    private final People people;
    private final Passwords passwords;
    private final Logins logins;
    private final SignedIn signedIn;
    private final SecondFactor secondFactor;
    private final OneTimeCodes codes;
    private final Cookies cookies;
    private final AuditLog audit;
    private final InstantSource clock;
    private final Throttle byAddress;
    private final Throttle byAccount;
    private final Throttle registrations;

    AuthRoutes(
            CloudConfig config,
            People people,
            Passwords passwords,
            Logins logins,
            SignedIn signedIn,
            SecondFactor secondFactor,
            OneTimeCodes codes,
            Cookies cookies,
            AuditLog audit,
            InstantSource clock) {
        this.config = config;
        this.people = people;
        this.passwords = passwords;
        this.logins = logins;
        this.signedIn = signedIn;
        this.secondFactor = secondFactor;
        this.codes = codes;
        this.cookies = cookies;
        this.audit = audit;
        this.clock = clock;
        this.byAddress = new Throttle(60, Duration.ofMinutes(1), clock);
        this.byAccount = new Throttle(10, Duration.ofMinutes(5), clock);
        this.registrations = new Throttle(20, Duration.ofHours(1), clock);
    }

    /// @param invitation where registration is by invitation
    public record Registration(
            @Nullable String email,
            @Nullable String username,
            @Nullable String password,
            @Nullable String invitation) {}

    /// @param code of the second factor, for those who have one
    public record Credentials(
            @Nullable String email, @Nullable String password, @Nullable String code) {}

    /// @param refreshToken missing: the one in the cookie
    public record Refresh(@Nullable String refreshToken) {}

    /// The first administrator.
    public record Setup(
            @Nullable String code,
            @Nullable String email,
            @Nullable String username,
            @Nullable String password) {}

    public record NewPassword(@Nullable String code, @Nullable String password) {}

    public record PasswordChange(@Nullable String current, @Nullable String password) {}

    /// To prove again who one is, before something that matters.
    public record Proof(@Nullable String password, @Nullable String code) {}

    public record Provider(String name, String displayName, boolean enabled, String authorizeUrl) {}

    /// @param registration closed, invite or open
    /// @param needsSetup whether nobody has used the link of the first administrator yet
    public record Providers(List<Provider> providers, String registration, boolean needsSetup) {}

    /// @param url for the app, as a QR code or a link
    public record SecondFactorStart(String secret, String url) {}

    /// @param recoveryCodes each good once, shown this once
    public record SecondFactorOn(List<String> recoveryCodes) {}

    List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/api/auth/providers", "listAuthProviders")
                        .tag(TAG)
                        .says("How one can sign in here")
                        .answers(200, Providers.class)
                        .by(_ -> Answer.ok(providers())),
                Endpoint.<Caller>post("/api/auth/register", "register")
                        .tag(TAG)
                        .says("Make an account with a password")
                        .takes(Registration.class)
                        .answers(200, SignedIn.Session.class)
                        .refuses(403, 409)
                        .by(this::register),
                Endpoint.<Caller>post("/api/auth/login", "login")
                        .tag(TAG)
                        .says("Sign in with a password")
                        .takes(Credentials.class)
                        .answers(200, SignedIn.Session.class)
                        .refuses(401)
                        .by(this::login),
                Endpoint.<Caller>post("/api/auth/refresh", "refreshToken")
                        .tag(TAG)
                        .says("Get the next token; a refresh token works once")
                        .takes(Refresh.class)
                        .answers(200, SignedIn.Session.class)
                        .refuses(401, 409)
                        .by(this::refresh),
                Endpoint.<Caller>post("/api/auth/logout", "logout")
                        .tag(TAG)
                        .says("Sign out: this login ends")
                        .needs(LOGIN)
                        .answers(204, Void.class)
                        .by(this::logout),
                Endpoint.<Caller>get("/api/auth/logins", "listLogins")
                        .tag(TAG)
                        .says("Where I am signed in")
                        .needs(LOGIN)
                        .answers(200, Lists.of(Logins.Login.class))
                        .by(call -> Answer.ok(logins.of(call.caller().person().id()))),
                Endpoint.<Caller>delete("/api/auth/logins/{id}", "endLogin")
                        .tag(TAG)
                        .says("Sign out somewhere else")
                        .needs(LOGIN)
                        .answers(204, Void.class)
                        .by(this::endLogin),
                Endpoint.<Caller>post("/api/auth/setup", "setUpFirstAdministrator")
                        .tag(TAG)
                        .says("Make the first administrator, with the code of the one-time link")
                        .takes(Setup.class)
                        .answers(200, SignedIn.Session.class)
                        .refuses(403, 409)
                        .by(this::setUp),
                Endpoint.<Caller>post("/api/auth/password", "changePassword")
                        .tag(TAG)
                        .says("Change my password; all my other logins end")
                        .needs(LOGIN)
                        .takes(PasswordChange.class)
                        .answers(204, Void.class)
                        .by(this::changePassword),
                Endpoint.<Caller>post("/api/auth/reset", "resetPassword")
                        .tag(TAG)
                        .says("Set a new password with the code of an administrator's link")
                        .takes(NewPassword.class)
                        .answers(204, Void.class)
                        .refuses(403)
                        .by(this::resetPassword),
                Endpoint.<Caller>post("/api/auth/prove", "proveAgain")
                        .tag(TAG)
                        .says("Prove again who I am, before something that matters")
                        .needs(LOGIN)
                        .takes(Proof.class)
                        .answers(204, Void.class)
                        .by(this::proveAgain),
                Endpoint.<Caller>post("/api/auth/totp", "startSecondFactor")
                        .tag(TAG)
                        .says("Begin with a second factor: the secret for the app")
                        .needs(LOGIN)
                        .answers(200, SecondFactorStart.class)
                        .refuses(409)
                        .by(this::startSecondFactor),
                Endpoint.<Caller>post("/api/auth/totp/confirm", "confirmSecondFactor")
                        .tag(TAG)
                        .says("Turn the second factor on, with its first code")
                        .needs(LOGIN)
                        .takes(Proof.class)
                        .answers(200, SecondFactorOn.class)
                        .by(this::confirmSecondFactor),
                Endpoint.<Caller>post("/api/auth/totp/off", "endSecondFactor")
                        .tag(TAG)
                        .says("Turn the second factor off, with a code of it")
                        .needs(LOGIN)
                        .takes(Proof.class)
                        .answers(204, Void.class)
                        .by(this::endSecondFactor));
    }

    private Providers providers() {
        var list = new ArrayList<Provider>();
        if (config.auth().local().enabled()) {
            list.add(new Provider(WAY, "E-mail and password", true, ""));
        }
        if (config.auth().github().isOn()) {
            list.add(new Provider("github", "GitHub", true, "/api/auth/github"));
        }
        if (config.auth().okta().isOn()) {
            list.add(
                    new Provider(
                            "okta", config.auth().okta().displayName(), true, "/api/auth/okta"));
        }
        var needsSetup = people.administrators() == 0;
        return new Providers(
                list,
                needsSetup
                        ? "closed"
                        : config.auth().registration().name().toLowerCase(Locale.ROOT),
                needsSetup);
    }

    private Answer register(Call<Caller> call) {
        var wish = call.body(Registration.class);
        requireLocal();
        registrations.take(call.request().remoteHost());
        requireOpenFor(wish);
        checkNew(wish.email(), wish.username(), wish.password());
        var email = Fields.normalized(String.valueOf(wish.email()));
        requireDomain(email);
        var invitation = wish.invitation();
        if (invitation != null) {
            requireInvitation(invitation, email);
        }
        var added =
                people.add(
                        new People.New(
                                email,
                                false,
                                String.valueOf(wish.username()),
                                passwords.hash(String.valueOf(wish.password())),
                                null,
                                null,
                                false),
                        clock.instant());
        return switch (added) {
            case People.Taken() -> {
                if (invitation != null) {
                    codes.giveBack(Kind.INVITATION, invitation);
                }
                throw taken();
            }
            case People.Welcome(var person) -> {
                audit.add(person.id(), email, call.request(), "user.register", email, "");
                yield signedIn.answer(person, WAY, call.request());
            }
        };
    }

    private void requireOpenFor(Registration wish) {
        var isSetUp = people.administrators() > 0;
        var isAllowed =
                isSetUp
                        && switch (config.auth().registration()) {
                            case CLOSED, INVITE -> wish.invitation() != null;
                            case OPEN -> true;
                        };
        if (!isAllowed) {
            throw Problem.of(
                    403,
                    "registration-closed",
                    isSetUp
                            ? "Nobody can make an account here without an invitation."
                            : "This installation has no administrator yet.",
                    isSetUp
                            ? "Ask an administrator to invite you."
                            : "Use the link that the first start printed (again with: spur cloud admin-link).");
        }
    }

    private void requireDomain(String email) {
        var domains = config.auth().registrationDomains();
        if (!domains.isEmpty() && !domains.contains(email.substring(email.indexOf('@') + 1))) {
            throw Problem.field("email", "must be of one of: " + String.join(", ", domains));
        }
    }

    private void requireInvitation(String invitation, String email) {
        var meant = codes.use(Kind.INVITATION, invitation).orElseThrow(AuthRoutes::badCode);
        if (meant.subject() != null && !meant.subject().equals(email)) {
            codes.giveBack(Kind.INVITATION, invitation);
            throw Problem.field("email", "is not the one that was invited");
        }
    }

    private static void checkNew(
            @Nullable String email, @Nullable String username, @Nullable String password) {
        new Fields().email(email).username(username).password(password).check();
    }

    private static Problem taken() {
        return Problem.of(
                409,
                "account-exists",
                "Somebody has this e-mail address or user name already.",
                "Sign in, or choose another.");
    }

    private Answer login(Call<Caller> call) {
        requireLocal();
        var said = call.body(Credentials.class);
        var email = Fields.normalized(said.email() == null ? "" : said.email());
        var password = said.password() == null ? "" : said.password();
        byAddress.take(call.request().remoteHost());
        byAccount.take(email);
        if (password.length() > 256) {
            throw wrongCredentials();
        }
        var person = people.byEmail(email).orElse(null);
        var hash = person == null ? null : person.passwordHash();
        if (person == null || hash == null) {
            passwords.compareWithNobodys(password);
            refused(null, email, call.request());
            throw wrongCredentials();
        }
        if (!passwords.matches(password, hash) || !person.isActive()) {
            refused(person, email, call.request());
            throw wrongCredentials();
        }
        if (person.hasSecondFactor()) {
            requireSecondFactor(person, said.code(), call.request());
        }
        byAccount.forgive(email);
        if (passwords.isOutdated(hash)) {
            people.setPassword(person.id(), passwords.hash(password));
        }
        audit.add(person.id(), email, call.request(), "auth.login", email, WAY);
        return signedIn.answer(person, WAY, call.request());
    }

    private void requireSecondFactor(Person person, @Nullable String code, Incoming request) {
        if (code == null || code.isBlank()) {
            throw Problem.of(
                    401,
                    "second-factor-needed",
                    "This account has a second factor.",
                    "Send its code of six digits, or a recovery code, as \"code\".");
        }
        if (!secondFactor.accepts(person, code)) {
            refused(person, person.email(), request);
            throw Problem.of(
                    401,
                    "second-factor-wrong",
                    "The code is wrong, over or was used.",
                    "Wait for the next one and try it.");
        }
    }

    /// One line of the audit for what may be somebody guessing.
    private void refused(@Nullable Person person, String email, Incoming request) {
        audit.add(person == null ? null : person.id(), email, request, "auth.refused", email, WAY);
    }

    private static Problem wrongCredentials() {
        return Problem.of(
                401,
                "wrong-credentials",
                "The e-mail address or the password is wrong.",
                "Try again, or ask an administrator for a new password.");
    }

    private Answer refresh(Call<Caller> call) {
        byAddress.take(call.request().remoteHost());
        var said = call.body(Refresh.class).refreshToken();
        var token =
                said != null
                        ? said
                        : call.request()
                                .cookie(Cookies.REFRESH)
                                .orElseThrow(AuthRoutes::notRenewed);
        return switch (logins.renew(token)) {
            case Logins.Renewed(var login, var id, var next) -> {
                var person = people.find(id).orElseThrow(AuthRoutes::notRenewed);
                var session = signedIn.session(person, login, next);
                yield signedIn.withCookies(Answer.ok(session), new SignedIn.Begun(login, session));
            }
            case Logins.NotRenewed() -> throw notRenewed();
            case Logins.Raced() ->
                    throw Problem.of(
                            409,
                            "refresh-raced",
                            "The login was renewed a moment ago with the same token.",
                            "Use what that answer brought.");
            case Logins.Copied(var person) -> {
                audit.add(person, "", call.request(), "auth.refresh_reuse", person.toString(), "");
                throw notRenewed();
            }
        };
    }

    private static Problem notRenewed() {
        return Problem.of(401, "login-over", "This login is over.", "Sign in again.");
    }

    private Answer logout(Call<Caller> call) {
        var person = call.caller().person();
        if (person.login() != null) {
            logins.end(person.id(), person.login());
        }
        audit.add(call, "auth.logout", person.email(), "");
        return cookies.signedOut(Answer.nothing());
    }

    private Answer endLogin(Call<Caller> call) {
        if (!logins.end(call.caller().person().id(), call.id("id", "login"))) {
            throw Problem.notFound("login");
        }
        audit.add(call, "auth.end_login", call.path("id"), "");
        return Answer.nothing();
    }

    private Answer setUp(Call<Caller> call) {
        byAddress.take(call.request().remoteHost());
        var wish = call.body(Setup.class);
        checkNew(wish.email(), wish.username(), wish.password());
        var code = String.valueOf(wish.code());
        if (codes.use(Kind.FIRST_ADMINISTRATOR, code).isEmpty()) {
            throw badCode();
        }
        var email = Fields.normalized(String.valueOf(wish.email()));
        var added =
                people.add(
                        new People.New(
                                email,
                                false,
                                String.valueOf(wish.username()),
                                passwords.hash(String.valueOf(wish.password())),
                                null,
                                null,
                                true),
                        clock.instant());
        return switch (added) {
            case People.Taken() -> {
                codes.giveBack(Kind.FIRST_ADMINISTRATOR, code);
                throw taken();
            }
            case People.Welcome(var person) -> {
                audit.add(person.id(), email, call.request(), "user.first_admin", email, "");
                yield signedIn.answer(person, WAY, call.request());
            }
        };
    }

    private static Problem badCode() {
        return Problem.of(
                403,
                "code-over",
                "The code is unknown, was used or is over.",
                "Ask for a new link.");
    }

    private Answer changePassword(Call<Caller> call) {
        requireLocal();
        var wish = call.body(PasswordChange.class);
        var person = self(call);
        byAccount.take(person.email());
        var hash = person.passwordHash();
        if (hash != null
                && !passwords.matches(wish.current() == null ? "" : wish.current(), hash)) {
            throw Problem.field("current", "is not your password");
        }
        new Fields().password(wish.password()).check();
        people.setPassword(person.id(), passwords.hash(String.valueOf(wish.password())));
        logins.endAll(person.id(), call.caller().person().login());
        byAccount.forgive(person.email());
        audit.add(call, "auth.password", person.email(), "");
        return Answer.nothing();
    }

    private Answer resetPassword(Call<Caller> call) {
        requireLocal();
        byAddress.take(call.request().remoteHost());
        var wish = call.body(NewPassword.class);
        new Fields().password(wish.password()).check();
        var meant =
                codes.use(Kind.NEW_PASSWORD, String.valueOf(wish.code()))
                        .orElseThrow(AuthRoutes::badCode);
        var person = meant.personId();
        if (person == null) {
            throw badCode();
        }
        people.setPassword(person, passwords.hash(String.valueOf(wish.password())));
        logins.endAll(person, null);
        audit.add(person, "", call.request(), "auth.reset", person.toString(), "");
        return Answer.nothing();
    }

    private Answer proveAgain(Call<Caller> call) {
        var wish = call.body(Proof.class);
        var person = self(call);
        byAccount.take(person.email());
        var hash = person.passwordHash();
        if (hash == null
                || !passwords.matches(wish.password() == null ? "" : wish.password(), hash)) {
            throw hash == null
                    ? Problem.of(
                            403,
                            "no-password",
                            "This account has no password.",
                            "Sign out and in again.")
                    : Problem.field("password", "is not your password");
        }
        if (person.hasSecondFactor()) {
            requireSecondFactor(person, wish.code(), call.request());
        }
        byAccount.forgive(person.email());
        UUID login = call.caller().person().login();
        if (login != null) {
            logins.provedAgain(login);
        }
        return Answer.nothing();
    }

    private Answer startSecondFactor(Call<Caller> call) {
        var person = self(call);
        if (person.hasSecondFactor()) {
            throw Problem.of(
                    409,
                    "second-factor-on",
                    "You have a second factor already.",
                    "Turn it off first (POST /api/auth/totp/off).");
        }
        var secret = SecondFactor.newSecret();
        people.startSecondFactor(person.id(), secret);
        var label = URLEncoder.encode("Spur Cloud:" + person.email(), StandardCharsets.UTF_8);
        return Answer.ok(
                new SecondFactorStart(
                        secret,
                        "otpauth://totp/%s?secret=%s&issuer=Spur%%20Cloud"
                                .formatted(label.replace("+", "%20"), secret)));
    }

    private Answer confirmSecondFactor(Call<Caller> call) {
        var person = self(call);
        byAccount.take(person.email());
        var code = call.body(Proof.class).code();
        if (person.totpSecret() == null
                || person.totpConfirmed()
                || code == null
                || !secondFactor.accepts(person, code)) {
            throw Problem.field("code", "is not the code of this moment");
        }
        people.confirmSecondFactor(person.id(), true);
        audit.add(call, "auth.second_factor_on", person.email(), "");
        return Answer.ok(new SecondFactorOn(secondFactor.newRecoveryCodes(person.id())));
    }

    private Answer endSecondFactor(Call<Caller> call) {
        var person = self(call);
        byAccount.take(person.email());
        var code = call.body(Proof.class).code();
        if (!person.hasSecondFactor() || code == null || !secondFactor.accepts(person, code)) {
            throw Problem.field("code", "is not the code of this moment");
        }
        people.confirmSecondFactor(person.id(), false);
        audit.add(call, "auth.second_factor_off", person.email(), "");
        return Answer.nothing();
    }

    private Person self(Call<Caller> call) {
        return people.find(call.caller().person().id()).orElseThrow(() -> Problem.notFound("user"));
    }

    private void requireLocal() {
        if (!config.auth().local().enabled()) {
            throw Problem.of(
                    403,
                    "no-passwords",
                    "One does not sign in with a password here.",
                    "See GET /api/auth/providers.");
        }
    }

    /// When one proved who one is.
    static boolean isRecent(Instant signedInAt, Instant now) {
        return signedInAt.plus(Duration.ofMinutes(15)).isAfter(now);
    }
}
