package dev.spur.cloud.auth;

import dev.spur.cloud.access.Caller;
import dev.spur.runtime.http.Answer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Objects;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// What browsers keep: the tokens where no script reads them, and a value that only pages of ours
/// can read and send back.
final class Cookies {
    static final String ACCESS = "spur_access";
    static final String REFRESH = "spur_refresh";
    static final String CSRF = "spur_csrf";
    static final String CSRF_HEADER = "X-CSRF-Token";
    static final String OAUTH = "spur_oauth";
    private static final Duration OAUTH_LIFE = Duration.ofMinutes(10);

    private final byte[] secret;
    private final boolean isSecure;
    private final Duration refreshLife;

    Cookies(String secret, boolean isSecure, Duration refreshLife) {
        this.secret = ("csrf " + secret).getBytes(StandardCharsets.UTF_8);
        this.isSecure = isSecure;
        this.refreshLife = refreshLife;
    }

    Answer signedIn(Answer answer, String access, Duration accessLife, String refresh, UUID login) {
        return answer.with("Set-Cookie", cookie(ACCESS, access, "/api", accessLife, true))
                .with("Set-Cookie", cookie(REFRESH, refresh, "/api/auth", refreshLife, true))
                .with("Set-Cookie", cookie(CSRF, csrfToken(login), "/", refreshLife, false));
    }

    Answer signedOut(Answer answer) {
        return answer.with("Set-Cookie", cookie(ACCESS, "", "/api", Duration.ZERO, true))
                .with("Set-Cookie", cookie(REFRESH, "", "/api/auth", Duration.ZERO, true))
                .with("Set-Cookie", cookie(CSRF, "", "/", Duration.ZERO, false));
    }

    Answer onTheWay(Answer answer, String browser) {
        return answer.with("Set-Cookie", cookie(OAUTH, browser, "/api/auth", OAUTH_LIFE, true));
    }

    Answer arrived(Answer answer) {
        return answer.with("Set-Cookie", cookie(OAUTH, "", "/api/auth", Duration.ZERO, true));
    }

    /// Lax, since people come back from other providers by a link.
    private String cookie(
            String name, String value, String path, Duration life, boolean hiddenFromScripts) {
        return "%s=%s; Path=%s; Max-Age=%d; SameSite=Lax%s%s"
                .formatted(
                        name,
                        value,
                        path,
                        life.toSeconds(),
                        hiddenFromScripts ? "; HttpOnly" : "",
                        isSecure ? "; Secure" : "");
    }

    String csrfToken(Caller.Person person) {
        return csrfToken(Objects.requireNonNull(person.login()));
    }

    String csrfToken(UUID login) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(
                            mac.doFinal(login.toString().getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }
}
