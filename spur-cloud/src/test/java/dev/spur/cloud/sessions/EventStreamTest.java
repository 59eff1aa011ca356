package dev.spur.cloud.sessions;

import static dev.spur.cloud.TestCloud.by;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.TestCloud;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `/api/events`: what happens to sessions, to those whom it concerns.
@Timeout(60)
class EventStreamTest {
    private final FakeCluster cluster = new FakeCluster();
    private final TestCloud cloud = TestCloud.on(cluster);
    private final String administrator = cloud.administrator();
    private final String alice = cloud.user("alice", administrator);

    @AfterEach
    void stop() {
        cloud.close();
    }

    /// A reader of the stream.
    private final class Reader implements AutoCloseable {
        private final HttpClient http = HttpClient.newHttpClient();
        private final BufferedReader lines;

        Reader(String token, String after) throws IOException, InterruptedException {
            var request =
                    HttpRequest.newBuilder(URI.create(cloud.url() + "/api/events"))
                            .header("Authorization", "Bearer " + token);
            if (!after.isEmpty()) {
                request.header("Last-Event-ID", after);
            }
            var reply = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(reply.headers().firstValue("Content-Type").orElse(""))
                    .startsWith("text/event-stream");
            lines = new BufferedReader(new InputStreamReader(reply.body(), StandardCharsets.UTF_8));
            lines.readLine(); // retry: the stream has begun
        }

        /// The kinds of the next events, and the id of the last one.
        List<String> next(int count) throws IOException {
            var seen = new ArrayList<String>();
            var id = "";
            while (seen.size() < count) {
                var line = String.valueOf(lines.readLine());
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    seen.add(line.replaceAll(".*\"kind\":\"([^\"]*)\".*", "$1"));
                }
            }
            seen.add(id);
            return seen;
        }

        boolean ends() throws IOException {
            while (lines.readLine() != null) {
                // signs of life
            }
            return true;
        }

        @Override
        public void close() {
            http.shutdownNow();
        }
    }

    private String launch() {
        return cloud.post(
                        "/api/sessions",
                        Map.of("name", "s", "gpu_type", "mi300x", "gpu_count", 1),
                        by(alice))
                .text("id");
    }

    @Test
    void nobodyTakesThePlacesOfAllReaders() throws Exception {
        var readers = new ArrayList<Reader>();
        for (var i = 0; i < 50; i++) {
            readers.add(new Reader(alice, ""));
        }

        var refused = cloud.get("/api/events", by(alice));
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.text("detail")).contains("50 times already");
        new Reader(administrator, "").close();
        readers.forEach(Reader::close);
    }

    @Test
    void whatHappensIsToldAtOnceAndWhoWasCutOffMissesNothing() throws Exception {
        String last;
        String id;
        try (var reader = new Reader(alice, "")) {
            id = launch();
            var told = reader.next(2);
            assertThat(told.subList(0, 2)).containsExactly("session.created", "session.pending");
            last = told.getLast();
        }
        var job = cluster.jobs().getFirst().job();
        cluster.run(job, cloud.now(), cloud.now().plus(Duration.ofHours(1)));
        cloud.sessions().reconcile();
        cloud.send("DELETE", "/api/sessions/" + id, null, by(alice));

        try (var reader = new Reader(alice, last)) {
            assertThat(reader.next(2).subList(0, 2))
                    .containsExactly("session.running", "session.stopping");
        }
    }

    @Test
    void othersAreToldNothing() throws Exception {
        var bob = cloud.user("bob", administrator);
        try (var reader = new Reader(bob, "0")) {
            launch();
            cloud.post(
                    "/api/sessions",
                    Map.of("name", "b", "gpu_type", "mi300x", "gpu_count", 1),
                    by(bob));
            var told = reader.next(2);
            assertThat(told.subList(0, 2)).containsExactly("session.created", "session.pending");
        }
    }

    @Test
    void aStreamEndsSoonAfterItsReaderWasDisabled() throws Exception {
        try (var reader = new Reader(alice, "")) {
            var id = cloud.get("/api/users/me", by(alice)).text("id");
            var began = System.nanoTime();
            cloud.send(
                    "PATCH",
                    "/api/admin/users/" + id,
                    Map.of("is_active", false),
                    by(administrator));

            assertThat(reader.ends()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Duration.ofSeconds(5));
        }
    }
}
