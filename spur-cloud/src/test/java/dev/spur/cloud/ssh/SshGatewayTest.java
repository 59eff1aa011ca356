package dev.spur.cloud.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.reach.LocalPrograms;
import dev.spur.model.notation.HostAndPort;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Real clients against the gateway, with programs of this machine behind it.
@Timeout(120)
class SshGatewayTest {
    private static final UUID PERSON = UUID.randomUUID();
    private static final UUID SESSION = UUID.randomUUID();

    @TempDir private Path directory;
    private Path home;
    private LocalPrograms programs;
    private HostKey hostKey;
    private SshGateway gateway;
    private SshClients clients;
    private final Set<String> known = new HashSet<>();
    private final BlockingQueue<SshGateway.Connection> entered = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() throws IOException {
        home = Files.createDirectory(directory.resolve("home"));
        programs = new LocalPrograms(home);
        hostKey = HostKey.of(directory);
        open(SshLimits.USUAL);
        known.add(clients.newKey("key", "ed25519"));
    }

    private void open(SshLimits limits) {
        gateway =
                SshGateway.open(
                        HostAndPort.parse("127.0.0.1:0", 0),
                        hostKey,
                        this::admit,
                        limits,
                        (_, connection) -> entered.add(connection));
        clients = SshClients.of(directory, gateway.port(), hostKey);
    }

    private Admission admit(String fingerprint, String user) {
        if (!known.contains(fingerprint)) {
            return new Admission.Stranger();
        }
        return user.equals("train")
                ? new Admission.Welcome(
                        new Guest(PERSON, UUID.randomUUID(), SESSION, "ann/train", programs))
                : new Admission.NothingHere(
                        "you have no session \"%s\"; you have train".formatted(user));
    }

    @AfterEach
    void close() {
        gateway.close();
        programs.close();
    }

    @Test
    void aCommandHasOutputAndErrorsApartAndItsExitStatus() {
        var said = clients.ssh("train@127.0.0.1", "echo out; echo wrong >&2; exit 7");

        assertThat(said).isEqualTo(new SshClients.Said(7, "out\n", "wrong\n"));
    }

    @Test
    void whatIsSentToACommandArrivesWholeAndComesBack() {
        var bytes = new byte[4 << 20];
        new Random(3).nextBytes(bytes);

        var said = clients.runWith(bytes, clients.withConfig("ssh", "train@127.0.0.1", "cat"));

        assertThat(said.out().getBytes(StandardCharsets.ISO_8859_1)).isEqualTo(bytes);
    }

    @Test
    void aSignalThatEndsTheCommandIsTold() {
        var said = clients.ssh("-v", "train@127.0.0.1", "kill -TERM $$");

        assertThat(said.code()).isEqualTo(255);
        assertThat(said.error()).contains("exit-signal");
    }

    @Test
    void aShellHasATerminalOfTheClientsSize() {
        var said =
                clients.runWith(
                        "stty size; tty; exit 3\n".getBytes(StandardCharsets.UTF_8),
                        "script",
                        "-qec",
                        "stty rows 37 cols 91; "
                                + String.join(
                                        " ", clients.withConfig("ssh", "-tt", "train@127.0.0.1")),
                        "/dev/null");

        assertThat(said.out()).contains("37 91").contains("/dev/pts/");
        assertThat(said.code()).isEqualTo(3);
    }

    @Test
    void filesAreCopiedByScpInBothWaysAndBothProtocols() throws IOException {
        var file = Files.writeString(directory.resolve("data"), "some data\n".repeat(10_000));

        var up = clients.run(clients.withConfig("scp", file.toString(), "train@127.0.0.1:data"));
        var down =
                clients.run(
                        clients.withConfig(
                                "scp",
                                "-O",
                                "train@127.0.0.1:data",
                                directory.resolve("back").toString()));

        assertThat(up).isEqualTo(new SshClients.Said(0, "", ""));
        assertThat(down).isEqualTo(new SshClients.Said(0, "", ""));
        assertThat(directory.resolve("back")).hasSameBinaryContentAs(file);
    }

    @Test
    void sftpListsAndFetches() throws IOException {
        Files.writeString(home.resolve("notes"), "remember\n");

        var said =
                clients.runWith(
                        "ls\nget notes %s\n"
                                .formatted(directory.resolve("got"))
                                .getBytes(StandardCharsets.UTF_8),
                        clients.withConfig("sftp", "-b", "-", "train@127.0.0.1"));

        assertThat(said.code()).isZero();
        assertThat(said.out()).contains("notes");
        assertThat(directory.resolve("got")).hasContent("remember\n");
    }

