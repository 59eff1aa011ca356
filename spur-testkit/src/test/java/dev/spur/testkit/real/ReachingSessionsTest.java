package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A session of the cloud from outside, by the programs that people use, through everything that is
/// between them and its node.
@Timeout(180)
class ReachingSessionsTest {
    private static final List<String> NEEDED =
            List.of("ssh", "scp", "sftp", "rsync", "ssh-keygen", "python3");
    private static final String PASSWORD = "correct horse battery";

    private static RealCluster cluster;
    private static String token;
    private static String session;
    private static Path keys;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void launch() throws Exception {
        assumeTrue(Users.currentUid() == 0, "sessions of several users need root");
        for (var each : NEEDED) {
            if (Arrays.stream(System.getenv("PATH").split(":"))
                    .noneMatch(place -> Files.isExecutable(Path.of(place, each)))) {
                throw new IllegalStateException(
                        "the program %s is missing: dev/ssh-clients installs what these tests need"
                                .formatted(each));
            }
        }
        cluster = RealCluster.inFewProcesses(1);
        keys = Files.createTempDirectory("spur-ssh");
        var here = new ReachingSessionsTest();
        var link = adminLink();
        token =
                field(
                        "token",
                        here.call(
                                "POST",
                                "/api/auth/setup",
                                "{\"code\":\"%s\",\"email\":\"root@example.com\",\"username\":\"ann\",\"password\":\"%s\"}"
                                        .formatted(
                                                link.substring(link.indexOf("code=") + 5),
                                                PASSWORD)));
        here.newKey("key");
        session =
                field(
                        "id",
                        here.call(
                                "POST",
                                "/api/sessions",
                                "{\"name\":\"train\",\"gpu_count\":0,\"cpus\":1,\"ssh_enabled\":true,\"env\":{\"COLOUR\":\"green\"}}"));
        while (!here.call("GET", "/api/sessions/" + session, null)
                .contains("\"state\":\"running\"")) {
            Thread.onSpinWait(); // each question takes its time
        }
    }

    private static String adminLink() throws IOException {
        var file = cluster.local().layout().cloudState().resolve("admin-link");
        while (!Files.exists(file)) {
            Thread.onSpinWait(); // the cloud comes last
        }
        var text = Files.readString(file).strip();
        return text.isEmpty() ? adminLink() : text;
    }

    @AfterAll
    static void close() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static String field(String name, String json) {
        var found = Pattern.compile("\"%s\":\"([^\"]*)\"".formatted(name)).matcher(json);
        assertThat(found.find()).as(json).isTrue();
        return found.group(1);
    }

    private String call(String method, String path, @Nullable String body) throws Exception {
        var request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://" + cluster.local().layout().cloudAddress() + path))
                        .header("Content-Type", "application/json")
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    /// Adds a new key to the profile; its id.
    private String newKey(String name) throws Exception {
        var file = keys.resolve(name);
        cluster.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString());
        return field(
                "id",
                call(
                        "POST",
                        "/api/users/me/ssh-keys",
                        "{\"public_key\":\"%s\"}"
                                .formatted(Files.readString(Path.of(file + ".pub")).strip())));
    }

    private static List<String> with(String program, String key, String... words) {
        var port = cluster.local().layout().sshAddress().replaceFirst(".*:", "");
        var command =
                new ArrayList<>(
                        List.of(
                                program,
                                "-F",
                                "none",
                                "-o",
                                "Port=" + port,
                                "-o",
                                "IdentityFile=" + keys.resolve(key),
                                "-o",
                                "IdentitiesOnly=yes",
                                "-o",
                                "BatchMode=yes",
                                "-o",
                                "StrictHostKeyChecking=accept-new",
                                "-o",
                                "UserKnownHostsFile=" + keys.resolve("known_hosts")));
        command.addAll(List.of(words));
        return command;
    }

    private static Ran run(List<String> command) {
        return cluster.run(command.toArray(String[]::new));
    }

    @Test
    void aCommandRunsAsTheSessionsUserWithItsVariables() {
        var said =
                run(
                        with(
                                "ssh",
                                "key",
                                "train@127.0.0.1",
                                "id -u; pwd; echo $COLOUR; echo bad >&2; exit 7"));

        var lines = said.out().lines().toList();
        assertThat(Integer.parseInt(lines.getFirst())).isBetween(200_000, 299_999);
        assertThat(lines.get(1)).endsWith("/ann");
        assertThat(lines.get(2)).isEqualTo("green");
        assertThat(said.err()).endsWith("bad\n");
        assertThat(said.exitCode()).isEqualTo(7);
    }

