package dev.spur.cli.door;

import dev.spur.runtime.process.MemoryGuard;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Listens on the Unix socket and gives every connection a [Session].
public final class DoorServer {
    private static final Logger log = LoggerFactory.getLogger(DoorServer.class);
    private static final int BACKLOG = 1024;
    private static final int LONGEST_PATH = 107;
    private static final Duration WATCH_EVERY = Duration.ofSeconds(1);
    private static final Duration TROUBLE_PAUSE = Duration.ofMillis(50);
    private static final int PLACES = Math.max(16, 4 * Runtime.getRuntime().availableProcessors());
    private static final Duration PLACE_WITHIN = Duration.ofMillis(20);

    private final DoorConfig config;
    private final CallerQuotas quotas;
    private final Poller poller = new Poller("door-poll");
    private final Lines lines = new Lines(PLACES, PLACE_WITHIN);
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
    private final int listener;
    private volatile boolean closed;

    private DoorServer(DoorConfig config, int listener) {
        this.config = config;
        var memory =
                MemoryGuard.ofThisProcess(
                        config.clock(),
                        "commands are refused until some have ended; a larger heap (SPUR_DOOR_HEAP) takes more at once");
        this.quotas = new CallerQuotas(config.limits(), memory::hasRoom);
        this.listener = listener;
    }

    /// Makes the socket. Everybody on this host may connect, unless the door serves one user only;
    /// who they are the kernel tells. They wait until the door opens.
    public static DoorServer bind(DoorConfig config) throws IOException {
        return new DoorServer(config, listen(config));
    }

    /// Serves those who connect.
    public Door open() {
        var acceptor = Thread.ofPlatform().daemon().name("door-accept").start(this::accept);
        var usher = Thread.ofPlatform().daemon().name("door-usher").start(this::usher);
        var watch = Thread.ofVirtual().name("door-watch").start(this::watch);
        log.atInfo().addKeyValue("socket", config.socket()).log("door open");
        return new Open(acceptor, usher, watch);
    }

    private static int listen(DoorConfig config) throws IOException {
        var socket = config.socket();
        var path = socket.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8);
        if (path.length > LONGEST_PATH) {
            throw new IOException(
                    "the path of the door's socket has %d bytes, the kernel allows %d: %s"
                            .formatted(path.length, LONGEST_PATH, socket));
        }
        var directory = socket.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        if (isServed(socket)) {
            throw new IOException("another Spur service already listens on " + socket);
        }
        Files.deleteIfExists(socket);
        int listener = Libc.listeningSocket(path, BACKLOG);
        if (listener < 0) {
            throw new IOException("cannot listen on %s: errno %d".formatted(socket, -listener));
        }
        Files.setPosixFilePermissions(
                socket,
                PosixFilePermissions.fromString(
                        config.onlyUser().isPresent() ? "rw-------" : "rw-rw-rw-"));
        return listener;
    }

    /// Whether somebody listens there. A socket file without a listener is what a killed service
    /// leaves behind.
    public static boolean isServed(Path socket) {
        if (!Files.exists(socket)) {
            return false;
        }
        try (var probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return probe.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            return false;
        }
    }

    private void accept() {
        try (var arena = Arena.ofConfined()) {
            var errno = arena.allocate(8, 8);
            var told = 0;
            while (!closed) {
                int fd = Libc.accept(listener, errno);
                if (fd >= 0) {
                    told = 0;
                    serve(fd);
                } else if (fd != -Libc.EINTR && fd != -Libc.ECONNABORTED && !closed) {
                    if (told != -fd) { // once, or a bad hour would fill the log
                        told = -fd;
                        tellOfTrouble(told);
                    }
                    LockSupport.parkNanos(TROUBLE_PAUSE.toNanos());
                }
            }
        }
    }

    private static void tellOfTrouble(int errno) {
        if (errno == Libc.EMFILE || errno == Libc.ENFILE) {
            log.atWarn()
                    .log("no descriptor is free for a new caller; raise the limit on open files");
        } else {
            log.atError()
                    .addKeyValue("errno", errno)
                    .log("no caller can be taken in just now; it is tried again and again");
        }
    }

    /// Whoever is one too many is told so at once, and is nowhere remembered.
    private void serve(int fd) {
        var session = new Session(new UnixSocket(fd, poller), config);
        session.admit(quotas)
                .ifPresent(permit -> {
                    sessions.add(session);
                    session.joins(lines, permit, () -> sessions.remove(session));
                });
    }

    private void usher() {
        try {
            for (var turn = lines.next(); turn.isPresent(); turn = lines.next()) {
                Thread.ofVirtual().name("door-command").start(turn.get()::serve);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(WATCH_EVERY.toNanos());
            sessions.forEach(Session::checkTime);
        }
    }

    private final class Open implements Door {
        private final Thread acceptor;
        private final Thread usher;
        private final Thread watch;

        Open(Thread acceptor, Thread usher, Thread watch) {
            this.acceptor = acceptor;
            this.usher = usher;
            this.watch = watch;
        }

        @Override
        public Path socket() {
            return config.socket();
        }

        @Override
        public int commands() {
            return quotas.commands();
        }

        @Override
        public void close() {
            if (closed) {
                return;
            }
            removeSocket(); // first: when nobody listens any more it may be the next door's
            closed = true;
            LockSupport.unpark(watch);
            Libc.shutdown(listener); // wakes accept
            try {
                acceptor.join();
                Libc.close(listener);
                sessions.forEach(Session::close);
                lines.close();
                usher.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                poller.close();
            }
            log.atInfo().addKeyValue("socket", config.socket()).log("door closed");
        }

        /// A door that root opened and then became another may not. That does no harm: a socket
        /// without a listener is no door to anybody, and the next door replaces it.
        private void removeSocket() {
            try {
                Files.deleteIfExists(config.socket());
            } catch (IOException e) {
                log.atDebug()
                        .addKeyValue("socket", config.socket())
                        .addKeyValue("why", e.toString())
                        .log("the socket stays");
            }
        }
    }
}