    @Test
    void rsyncKeepsADirectoryTheSame() throws IOException {
        var from = Files.createDirectories(directory.resolve("from/deep"));
        Files.writeString(from.resolve("one"), "1");

        var said =
                clients.run(
                        "rsync",
                        "-a",
                        "-e",
                        "ssh -F " + clients.config(),
                        directory.resolve("from") + "/",
                        "train@127.0.0.1:there/");

        assertThat(said).isEqualTo(new SshClients.Said(0, "", ""));
        assertThat(home.resolve("there/deep/one")).hasContent("1");
    }

    @Test
    void aPortIsForwardedIntoTheSession() throws Exception {
        try (var inside = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            greet(inside);
            var local = freePort();
            var ssh =
                    clients.start(
                            clients.withConfig(
                                    "ssh",
                                    "-N",
                                    "-L",
                                    "%d:127.0.0.1:%d".formatted(local, inside.getLocalPort()),
                                    "train@127.0.0.1"));

            assertThat(greetingAt(local)).isEqualTo("hello from inside");
            ssh.destroy();
        }
    }

    @Test
    void anyAddressIsReachedThroughASocksProxy() throws Exception {
        try (var inside = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            greet(inside);
            var proxy = freePort();
            var ssh =
                    clients.start(
                            clients.withConfig(
                                    "ssh", "-N", "-D", String.valueOf(proxy), "train@127.0.0.1"));
            await(proxy);

            try (var socket = new Socket(InetAddress.getLoopbackAddress(), proxy)) {
                var to = socket.getOutputStream();
                to.write(new byte[] {5, 1, 0});
                socket.getInputStream().readNBytes(2);
                var port = inside.getLocalPort();
                to.write(new byte[] {5, 1, 0, 1, 127, 0, 0, 1, (byte) (port >> 8), (byte) port});
                assertThat(socket.getInputStream().readNBytes(10)[1]).isZero();
                assertThat(
                                new String(
                                        socket.getInputStream().readAllBytes(),
                                        StandardCharsets.UTF_8))
                        .isEqualTo("hello from inside");
            }
            ssh.destroy();
        }
    }

    @Test
    void aSocketInTheFileSystemIsForwarded() throws Exception {
        var inside = home.resolve("inside");
        var local = directory.resolve("local");
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(inside));
            Thread.ofVirtual().start(() -> greet(server));
            var ssh =
                    clients.start(
                            clients.withConfig(
                                    "ssh", "-N", "-L", local + ":" + inside, "train@127.0.0.1"));
            while (!Files.exists(local)) {
                Thread.onSpinWait();
            }