    @Test
    void filesComeAndGoByScpSftpAndRsync() throws Exception {
        var file = Files.write(keys.resolve("data"), new byte[3_000_000]);

        assertThat(run(with("scp", "key", file.toString(), "train@127.0.0.1:data")).exitCode())
                .isZero();
        assertThat(
                        run(with(
                                        "sftp",
                                        "key",
                                        "train@127.0.0.1:data",
                                        keys.resolve("back").toString()))
                                .exitCode())
                .isZero();
        assertThat(keys.resolve("back")).hasSameBinaryContentAs(file);
        var rsync =
                cluster.run(
                        "rsync",
                        "-e",
                        String.join(" ", with("ssh", "key")),
                        file.toString(),
                        "train@127.0.0.1:again");
        assertThat(rsync.exitCode()).as(rsync.err()).isZero();
        assertThat(run(with("ssh", "key", "train@127.0.0.1", "cmp data again && echo same")).out())
                .isEqualTo("same\n");
    }

    @Test
    void aServerInTheSessionIsReachedThroughAForward() throws Exception {
        int local;
        try (var any = new ServerSocket(0)) {
            local = any.getLocalPort();
        }
        var server =
                "import socket\ns=socket.create_server((\"127.0.0.1\",0))\nprint(s.getsockname()[1],flush=True)\nc,_=s.accept()\nc.sendall(b\"from inside\")\nc.close()";
        var inside =
                cluster.start(
                        Map.of(),
                        with("ssh", "key", "train@127.0.0.1", "python3 -c '" + server + "'"));
        var port = inside.inputReader().readLine();
        var forward =
                cluster.start(
                        Map.of(),
                        with(
                                "ssh",
                                "key",
                                "-N",
                                "-L",
                                local + ":127.0.0.1:" + port,
                                "train@127.0.0.1"));

        assertThat(readAt(local)).isEqualTo("from inside");
        forward.destroy();
    }

    private static String readAt(int port) throws IOException {
        while (true) {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (java.net.ConnectException _) {
                Thread.onSpinWait(); // ssh does not listen yet
            }
        }
    }

    @Test
    void aDeletedKeyEndsItsConnectionsWithinFiveSeconds() throws Exception {
        var key = newKey("lost");
        var ssh =
                cluster.start(
                        Map.of(), with("ssh", "lost", "train@127.0.0.1", "echo in; sleep 1000"));
        assertThat(ssh.inputReader().readLine()).isEqualTo("in");

        call("DELETE", "/api/users/me/ssh-keys/" + key, null);

        assertThat(ssh.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(ssh.errorReader().readAllAsString()).contains("your SSH key was deleted");
    }

    /// A browser's terminal.
    private final class Page implements WebSocket.Listener {
        private final LinkedBlockingQueue<String> shown = new LinkedBlockingQueue<>();
        private final StringBuilder seen = new StringBuilder();
        private final WebSocket socket;

        Page() throws Exception {
            var ticket =
                    field(
                            "ticket",
                            call("POST", "/api/sessions/" + session + "/terminal/ticket", "{}"));
            socket =
                    http.newWebSocketBuilder()
                            .subprotocols("spur.terminal.v1")
                            .buildAsync(
                                    URI.create(
                                            "ws://%s/api/sessions/%s/terminal?ticket=%s"
                                                    .formatted(
                                                            cluster.local().layout().cloudAddress(),
                                                            session,
                                                            ticket)),
                                    this)
                            .join();
        }

        @Override
        public @Nullable CompletionStage<?> onBinary(
                WebSocket from, ByteBuffer data, boolean last) {
            shown.add(StandardCharsets.UTF_8.decode(data).toString());
            from.request(1);
            return null;
        }

        void type(String words) {
            socket.sendBinary(ByteBuffer.wrap(words.getBytes(StandardCharsets.UTF_8)), true).join();
        }

        void awaits(String words) throws InterruptedException {
            while (seen.indexOf(words) < 0) {
                seen.append(shown.take());
            }
            seen.delete(0, seen.indexOf(words) + words.length());
        }
    }

    @Test
    void aTerminalSurvivesARestartOfTheService() throws Exception {
        var before = new Page();
        before.socket.sendText("{\"type\":\"resize\",\"rows\":33,\"cols\":77}", true).join();
        before.type("MARK=$((40+2)); stty size; echo is $MARK\n");
        before.awaits("33 77");
        before.awaits("is 42");

        cluster.kill("edge");

        var after = again();
        after.awaits("is 42"); // what it showed before
        after.type("echo still $MARK\n");
        after.awaits("still 42");
    }

    /// As the console does until the service is there again.
    private Page again() throws Exception {
        while (true) {
            try {
                return new Page();
            } catch (IOException | CompletionException | AssertionError _) {
                Thread.onSpinWait();
            }
        }
    }
}
