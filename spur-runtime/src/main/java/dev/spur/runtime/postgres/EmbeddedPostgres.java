package dev.spur.runtime.postgres;

import dev.spur.runtime.process.PidFile;
import dev.spur.runtime.process.Running;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A running PostgreSQL that belongs to this process and ends with it, in whatever way that ends.
///
/// A server that ends by itself is started again, and its pools connect again; one that cannot stay
/// up makes {@link #awaitTermination} throw. What a killed owner left behind is waited for and then
/// started anew, not adopted: only a server of one's own ends with oneself.
public final class EmbeddedPostgres implements Running {
    static final String SUPERUSER = "postgres";

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final Duration READY_WITHIN = Duration.ofMinutes(5);

    /// How long processes of a server that was killed may still hold its memory.
    private static final Duration LEFTOVERS_END_WITHIN = Duration.ofSeconds(20);

    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(200);
    private static final long LARGEST_LOG = 8 << 20;
    private static final int LAST_OF_LOG = 2000;

    /// One that ends so soon and so often has a reason that a further start does not mend.
    private static final Duration STAYS_UP_FOR = Duration.ofSeconds(10);

    private static final int EARLY_ENDS = 5;

    /// Longest path of a Unix socket in Linux, and what PostgreSQL appends to the directory.
    private static final int LONGEST_SOCKET = 107;

    private static final String SOCKET = ".s.PGSQL.5432";

    private final PostgresHome home;
    private final PidFile owner;
    private final Path socketDirectory;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final ReentrantLock starting = new ReentrantLock();
    private volatile Process server;
    private volatile boolean closing;

    private EmbeddedPostgres(PostgresHome home, PidFile owner) throws IOException {
        this.home = home;
        this.owner = owner;
        this.socketDirectory = socketDirectory(home);
        Postmaster.endOrphan(home.data()); // nothing is written under a server that runs
        new DataDirectory(home).prepare(socketDirectory);
        this.server = start();
    }

    /// Starts the server and makes the databases that are missing, each with a role of its own of
    /// the same name.
    public static EmbeddedPostgres open(PostgresHome home, List<String> databases) {
        var owner = PidFile.take(home.directory().resolve("owner.pid"), "a daemon with a database");
        try {
            home.give(home.directory().resolve("owner.pid"));
            var postgres = new EmbeddedPostgres(home, owner);
            try {
                new Roles(postgres.address(SUPERUSER, SUPERUSER), home).prepare(databases);
                Thread.ofVirtual().name("postgres-watch").start(postgres::watch);
                return postgres;
            } catch (RuntimeException e) {
                Keeper.stop(postgres.server);
                throw e;
            }
        } catch (IOException e) {
            owner.close();
            throw new UncheckedIOException("cannot start PostgreSQL in " + home.directory(), e);
        } catch (RuntimeException e) {
            owner.close();
            throw e;
        }
    }

    /// A database of the server that some daemon runs in this directory at the moment; null if none
    /// does.
    public static @Nullable DatabaseAddress running(PostgresHome home, String database) {
        return Postmaster.of(home.data())
                .filter(Postmaster::isReady)
                .map(postmaster ->
                        DatabaseAddress.embedded(
                                postmaster.socketDirectory().resolve(SOCKET),
                                database,
                                database,
                                Passwords.read(home, database)))
                .orElse(null);
    }

    /// A database of a server that another process of the same user keeps running: waits until it
    /// is there, wherever that process puts it.
    public static DatabaseAddress awaitDatabase(Path directory, String name, Duration within) {
        var deadline = System.nanoTime() + within.toNanos();
        while (true) {
            var home = PostgresHome.existing(directory);
            var address = Passwords.exists(home, name) ? running(home, name) : null;
            if (address != null && isThere(address)) {
                return address;
            }
            if (System.nanoTime() > deadline) {
                throw new PostgresException(
                        "no PostgreSQL with the database %s runs in %s"
                                .formatted(name, home.directory()));
            }
            pause(PAUSE_AFTER_FAILURE);
        }
    }

    /// Its password is written before the database is made.
    private static boolean isThere(DatabaseAddress address) {
        try (var connection = address.plain("spur").getConnection()) {
            return connection.isValid(5);
        } catch (SQLException _) {
            return false;
        }
    }

    /// One of the databases, as its own role.
    public DatabaseAddress database(String name) {
        return address(name, name);
    }

    /// The process number of the server, for those who watch processes.
    public long pid() {
        return Postmaster.of(home.data())
                .map(postmaster -> postmaster.process().pid())
                .orElseThrow(() -> new PostgresException("PostgreSQL is not running"));
    }

