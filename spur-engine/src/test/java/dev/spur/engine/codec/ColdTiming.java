package dev.spur.engine.codec;

import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Command;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/// Prints what a JVM that has just started needs to read a state, or to read and apply a log: the
/// least of several JVMs, each with the heap that a controller has. Not a test: run `main` and
/// read.
final class ColdTiming {
    private static final int JVMS = 5;
    private static final int COMMANDS_PER_ENTRY = 50;
    private static final Instant AT = Instant.parse("2026-11-15T08:00:00Z");

    private ColdTiming() {}

    static void main(String[] args) throws Exception {
        if (args.length == 2) {
            var file = Path.of(args[1]);
            measured(args[0], file);
            measured(args[0], file);
            return;
        }
        var directory = Files.createTempDirectory("spur-cold");
        for (var jobs : new int[] {50_000, 100_000}) {
            var file = directory.resolve("state-" + jobs);
            writeState(jobs, file);
            print("state of %,d jobs, %,d bytes".formatted(jobs, Files.size(file)), "state", file);
        }
        var file = directory.resolve("log");
        writeLog(20_000, file);
        print("log of 20,000 commands, %,d bytes".formatted(Files.size(file)), "log", file);
    }

    private static void print(String what, String kind, Path file) throws Exception {
        var lines = new ArrayList<List<Long>>();
        for (var i = 0; i < JVMS; i++) {
            lines.add(inNewJvm(kind, file));
        }
        System.out.printf(
                "%-45s cold %,5d ms of the reading thread, %,5d ms of the process; again %,5d ms%n",
                what, least(lines, 0), least(lines, 1), least(lines, 2));
    }

    private static long least(List<List<Long>> lines, int column) {
        return lines.stream().mapToLong(line -> line.get(column)).min().orElseThrow();
    }

    private static List<Long> inNewJvm(String kind, Path file) throws Exception {
        var jvm =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xms64m",
                                "-Xmx1g",
                                "-XX:+UseG1GC",
                                "-XX:+UseCompactObjectHeaders",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ColdTiming.class.getName(),
                                kind,
                                file.toString())
                        .redirectErrorStream(true)
                        .start();
        var figures = new ArrayList<Long>();
        try (var lines = jvm.inputReader()) {
            for (var line : lines.lines().toList()) {
                for (var figure : line.split(" ")) {
                    figures.add(Long.parseLong(figure));
                }
            }
        }
        return figures;
    }

    private static void measured(String kind, Path file) throws IOException {
        var thread = ManagementFactory.getThreadMXBean();
        var process =
                (com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean();
        var threadBefore = thread.getCurrentThreadCpuTime();
        var processBefore = process.getProcessCpuTime();
        if (kind.equals("state")) {
            readState(file);
        } else {
            replay(file);
        }
        System.out.println(
                (thread.getCurrentThreadCpuTime() - threadBefore) / 1_000_000
                        + " "
                        + (process.getProcessCpuTime() - processBefore) / 1_000_000);
    }

    private static void readState(Path file) throws IOException {
        try (var in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
                var decoders = Executors.newFixedThreadPool(2)) {
            SnapshotCodec.read(
                    in::read,
                    work -> {
                        var begun = CompletableFuture.runAsync(work, decoders);
                        return begun::join;
                    });
        }
    }

    private static void replay(Path file) throws IOException {
        var state = new ClusterState();
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            for (var entries = in.readInt(); entries > 0; entries--) {
                CommandCodec.decode(in.readNBytes(in.readInt())).forEach(state::apply);
                state.publish();
            }
        }
    }

    private static void writeState(int jobs, Path file) throws IOException {
        var state = new ClusterState();
        state.apply(Workload.config(AT));
        for (var i = 0; i < jobs; i++) {
            state.apply(Workload.submission(i, AT));
        }
        try (var out = new BufferedOutputStream(Files.newOutputStream(file))) {
            SnapshotCodec.write(state.publish(), out::write);
        }
    }

    private static void writeLog(int commands, Path file) throws IOException {
        var log = new ArrayList<Command>();
        log.add(Workload.config(AT));
        for (var i = 1; i < commands; i++) {
            log.add(Workload.submission(i, AT));
        }
        try (var out =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeInt((commands + COMMANDS_PER_ENTRY - 1) / COMMANDS_PER_ENTRY);
            for (var at = 0; at < commands; at += COMMANDS_PER_ENTRY) {
                var bytes =
                        CommandCodec.encode(
                                log.subList(at, Math.min(at + COMMANDS_PER_ENTRY, commands)));
                out.writeInt(bytes.length);
                out.write(bytes);
            }
        }
    }
}
