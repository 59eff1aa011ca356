package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.Tool;
import dev.spur.cli.tools.Tools;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a caller may take of the door: each of these would fill its memory or its places, and with
/// them every other user's.
@Timeout(60)
final class DoorBoundsTest {
    private static final DoorLimits SMALL =
            new DoorLimits(
                    8,
                    64,
                    1 << 20,
                    4 << 20,
                    1 << 20,
                    4 << 20,
                    Duration.ofMillis(1),
                    Duration.ofSeconds(2),
                    Duration.ofMinutes(1));

    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private @TempDir Path directory;
    private @Nullable Door door;

    @BeforeAll
    static void buildStub() throws Exception {
        StubProgram.built();
    }

    @AfterEach
    void close() {
        if (door != null) {
            door.close();
        }
    }

    private Path open(DoorLimits limits) throws IOException {
        var socket = directory.resolve("door.sock");
        tools.put("exit", in -> Integer.parseInt(in.args().getFirst()));
        door = DoorServer.bind(DoorConfig.of(socket, new Tools(tools)).with(limits)).open();
        return socket;
    }

    @Test
    void framesWithoutPayloadCostTheirSenderToo() throws Exception {
        try (var caller = connected(open(SMALL))) {
            var said = sendUntilRefused(caller, frame(Frame.CHILD_STARTED, 7, new byte[0]));

            assertThat(said).contains("need too much memory");
        }
    }

    @Test
    void emptyTextsCostTheirSenderToo() throws Exception {
        try (var caller = connected(open(SMALL))) {
            var said = sendUntilRefused(caller, frame(Frame.ARGUMENTS, 0, new byte[16 * 1024]));

            assertThat(said).contains("need too much memory");
        }
    }

    @Test
    void whatCommandsReadOfFilesIsOnTheirCallersAccount() throws Exception {
        var reading = new CountDownLatch(1);
        tools.put(
                "read",
                in -> {
                    in.files().read(in.args().getFirst(), 4 << 20);
                    reading.countDown();
                    new CountDownLatch(1).await();
                    return 0;
                });
        var socket = open(SMALL);
        var file = Files.write(directory.resolve("script"), new byte[200 * 1024]);
        var first =
                StubProgram.command(socket, java.util.List.of("$spur", "read", file.toString()))
                        .start();
        reading.await();

        var second = StubProgram.call(socket, "read", file.toString());

        assertThat(second.errors()).contains("Resource temporarily unavailable");
        assertThat(StubProgram.call(socket, "exit", "3").exitCode()).isEqualTo(3);
        first.destroy();
    }

    @Test
    void greetingThatDripsIsNotWaitedFor() throws Exception {
        var socket = open(SMALL);
        try (var caller = connected(socket)) {
            caller.write(hello());
            var drop = frame(Frame.MEMORY, 1, new byte[1]);
            var patience = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (isOpen(caller, drop) && System.nanoTime() < patience) {
                Thread.onSpinWait();
                java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
            }

            assertThat(System.nanoTime()).isLessThan(patience);
        }
    }

