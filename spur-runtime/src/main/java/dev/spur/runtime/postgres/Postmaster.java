package dev.spur.runtime.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The server process that a data directory names, if it lives: the file outlives its process, and
/// its number may long be another's.
///
/// @param isReady whether it takes connections
/// @param socketDirectory where its socket is; empty: it has not said
record Postmaster(ProcessHandle process, boolean isReady, Path socketDirectory) {
    /// The mark of servers that Spur started, in their command line and in all of their titles in
    /// `ps`.
    static final String MARK = "cluster_name=spur";

    private static final Logger LOG = LoggerFactory.getLogger(Postmaster.class);
    private static final int SOCKET_LINE = 4;
    private static final int STATUS_LINE = 7;

    /// It is asked to stop at once by what kept it, when its owner ends. A write-back of dirty
    /// pages may take a while.
    private static final Duration STOPS_WITHIN = Duration.ofSeconds(30);

    static Optional<Postmaster> of(Path data) {
        try {
            var lines = Files.readAllLines(data.resolve("postmaster.pid"), StandardCharsets.UTF_8);
            if (lines.isEmpty() || !lines.getFirst().strip().matches("[0-9]{1,9}")) {
                return Optional.empty(); // being written
            }
            var ready = lines.size() > STATUS_LINE && lines.get(STATUS_LINE).startsWith("ready");
            var socket = lines.size() > SOCKET_LINE ? lines.get(SOCKET_LINE).strip() : "";
            return ProcessHandle.of(Long.parseLong(lines.getFirst().strip()))
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> isIn(process, data))
                    .map(process -> new Postmaster(process, ready, Path.of(socket)));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read postmaster.pid in " + data, e);
        }
    }

    /// A server works in its data directory.
    private static boolean isIn(ProcessHandle process, Path data) {
        try {
            return Files.isSameFile(Path.of("/proc", String.valueOf(process.pid()), "cwd"), data);
        } catch (IOException e) {
            return false; // gone, or somebody else's
        }
    }

    /// Waits for a server whose owner is gone, and ends one that nothing else ends. To be called by
    /// who has the directory's lock.
    static void endOrphan(Path data) {
        var found = of(data);
        if (found.isEmpty()) {
            return;
        }
        var process = found.get().process();
        if (!commandLine(process).contains(MARK)) {
            throw new PostgresException(
                    "a PostgreSQL that Spur did not start uses %s (pid %d). Stop it: kill -INT %d"
                            .formatted(data, process.pid(), process.pid()));
        }
        LOG.atInfo().addKeyValue("pid", process.pid()).log("waiting for the former PostgreSQL");
        if (!ends(process)) {
            LOG.atWarn().addKeyValue("pid", process.pid()).log("killing the former PostgreSQL");
            process.destroyForcibly();
            if (!ends(process)) {
                throw new PostgresException(
                        "the former PostgreSQL (pid %d) does not end, though it was killed. Its disk may hang"
                                .formatted(process.pid()));
            }
        }
    }

    private static boolean ends(ProcessHandle process) {
        try {
            CompletableFuture<ProcessHandle> end = process.onExit();
            end.get(STOPS_WITHIN.toSeconds(), TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot wait for pid " + process.pid(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresException("interrupted while a former PostgreSQL ended", e);
        }
    }

    private static List<String> commandLine(ProcessHandle process) {
        try {
            var text = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "cmdline"));
            return List.of(text.split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }
}
