package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Failure;
import dev.spur.cli.ProcessSignal;
import dev.spur.cli.Tool;
import dev.spur.cli.UserFiles;
import dev.spur.cli.tools.Tools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class DoorTest {
    private static final int MEBIBYTE = 1 << 20;

    /// Commands have no time.
    private static final DoorLimits HURRIED =
            new DoorLimits(
                    9,
                    9,
                    MEBIBYTE,
                    MEBIBYTE,
                    MEBIBYTE,
                    MEBIBYTE,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(5),
                    Duration.ofMillis(100));

    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final CountDownLatch started = new CountDownLatch(1);
    private @TempDir Path directory;
    private Path socket;
    private Door door;

    @BeforeAll
    static void buildStub() throws Exception {
        StubProgram.built();
    }

    @BeforeEach
    void openDoor() throws IOException {
        socket = directory.resolve("door.sock");
        // Other users in these tests come through here.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        tools.put("exit", in -> Integer.parseInt(in.args().getFirst()));
        tools.put(
                "tell",
                in -> {
                    in.out().println(in.program() + " " + in.args());
                    in.out().println(in.workingDirectory() + " %04o".formatted(in.umask()));
                    in.out()
                            .println(
                                    in.environment("COLOUR")
                                            + " "
                                            + in.zone()
                                            + " "
                                            + in.charset());
                    in.out()
                            .println(
                                    in.caller().uid()
                                            + " "
                                            + in.caller().gid()
                                            + " "
                                            + in.caller().groups());
                    return 0;
                });
        tools.put(
                "wait",
                in -> {
                    started.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        cancelled.countDown();
                        throw e;
                    }
                    return 0;
                });
        door = DoorServer.bind(DoorConfig.of(socket, new Tools(tools))).open();
    }

    @AfterEach
    void closeDoor() {
        door.close();
    }

    private void reopen(DoorLimits limits) throws IOException {
        door.close();
        door = DoorServer.bind(DoorConfig.of(socket, new Tools(tools)).with(limits)).open();
    }

    private void serve(String name, Tool tool) throws IOException {
        tools.put(name, tool);
        reopen(DoorLimits.DEFAULTS);
    }

    @Test
    void exitsWithTheToolsCode() throws Exception {
        assertThat(StubProgram.call(socket, "exit", "42").exitCode()).isEqualTo(42);
        assertThat(StubProgram.call(socket, "exit", "0").exitCode()).isZero();
    }

    @Test
    void passesOnWhatTheCallerIs() throws Exception {
        var told =
                StubProgram.shell(
                        socket,
                        "cd /usr; umask 027; export COLOUR=grün TZ=Europe/Berlin LC_ALL=C.UTF-8; ln -s $spur %s/tell; %s/tell 'a b' ''"
                                .formatted(directory, directory));

        assertThat(told.errors()).isEmpty();
        assertThat(told.text()).startsWith("tell [a b, ]\n/usr 0027\ngrün Europe/Berlin UTF-8\n");
    }

    @Test
    void knowsTheCallersNumbersFromTheKernel() throws Exception {
        assumeRoot();

        var told =
                StubProgram.shell(
                        socket, "setpriv --reuid 4711 --regid 4712 --groups 10,20 $spur tell");

        // The door belongs to root, so any user may trust it.
        assertThat(told.text()).endsWith("4711 4712 [10, 20]\n");
    }

    @Test
    void passesOnALargeEnvironment() throws Exception {
        serve(
                "size",
                in -> {
                    var value = in.environment("LARGE");
                    in.out().println(value == null ? "none" : Integer.toString(value.length()));
                    return 0;
                });

        var told =
                StubProgram.shell(
                        socket,
                        "export LARGE=$(head -c 120000 /dev/zero | tr '\\0' x); $spur size");

        assertThat(told.text()).isEqualTo("120000\n");
    }

    @Test
    void keepsLargeOutputIntactForASlowReader() throws Exception {
        var content = new byte[10 * MEBIBYTE];
        new Random(1).nextBytes(content);
        serve(
                "spill",
                in -> {
                    in.out().write(content);
                    return 3;
                });

        var process = StubProgram.command(socket, List.of("$spur", "spill")).start();
        var first = process.getInputStream().readNBytes(1000);
        var rest = process.getInputStream().readAllBytes();

        assertThat(process.waitFor()).isEqualTo(3);
        assertThat(first.length + rest.length).isEqualTo(content.length);
        assertThat(ByteBuffer.allocate(content.length).put(first).put(rest).array())
                .isEqualTo(content);
    }

    @Test
    void streamsWhileItListensToSignals() throws Exception {
        var content = new byte[5 * MEBIBYTE];
        new Random(2).nextBytes(content);
        serve(
                "spill",
                in -> {
                    in.signals().listen(Set.of(ProcessSignal.INT), _ -> {});
                    in.out().write(content);
                    return 0;
                });

        assertThat(StubProgram.call(socket, "spill").output()).isEqualTo(content);
    }

    @Test
    void endsLikeAnyProgramWhenNobodyReads() throws Exception {
        serve(
                "yes",
                in -> {
                    try {
                        while (true) {
                            in.out().println("y");
                        }
                    } catch (CallerGoneException e) {
                        cancelled.countDown();
                        throw e;
                    }
                });

        var told = StubProgram.shell(socket, "$spur yes | head -n 2; echo ${PIPESTATUS[0]}");

        assertThat(told.text()).isEqualTo("y\ny\n141\n");
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void readsStandardInputToItsEnd() throws Exception {
        serve(
                "count",
                in -> {
                    in.out().println(Integer.toString(in.input().readAllBytes().length));
                    return 0;
                });

        assertThat(StubProgram.shell(socket, "head -c 3000000 /dev/zero | $spur count").text())
                .isEqualTo("3000000\n");
        assertThat(StubProgram.shell(socket, "$spur count < /dev/null").text()).isEqualTo("0\n");
        assertThat(StubProgram.shell(socket, "$spur count <&-").text()).isEqualTo("0\n");
    }

    @Test
    void takesNothingFromStandardInputUnasked() throws Exception {
        assertThat(StubProgram.shell(socket, "(echo kept) | ($spur exit 0; cat)").text())
                .isEqualTo("kept\n");
    }

    @Test
    void reportsFailuresInTheToolsName() throws Exception {
        serve(
                "scold",
                _ -> {
                    throw new Failure(7, "not like this.\nTry otherwise.");
                });

        var told = StubProgram.call(socket, "scold");

        assertThat(told.exitCode()).isEqualTo(7);
        assertThat(told.errors()).isEqualTo("scold: error: not like this.\nTry otherwise.\n");
    }

    @Test
    void cancelsTheToolWhenTheStubIsKilled() throws Exception {
        var process = StubProgram.command(socket, List.of("$spur", "wait")).start();
        started.await();

        process.destroyForcibly();

        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void signalsHaveTheirUsualEffectUntilTheToolListens() throws Exception {
        var process = StubProgram.command(socket, List.of("$spur", "wait")).start();
        started.await();

        process.destroy(); // SIGTERM

        assertThat(process.waitFor()).isEqualTo(128 + 15);
    }

    @Test
    void ignoresWhatItsCallerIgnoresAlsoInsideAJob() throws Exception {
        var go = new CountDownLatch(1);
        serve(
                "hold",
                in -> {
                    started.countDown();
                    go.await();
                    return 4;
                });
        var process =
                StubProgram.command(
                                socket,
                                List.of("sh", "-c", "trap '' TERM; SLURM_JOB_ID=1 exec $spur hold"))
                        .start();
        started.await();

        process.destroy(); // SIGTERM

        assertThat(process.waitFor(3, TimeUnit.SECONDS)).isFalse();
        go.countDown();
        assertThat(process.waitFor()).isEqualTo(4);
    }

    @Test
    void forwardsSignalsToAToolThatListens() throws Exception {
        var seen = new LinkedBlockingQueue<ProcessSignal>();
        serve(
                "listen",
                in -> {
                    in.signals().listen(Set.of(ProcessSignal.INT, ProcessSignal.TERM), seen::add);
                    in.out().println("ready");
                    in.out().flush();
                    return seen.take() == ProcessSignal.INT && seen.take() == ProcessSignal.TERM
                            ? 5
                            : 6;
                });

        var process = StubProgram.command(socket, List.of("$spur", "listen")).start();
        process.getInputStream().readNBytes("ready\n".length());
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        while (!seen.isEmpty()) {
            Thread.onSpinWait();
        }
        process.destroy();

        assertThat(process.waitFor()).isEqualTo(5);
    }

    @Test
    void readsFilesThatOnlyTheCallerMayRead() throws Exception {
        assumeRoot();
        // The reverse of production, where the door may read less than its callers: here it may
        // read all,
        // so what counts is that the caller's own rights decide.
        var secret = Files.writeString(directory.resolve("secret"), "of root");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        serve(
                "cat",
                in -> {
                    in.out().write(in.files().read(in.args().getFirst(), MEBIBYTE));
                    return 0;
                });

        assertThat(StubProgram.call(socket, "cat", secret.toString()).text()).isEqualTo("of root");
        var denied =
                StubProgram.shell(
                        socket, "setpriv --reuid 4711 --clear-groups $spur cat " + secret);
        assertThat(denied.errors()).isEqualTo("cat: error: " + secret + ": Permission denied\n");
        assertThat(denied.exitCode()).isEqualTo(1);
    }

    @Test
    void readsFilesRelativeToTheCallersDirectoryAndItsOwnDescriptors() throws Exception {
        serve(
                "cat",
                in -> {
                    in.out().write(in.files().read(in.args().getFirst(), MEBIBYTE));
                    return 0;
                });
        Files.write(directory.resolve("script"), new byte[700_000]);

        assertThat(StubProgram.shell(socket, "cd " + directory + "; $spur cat script").output())
                .hasSize(700_000);
        assertThat(StubProgram.shell(socket, "$spur cat <(echo inline)").text())
                .isEqualTo("inline\n");
        assertThat(StubProgram.call(socket, "cat", "/nowhere").errors())
                .isEqualTo("cat: error: /nowhere: No such file or directory\n");
        assertThat(StubProgram.call(socket, "cat", "/dev/zero").errors())
                .isEqualTo("cat: error: /dev/zero: File too large\n");
        assertThat(StubProgram.call(socket, "cat", "/").errors())
                .isEqualTo("cat: error: /: Is a directory\n");
    }

    @Test
    void writesFilesAsTheCaller() throws Exception {
        serve(
                "write",
                in -> {
                    for (int i = 0; i < 2; i++) {
                        try (var file =
                                in.files()
                                        .write(in.args().getFirst(), UserFiles.WriteMode.APPEND)) {
                            file.write("line\n".repeat(100_000).getBytes(StandardCharsets.UTF_8));
                        }
                    }
                    return 0;
                });
        var target = directory.resolve("out");

        var told = StubProgram.shell(socket, "umask 077; $spur write " + target);

        assertThat(told.exitCode()).isZero();
        assertThat(Files.readString(target)).isEqualTo("line\n".repeat(200_000));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                .isEqualTo("rw-------");
    }

    @Test
    void tellsWhenAFileCouldNotBeWritten() throws Exception {
        serve(
                "write",
                in -> {
                    try (var file = in.files().write("/dev/full", UserFiles.WriteMode.TRUNCATE)) {
                        file.write('x');
                    }
                    return 0;
                });

        assertThat(StubProgram.call(socket, "write").errors())
                .isEqualTo("write: error: /dev/full: No space left on device\n");
    }

    @Test
    void runsChildrenOnTheCallersStreams() throws Exception {
        serve(
                "spawn",
                in -> {
                    var environment = new LinkedHashMap<>(in.environment());
                    environment.put("EXTRA", "given");
                    var child = in.children().spawn(in.args(), environment);
                    var exit = child.waitFor();
                    in.out().println("ended " + exit.code() + " " + exit.signal());
                    return exit.code();
                });

        var exited =
                StubProgram.shell(
                        socket, "echo input | $spur spawn sh -c 'cat; echo $EXTRA; exit 9'");
        assertThat(exited.text()).isEqualTo("input\ngiven\nended 9 null\n");
        assertThat(exited.exitCode()).isEqualTo(9);
        assertThat(StubProgram.shell(socket, "$spur spawn sh -c 'kill -KILL $$'").text())
                .isEqualTo("ended 137 9\n");
        assertThat(StubProgram.call(socket, "spawn", "no-such-program").errors())
                .isEqualTo("spawn: error: no-such-program: No such file or directory\n");
    }

    @Test
    void putsTheTerminalInRawModeAndBack() throws Exception {
        serve(
                "raw",
                in -> {
                    assertThat(in.terminal().isTerminal(0)).isTrue();
                    try (var _ = in.terminal().raw()) {
                        in.children().spawn(List.of("stty", "-a"), in.environment()).waitFor();
                    }
                    return 0;
                });

        var told = StubProgram.shell(socket, "script -qec '$spur raw; stty -a' /dev/null");

        var settings = told.text().split("speed", -1);
        assertThat(settings[1]).contains("-icanon", "-echo ");
        assertThat(settings[2]).contains(" icanon", " echo ");
    }

    @Test
    void restoresTheTerminalWhenAToolDiesInRawMode() throws Exception {
        serve(
                "raw",
                in -> {
                    var _ = in.terminal().raw();
                    throw new Failure("died");
                });

        var told = StubProgram.shell(socket, "script -qec '$spur raw; stty -a' /dev/null");

        assertThat(told.text()).contains("raw: error: died", " icanon");
    }

    @Test
    void givesTheTerminalToAChildAndTakesItBack() throws Exception {
        serve("shell", in -> in.children().spawn(in.args(), in.environment()).waitFor().code());

        // Reading the terminal is allowed to its foreground process group only.
        var told =
                StubProgram.shell(
                        socket,
                        "printf 'typed\\nagain\\n' | script -qec '$spur shell sh -c \"read x; echo child \\$x\"; read y; echo shell $y' /dev/null");

        assertThat(told.text()).contains("child typed", "shell again");
    }

    @Test
    void refusesMoreCommandsThanOneUserMayRun() throws Exception {
        reopen(
                new DoorLimits(
                        1,
                        10,
                        MEBIBYTE,
                        MEBIBYTE,
                        MEBIBYTE,
                        MEBIBYTE,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(5),
                        Duration.ofMinutes(1)));
        var first = StubProgram.command(socket, List.of("$spur", "wait")).start();
        started.await();

        var second = StubProgram.call(socket, "exit", "0");

        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.errors()).contains("too many commands");
        first.destroyForcibly();
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void givesUpOnACommandThatTakesTooLong() throws Exception {
        reopen(HURRIED);

        var told = StubProgram.call(socket, "wait");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.errors()).startsWith("wait: error: gave up after");
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void doesNotCountTheTimeThatTheCallerTakesToType() throws Exception {
        tools.put("read", in -> in.input().readAllBytes().length);
        reopen(HURRIED);
        var process = StubProgram.command(socket, List.of("$spur", "read")).start();

        assertThat(process.waitFor(3, TimeUnit.SECONDS)).isFalse();
        process.outputWriter().append("seven..").close();

        assertThat(process.waitFor()).isEqualTo(7);
    }

    @Test
    void survivesGarbage() throws Exception {
        var random = new Random(3);
        for (int i = 0; i < 50; i++) {
            var garbage = new byte[random.nextInt(1, 5000)];
            random.nextBytes(garbage);
            send(garbage);
        }
        send(new byte[] {-1, -1, -1, -1, Frame.HELLO, 0, 0, 0, 0});
        send(new byte[] {0, 0, 0, 5, Frame.HELLO, 0, 0, 0, 0, 1});

        assertThat(StubProgram.call(socket, "exit", "4").exitCode()).isEqualTo(4);
        while (door.commands() > 0) {
            Thread.onSpinWait(); // the caller may know of its end before the door has counted it
        }
    }

    @Test
    void survivesGarbageAfterAValidGreeting() throws Exception {
        var random = new Random(4);
        for (int i = 0; i < 100; i++) {
            var payload = new byte[random.nextInt(0, 40)];
            random.nextBytes(payload);
            var session =
                    ByteBuffer.allocate(1000)
                            .put(frame(Frame.HELLO, 0, greeting()))
                            .put(
                                    frame(
                                            Frame.ARGUMENTS,
                                            0,
                                            "wait\0".getBytes(StandardCharsets.UTF_8)))
                            .put(frame(Frame.RUN, 0, new byte[0]))
                            .put(frame(random.nextInt(0, 50), random.nextInt(0, 20), payload))
                            .flip();
            var bytes = new byte[session.remaining()];
            session.get(bytes);
            send(bytes);
        }

        assertThat(StubProgram.call(socket, "exit", "4").exitCode()).isEqualTo(4);
    }

    private static byte[] greeting() {
        return ByteBuffer.allocate(4 + 2 + 2 + 1 + 4 + 1 + 16 + 2 + 4 + 2 + 1)
                .putInt(Frame.MAGIC)
                .putShort((short) Frame.VERSION)
                .put(new byte[2 + 1 + 4 + 1 + 16])
                .putShort((short) 4)
                .put("spur".getBytes(StandardCharsets.UTF_8))
                .putShort((short) 1)
                .put((byte) '/')
                .array();
    }

    private static byte[] frame(int type, int stream, byte[] payload) {
        return ByteBuffer.allocate(Frame.HEADER + payload.length)
                .putInt(payload.length)
                .put((byte) type)
                .putInt(stream)
                .put(payload)
                .array();
    }

    @Test
    void theStubSurvivesADoorThatTalksNonsense() throws Exception {
        var random = new Random(5);
        var nonsense = directory.resolve("nonsense.sock");
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(nonsense));
            var answering =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    for (int i = 0; i < 50; i++) {
                                        answer(listener, random);
                                    }
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
            for (int i = 0; i < 50; i++) {
                // 139 would be a crash.
                assertThat(StubProgram.call(nonsense, "exit", "0").exitCode()).isLessThan(128);
            }
            answering.join();
        }
    }

    private static void answer(ServerSocketChannel listener, Random random) throws IOException {
        try (var channel = listener.accept()) {
            for (int i = 0; i < 5; i++) {
                var payload = new byte[random.nextInt(0, 40)];
                random.nextBytes(payload);
                // No OPEN, SPAWN, KILL or RAW: what they do would be as random as their payload.
                int type = List.of(5, 6, 34, 36, 2, 3, 60, 200).get(random.nextInt(8));
                channel.write(ByteBuffer.wrap(frame(type, random.nextInt(0, 20), payload)));
            }
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
        }
    }

    private void send(byte[] bytes) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap(bytes));
            channel.shutdownOutput();
            while (channel.read(ByteBuffer.allocate(1024)) > 0) {}
        } catch (IOException e) {
            // Being thrown out is the expected answer.
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
        }
    }

    @Test
    void tellsAnotherVersionOfTheStubWhatToDo() throws Exception {
        var hello =
                ByteBuffer.allocate(Frame.HEADER + 6)
                        .putInt(6)
                        .put((byte) Frame.HELLO)
                        .putInt(0)
                        .putInt(Frame.MAGIC)
                        .putShort((short) 99)
                        .flip();
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(hello);
            var answer = ByteBuffer.allocate(1000);
            while (channel.read(answer) > 0) {}

            assertThat(answer.get(4)).isEqualTo((byte) Frame.REFUSED);
            assertThat(new String(answer.array(), StandardCharsets.UTF_8))
                    .contains("version 99", "restart the service");
        }
    }

    @Test
    void saysSoWhenTheDoorDiesInTheMiddle() throws Exception {
        var builder = StubProgram.command(socket, List.of("$spur", "wait"));
        var process = builder.start();
        started.await();

        door.close();

        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(builder.redirectError().file())
                .content()
                .contains("ended in the middle of this command");
    }

    @Test
    void nextDoorGoesOnWithWhatTheLastOneLeftWithTheCaller() throws Exception {
        tools.put(
                "count",
                in -> {
                    var reached = in.memory().recall(7).map(kept -> kept[0]).orElse((byte) 0);
                    in.out().println("from " + reached).flush();
                    in.memory().keep(7, new byte[] {(byte) (reached + 1)});
                    if (!in.memory().isResumed()) {
                        started.countDown();
                        new CountDownLatch(1).await();
                    }
                    return 5;
                });
        reopen(DoorLimits.DEFAULTS);
        var builder = StubProgram.command(socket, List.of("$spur", "count"));
        var process = builder.start();
        started.await();

        reopen(DoorLimits.DEFAULTS);

        assertThat(process.getInputStream()).hasContent("from 0\nfrom 1\n");
        assertThat(process.waitFor()).isEqualTo(5);
    }

    @Test
    void comesAgainToTheNextDoorWhenThatHasNoPlaceYet() throws Exception {
        tools.put(
                "hold",
                in -> {
                    if (in.memory().isResumed()) {
                        return 5;
                    }
                    in.memory().keep(7, new byte[] {1});
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
        reopen(DoorLimits.DEFAULTS);
        var builder = StubProgram.command(socket, List.of("$spur", "hold"));
        var process = builder.start();
        started.await();

        door.close();
        refuseOne("too many commands run on this host\n");
        door = DoorServer.bind(DoorConfig.of(socket, new Tools(tools))).open();

        assertThat(process.waitFor()).isEqualTo(5);
        assertThat(builder.redirectError().file())
                .content()
                .doesNotContain("too many commands", "is not back");
    }

    /// As a door that is full.
    private void refuseOne(String why) throws IOException {
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(socket));
            try (var caller = listener.accept()) {
                caller.read(ByteBuffer.allocate(64));
                var text = why.getBytes(StandardCharsets.UTF_8);
                caller.write(
                        ByteBuffer.allocate(Frame.HEADER + 1 + text.length)
                                .putInt(1 + text.length)
                                .put((byte) Frame.REFUSED)
                                .putInt(0)
                                .put((byte) 1)
                                .put(text)
                                .flip());
            }
            Files.delete(socket);
        }
    }

    @Test
    void leavesTheSocketOfTheNextDoorAloneWhenItCloses() throws Exception {
        for (var i = 0; i < 50; i++) {
            var closing = Thread.ofVirtual().start(door::close);
            door = bindAsSoonAsPossible().open();
            closing.join();

            assertThat(socket).exists();
            assertThat(StubProgram.call(socket, "exit", "42").exitCode()).isEqualTo(42);
        }
    }

    private DoorServer bindAsSoonAsPossible() {
        while (true) {
            try {
                return DoorServer.bind(DoorConfig.of(socket, new Tools(tools)));
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("already listens");
            }
        }
    }

    @Test
    void inputThatWasNotTakenIsGivenToTheNextDoor() throws Exception {
        tools.put(
                "read",
                in -> {
                    in.memory().keep(7, new byte[] {1});
                    var input = in.input();
                    var offset = in.memory().inputOffset();
                    if (in.memory().isResumed()) {
                        in.out().print(offset + ":");
                        input.transferTo(in.out());
                        return 0;
                    }
                    assertThat(input.readNBytes(6)).asString().isEqualTo("abcdef");
                    in.memory().inputTaken(2);
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
        reopen(DoorLimits.DEFAULTS);
        var process = StubProgram.command(socket, List.of("$spur", "read")).start();
        process.outputWriter().append("abcdef").flush();
        started.await();

        reopen(DoorLimits.DEFAULTS);
        process.outputWriter().append("gh").close();

        assertThat(process.getInputStream()).hasContent("2:cdefgh");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void nextDoorHearsOfTheEndOfAChild() throws Exception {
        tools.put(
                "shell",
                in -> {
                    var earlier = in.children().adopt();
                    if (earlier.isPresent()) {
                        return earlier.get().waitFor().code();
                    }
                    in.memory().keep(7, new byte[] {1});
                    in.children().spawn(List.of("sh", "-c", "read x; exit 9"), Map.of());
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
        reopen(DoorLimits.DEFAULTS);
        var process = StubProgram.command(socket, List.of("$spur", "shell")).start();
        started.await();

        reopen(DoorLimits.DEFAULTS);
        process.getOutputStream().close();

        assertThat(process.waitFor()).isEqualTo(9);
    }

    @Test
    void whoWillNotWaitForTheNextDoorIsToldWhatGoesOn() throws Exception {
        tools.put(
                "hold",
                in -> {
                    in.signals().listen(Set.of(ProcessSignal.INT), _ -> {});
                    in.memory().farewell("Job 12 goes on.");
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
        reopen(DoorLimits.DEFAULTS);
        var builder = StubProgram.command(socket, List.of("$spur", "hold"));
        builder.redirectErrorStream(true).redirectError(ProcessBuilder.Redirect.PIPE);
        var process = builder.start();
        started.await();

        door.close();
        var said = process.inputReader();
        assertThat(said.readLine()).contains("waiting for it to come back");
        assertThat(
                        new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                                .start()
                                .waitFor())
                .isZero();

        assertThat(said.readLine()).contains("is not back. Job 12 goes on.");
        assertThat(process.waitFor()).isEqualTo(130);
    }

    @Test
    void doesNotTrustTheDoorOfAnotherUser() throws Exception {
        assumeRoot();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        var foreign = directory.resolve("foreign.sock");
        var listener =
                StubProgram.command(
                                foreign,
                                List.of(
                                        "setpriv",
                                        "--reuid",
                                        "4711",
                                        "--clear-groups",
                                        "perl",
                                        "-MIO::Socket::UNIX",
                                        "-e",
                                        "my $s = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1); $|=1; print qq(up); $s->accept",
                                        foreign.toString()))
                        .start();
        assertThat(listener.getInputStream().readNBytes(2)).hasSize(2);

        var told = StubProgram.call(foreign, "exit", "0");

        listener.destroyForcibly();
        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.errors()).contains("runs as uid 4711");
    }

    private static void assumeRoot() {
        assumeThat(System.getProperty("user.name"))
                .as("needs root to act as other users")
                .isEqualTo("root");
    }
}