    private DatabaseAddress address(String database, String role) {
        return DatabaseAddress.embedded(
                socketDirectory.resolve(SOCKET), database, role, Passwords.read(home, role));
    }

    private static Path socketDirectory(PostgresHome home) throws IOException {
        var usual = home.subdirectory("run");
        if (usual.resolve(SOCKET).toString().getBytes(StandardCharsets.UTF_8).length
                <= LONGEST_SOCKET) {
            return usual;
        }
        var elsewhere = Files.createTempDirectory("spur-pg-"); // 0700
        home.give(elsewhere);
        return elsewhere;
    }

    private Process start() throws IOException {
        var deadline = System.nanoTime() + LEFTOVERS_END_WITHIN.toNanos();
        while (true) {
            Postmaster.endOrphan(home.data()); // a keeper that was killed leaves one, too
            var process = launch();
            if (isUp(process)) {
                LOG.atInfo()
                        .addKeyValue("version", home.binaries().version())
                        .addKeyValue("directory", home.directory())
                        .log("PostgreSQL serves");
                return process;
            }
            var said = lastOfLog();
            if (!said.contains("is still in use") || System.nanoTime() > deadline) {
                throw new PostgresException(
                        "PostgreSQL does not start in %s. It says (%s):%n%s"
                                .formatted(home.directory(), home.log(), said));
            }
            pause(PAUSE_AFTER_FAILURE);
        }
    }

    private Process launch() throws IOException {
        prepareLog();
        return Keeper.start(
                home,
                List.of(
                        home.binaries().program("postgres").toString(),
                        "-D",
                        home.data().toString(),
                        "-c",
                        Postmaster.MARK),
                ProcessBuilder.Redirect.appendTo(home.log().toFile()));
    }

    /// Whether it became ready; false if it ended before.
    private boolean isUp(Process process) {
        var deadline = System.nanoTime() + READY_WITHIN.toNanos();
        while (process.isAlive()) {
            var postmaster = Postmaster.of(home.data());
            if (postmaster.isPresent()
                    && postmaster.get().isReady()
                    && postmaster
                            .get()
                            .process()
                            .parent()
                            .filter(process.toHandle()::equals)
                            .isPresent()) {
                return true;
            }
            if (System.nanoTime() > deadline) {
                Keeper.stop(process);
                throw new PostgresException(
                        "PostgreSQL was not ready after %d s, see %s"
                                .formatted(READY_WITHIN.toSeconds(), home.log()));
            }
            pause(PAUSE);
        }
        return false;
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresException("interrupted while PostgreSQL started", e);
        }
    }

    /// Starts again what ended without being asked to.
    private void watch() {
        var earlyEnds = 0;
        try {
            while (!closing) {
                var since = System.nanoTime();
                var status = server.waitFor();
                if (closing) {
                    return;
                }
                LOG.atError()
                        .addKeyValue("status", status)
                        .addKeyValue("log", home.log())
                        .log("PostgreSQL ended by itself, starting it again");
                var up = Duration.ofNanos(System.nanoTime() - since);
                earlyEnds = up.compareTo(STAYS_UP_FOR) < 0 ? earlyEnds + 1 : 1;
                if (earlyEnds >= EARLY_ENDS) {
                    throw new PostgresException(
                            "PostgreSQL ended %d times in a row. It says (%s):%n%s"
                                    .formatted(earlyEnds, home.log(), lastOfLog()));
                }
                restart();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            ended.completeExceptionally(e);
        } catch (IOException e) {
            ended.completeExceptionally(new UncheckedIOException("cannot start PostgreSQL", e));
        }
    }

    private void restart() throws IOException {
        starting.lock();
        try {
            if (!closing) {
                server = start();
            }
        } finally {
            starting.unlock();
        }
    }

    private void prepareLog() throws IOException {
        var log = home.log();
        if (Files.exists(log) && Files.size(log) > LARGEST_LOG) {
            Files.move(
                    log, log.resolveSibling("postgres.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.newByteChannel(
                        log,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")))
                .close();
        home.give(log);
    }

    private String lastOfLog() throws IOException {
        var said = Files.readString(home.log(), StandardCharsets.ISO_8859_1);
        return said.substring(Math.max(0, said.length() - LAST_OF_LOG)).strip();
    }

    /// Throws when the server cannot be kept up: its daemon then ends, too.
    @Override
    public void awaitTermination() throws InterruptedException {
        try {
            ended.get();
        } catch (ExecutionException e) {
            throw new PostgresException("the database is gone", e);
        }
    }

    /// Breaks off what is underway, writes everything to disk and ends the server.
    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        starting.lock(); // a start that is underway comes to its end first
        try {
            Keeper.stop(server);
        } finally {
            starting.unlock();
        }
        owner.close();
        ended.complete(null);
    }
}