    @Test
    void doorOfOneUserCannotBeReachedByOthers() throws Exception {
        var socket = directory.resolve("door.sock");
        tools.put("exit", in -> Integer.parseInt(in.args().getFirst()));
        var somebodyElse = 4711;
        door = DoorServer.bind(DoorConfig.of(socket, new Tools(tools)).only(somebodyElse)).open();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");
        var told = StubProgram.call(socket, "exit", "0");
        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.errors()).contains("is another user's");
    }

    @Test
    void commandOfACallerWhoHasHungUpIsNotBegun() throws Exception {
        var begun = new java.util.concurrent.atomic.AtomicInteger();
        tools.put(
                "exit",
                in -> {
                    begun.incrementAndGet();
                    return 0;
                });
        var socket = directory.resolve("door.sock");
        var bound = DoorServer.bind(DoorConfig.of(socket, new Tools(tools)));
        for (var i = 0; i < 100; i++) {
            try (var caller = connected(socket)) {
                caller.write(hello());
                caller.write(frame(Frame.ARGUMENTS, 0, new byte[0]));
                caller.write(frame(Frame.ENVIRONMENT, 0, new byte[0]));
                caller.write(frame(Frame.RUN, 0, new byte[0]));
            }
        }

        door = bound.open();

        assertThat(StubProgram.call(socket, "exit").exitCode()).isZero();
        assertThat(begun).hasValue(1);
    }

    /// The kernel may refuse for other reasons than descriptors; then nobody may take a whole
    /// processor for asking on.
    @Test
    void doorThatCanTakeNobodyInWaitsBeforeItTriesAgain() throws Exception {
        var socket = open(SMALL);
        var acceptor =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("door-accept"))
                        .findFirst()
                        .orElseThrow();

        Libc.shutdown(listener(socket)); // from now on accept fails at once

        var patience = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (acceptor.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime()).isLessThan(patience);
            Thread.onSpinWait();
        }
    }

    /// The descriptor of this process that listens there.
    private static int listener(Path socket) throws IOException {
        var inode =
                Files.readAllLines(Path.of("/proc/net/unix")).stream()
                        .filter(line -> line.endsWith(" " + socket))
                        .map(line -> line.strip().split(" +")[6])
                        .findFirst()
                        .orElseThrow();
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (var descriptor : descriptors.toList()) {
                if (Files.isSymbolicLink(descriptor)
                        && Files.readSymbolicLink(descriptor)
                                .toString()
                                .equals("socket:[%s]".formatted(inode))) {
                    return Integer.parseInt(descriptor.getFileName().toString());
                }
            }
        }
        throw new IOException("nobody here listens on " + socket);
    }

    @Test
    void doorWithoutMemorySaysSoAndStays() {
        var room = new boolean[] {false};
        var quotas = new CallerQuotas(SMALL, () -> room[0]);

        assertThat(quotas.enter(1)).isEmpty();
        room[0] = true;
        assertThat(quotas.enter(1)).isPresent();
    }

    private static SocketChannel connected(Path socket) throws IOException {
        var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    /// What the door said when it had enough.
    private static String sendUntilRefused(SocketChannel caller, ByteBuffer frame)
            throws IOException {
        caller.write(hello());
        for (var sent = 0; sent < 100_000 && isOpen(caller, frame); sent++) {
            // the door decides when it is enough
        }
        var answer = ByteBuffer.allocate(4096);
        while (answer.hasRemaining() && read(caller, answer) > 0) {
            // all of it
        }
        return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
    }

    private static int read(SocketChannel caller, ByteBuffer into) {
        try {
            return caller.read(into);
        } catch (IOException e) {
            return -1;
        }
    }

    private static boolean isOpen(SocketChannel caller, ByteBuffer frame) {
        try {
            caller.write(frame.duplicate());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static ByteBuffer hello() {
        var name = "exit".getBytes(StandardCharsets.UTF_8);
        var directory = "/".getBytes(StandardCharsets.UTF_8);
        var payload =
                ByteBuffer.allocate(64)
                        .putInt(Frame.MAGIC)
                        .putShort((short) Frame.VERSION)
                        .putShort((short) 022)
                        .put((byte) 0)
                        .putShort((short) 24)
                        .putShort((short) 80)
                        .put((byte) 0)
                        .putLong(0)
                        .putLong(0)
                        .putShort((short) name.length)
                        .put(name)
                        .putShort((short) directory.length)
                        .put(directory)
                        .flip();
        var bytes = new byte[payload.remaining()];
        payload.get(bytes);
        return frame(Frame.HELLO, 0, bytes);
    }

    private static ByteBuffer frame(int type, int stream, byte[] payload) {
        return ByteBuffer.allocate(Frame.HEADER + payload.length)
                .putInt(payload.length)
                .put((byte) type)
                .putInt(stream)
                .put(payload)
                .flip();
    }
}
