package dev.spur.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleTest {
    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir private Path directory;
    private TestCloud cloud;

    @BeforeEach
    void startWithAConsole() throws IOException {
        Files.writeString(directory.resolve("index.html"), "<title>console</title>");
        Files.createDirectory(directory.resolve("assets"));
        Files.writeString(directory.resolve("assets/app-1.js"), "let x;".repeat(1000));
        Files.writeString(directory.resolveSibling("secret.txt"), "secret");
        cloud = TestCloud.start("[server]", "console_dir = \"%s\"".formatted(directory));
    }

    @AfterEach
    void stop() throws IOException {
        cloud.close();
        Files.delete(directory.resolveSibling("secret.txt"));
    }

    @Test
    void addressOfAPageIsTheConsoleAndItIsAskedForAnewEachTime() throws Exception {
        var page = get("/sessions/7", "identity");

        assertThat(page.body()).isEqualTo("<title>console</title>");
        assertThat(page.headers().firstValue("Cache-Control")).contains("no-cache");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'self'");
    }

    @Test
    void whatHasAHashInItsNameIsKeptForEverAndComesCompressed() throws Exception {
        var script = get("/assets/app-1.js", "gzip");

        assertThat(script.headers().firstValue("Cache-Control").orElseThrow())
                .contains("immutable");
        assertThat(script.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(script.headers().firstValue("Content-Type").orElseThrow())
                .startsWith("text/javascript");
        assertThat(script.body().length()).isLessThan(200);
    }

    @Test
    void fileThatIsNotThereIsNotThere() throws Exception {
        assertThat(get("/assets/old-1.js", "identity").statusCode()).isEqualTo(404);
        assertThat(get("/api/nonsense", "identity").statusCode()).isEqualTo(404);
    }

    @Test
    void nothingBesideTheConsoleIsServed() throws Exception {
        assertThat(get("/..%2fsecret.txt", "identity").body()).doesNotContain("secret\n");
        assertThat(get("/%2e%2e/secret.txt", "identity").statusCode()).isIn(400, 404);
    }

    @Test
    void directoryWithoutAConsoleIsRefusedWithWhatToName() {
        assertThatThrownBy(() -> Console.load(directory.resolve("assets").toString()))
                .hasMessageContaining("index.html")
                .hasMessageContaining("server.console_dir");
    }

    private HttpResponse<String> get(String path, String encoding) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(cloud.url() + path))
                        .header("Accept-Encoding", encoding)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
