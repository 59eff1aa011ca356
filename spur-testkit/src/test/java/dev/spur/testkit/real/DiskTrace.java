package dev.spur.testkit.real;

import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// When a running process had the kernel force its files to disk, as `strace` sees it.
final class DiskTrace implements AutoCloseable {
    /// As in `1763496000.123456 fdatasync(45</var/lib/file>) = 0 <0.000212>`.
    private static final Pattern FORCED =
            Pattern.compile("([0-9.]+) f(?:data)?sync\\([0-9]+<(.*)>\\) += 0 <([0-9.]+)>");

    private final Process strace;
    private final Path directory;

    private DiskTrace(Process strace, Path directory) {
        this.strace = strace;
        this.directory = directory;
    }

    /// A file that was on disk at the end.
    record Forced(String file, Instant begin, Instant end) {}

    static boolean isInstalled() {
        return Files.isExecutable(Path.of("/usr/bin/strace"));
    }

    /// Returns when nothing that the process does is missed any more.
    static DiskTrace of(long pid) throws IOException {
        var directory = Files.createTempDirectory("trace");
        var strace =
                new ProcessBuilder(
                                "strace",
                                "-ff",
                                "-ttt",
                                "-T",
                                "-y",
                                "-e",
                                "trace=fsync,fdatasync",
                                "-o",
                                directory.resolve("thread").toString(),
                                "-p",
                                "" + pid)
                        .redirectErrorStream(true)
                        .start();
        var trace = new DiskTrace(strace, directory);
        var said = said(strace).readLine();
        if (said == null || !said.contains(" attached")) {
            trace.close();
            throw new IOException("strace cannot follow process %d: %s".formatted(pid, said));
        }
        return trace;
    }

    private static BufferedReader said(Process strace) {
        return strace.inputReader(StandardCharsets.UTF_8);
    }

    /// Everything until now.
    List<Forced> end() throws IOException {
        detach();
        var all = new ArrayList<Forced>();
        for (var file : files()) {
            for (var line : Files.readAllLines(file)) {
                var forced = FORCED.matcher(line);
                if (forced.matches()) {
                    var begin = new BigDecimal(forced.group(1));
                    var end = begin.add(new BigDecimal(forced.group(3)));
                    all.add(new Forced(forced.group(2), instant(begin), instant(end)));
                }
            }
        }
        return all;
    }

    /// Until it has, it may still write, and the process stands still with each call.
    private void detach() throws IOException {
        strace.destroy();
        try {
            if (!strace.waitFor(30, TimeUnit.SECONDS)) {
                throw new IOException("strace does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while strace ended", e);
        }
    }

    private static Instant instant(BigDecimal seconds) {
        return Instant.ofEpochSecond(0, seconds.movePointRight(9).longValueExact());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Override
    public void close() throws IOException {
        detach();
        for (var file : files()) {
            Files.delete(file);
        }
        Files.delete(directory);
    }
}
