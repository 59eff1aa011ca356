package dev.spur.rest.own;

import dev.spur.rest.http.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/// The page that shows the API and lets one try it. Made in the browser of the OpenAPI document;
/// nothing is fetched from elsewhere.
final class DocsPage {
    private DocsPage() {}

    static Reply reply() {
        try (var page = DocsPage.class.getResourceAsStream("docs.html")) {
            return Reply.of(
                            200,
                            "text/html; charset=utf-8",
                            Objects.requireNonNull(page).readAllBytes())
                    .with(
                            "Content-Security-Policy",
                            "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