            try (var socket = SocketChannel.open(UnixDomainSocketAddress.of(local))) {
                var greeting = ByteBuffer.allocate(100);
                while (socket.read(greeting) >= 0) {}
                assertThat(
                                new String(
                                        greeting.array(),
                                        0,
                                        greeting.position(),
                                        StandardCharsets.UTF_8))
                        .isEqualTo("hello");
            }
            ssh.destroy();
        }
    }

    private static void greet(ServerSocketChannel server) {
        try (var socket = server.accept()) {
            socket.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)));
        } catch (IOException _) {
            // the test is over
        }
    }

    @Test
    void forwardsBackAndAgentsAreRefused() {
        var back =
                clients.ssh(
                        "-o",
                        "ExitOnForwardFailure=yes",
                        "-R",
                        "0:127.0.0.1:1",
                        "train@127.0.0.1",
                        "true");
        var agent = clients.ssh("-A", "train@127.0.0.1", "echo \"<$SSH_AUTH_SOCK>\"");

        assertThat(back.code()).isEqualTo(255);
        assertThat(back.error()).contains("remote port forwarding failed");
        assertThat(agent.out()).isEqualTo("<>\n");
    }

    @Test
    void aForeignKeyOpensNothing() {
        known.clear();

        var said = clients.ssh("train@127.0.0.1", "true");

        assertThat(said.code()).isEqualTo(255);
        assertThat(said.error()).contains("Permission denied (publickey)");
        assertThat(programs.running()).isZero();
    }

    @Test
    void whoMeansNoSessionOfHisIsToldWhichHeHas() {
        var said = clients.ssh("tarin@127.0.0.1", "true");

        assertThat(said.code()).isEqualTo(255);
        assertThat(said.error())
                .isEqualTo("spur: you have no session \"tarin\"; you have train\r\n");
    }

    @Test
    void aSessionThatCannotBeReachedIsToldInWords() {
        programs.refuse("the session train ended 2 minutes ago");

        assertThat(clients.ssh("train@127.0.0.1", "true").error())
                .isEqualTo("spur: the session train ended 2 minutes ago\r\n");
    }

    @Test
    void aConnectionThatIsEndedHearsWhyAndLeavesNothingRunning() throws Exception {
        var ssh =
                clients.start(
                        clients.withConfig("ssh", "train@127.0.0.1", "echo ready; sleep 1000"));
        assertThat(ssh.getInputStream().readNBytes(6)).asString().isEqualTo("ready\n");

        entered.take().end("your SSH key was deleted");

        assertThat(ssh.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(ssh.getErrorStream().readAllBytes())
                .asString()
                .contains("your SSH key was deleted");
        while (programs.running() > 0) {
            Thread.onSpinWait(); // the time limit of the test says how long
        }
    }

    @Test
    void keysOfEveryUsualTypeAreTaken() {
        for (var type : new String[] {"rsa", "ecdsa"}) {
            known.add(clients.newKey(type, type));
            assertThat(
                            clients.ssh(
                                            "-i",
                                            directory.resolve(type).toString(),
                                            "-o",
                                            "IdentityFile=none",
                                            "train@127.0.0.1",
                                            "echo in")
                                    .out())
                    .as(type)
                    .isEqualTo("in\n");
        }
    }

    @Test
    void theHostKeyStaysAndIsTheOwnersOnly() throws IOException {
        assertThat(HostKey.of(directory).fingerprint()).isEqualTo(hostKey.fingerprint());
        assertThat(
                        clients.run(
                                        "ssh-keygen",
                                        "-lf",
                                        directory.resolve("ssh_host_ed25519_key").toString())
                                .out())
                .contains(hostKey.fingerprint());
        assertThat(Files.getPosixFilePermissions(directory.resolve("ssh_host_ed25519_key")))
                .hasSize(2);
    }

    @Test
    void strangersAreFewAndHurry() throws Exception {
        gateway.close();
        var usual = SshLimits.USUAL;
        open(
                new SshLimits(
                        3, 3, 1, 10, Duration.ofSeconds(2), 3, usual.aliveEvery(), usual.idle()));
        try (var one = connected();
                var two = connected();
                var three = connected();
                var four = connected()) {
            assertThat(four.getInputStream().readAllBytes()).isEmpty(); // one too many
            readToTheEnd(one.getInputStream()); // too slow
            readToTheEnd(two.getInputStream());
            readToTheEnd(three.getInputStream());
        }
        assertThat(clients.ssh("train@127.0.0.1", "echo in").out()).isEqualTo("in\n");
    }

    @Test
    void onePersonHasSoManyConnections() throws Exception {
        gateway.close();
        var usual = SshLimits.USUAL;
        open(new SshLimits(9, 9, 1, 10, usual.toProve(), 3, usual.aliveEvery(), usual.idle()));
        var first =
                clients.start(
                        clients.withConfig("ssh", "train@127.0.0.1", "echo ready; sleep 1000"));
        first.getInputStream().readNBytes(6);

        assertThat(clients.ssh("train@127.0.0.1", "true").error())
                .contains("you have 1 connections open");
        first.destroy();
    }

    private Socket connected() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), gateway.port());
    }

    private static void readToTheEnd(InputStream in) throws IOException {
        try {
            in.readAllBytes();
        } catch (java.net.SocketException _) {
            // also an end
        }
    }

    private static void greet(ServerSocket server) {
        Thread.ofVirtual()
                .start(() -> {
                    try (var socket = server.accept()) {
                        socket.getOutputStream()
                                .write("hello from inside".getBytes(StandardCharsets.UTF_8));
                    } catch (IOException _) {
                        // the test is over
                    }
                });
    }

    private static String greetingAt(int port) throws IOException {
        await(port);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// Until ssh listens there; looked up, since a connection would be forwarded.
    private static void await(int port) throws IOException {
        var listening = " 0100007F:%04X 00000000:0000 0A".formatted(port);
        while (!Files.readString(Path.of("/proc/net/tcp")).contains(listening)) {
            Thread.onSpinWait();
        }
    }

    private static int freePort() throws IOException {
        try (var any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }
}
