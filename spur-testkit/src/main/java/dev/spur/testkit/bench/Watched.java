package dev.spur.testkit.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/// What the kernel says about a running process.
record Watched(long pid) {
    /// Ticks of `/proc/PID/stat`: USER_HZ, which is 100 on every Linux we run on.
    private static final int TICKS_PER_SECOND = 100;

    double residentMb() throws IOException {
        return memory("VmRSS");
    }

    double highestResidentMb() throws IOException {
        return memory("VmHWM");
    }

    private double memory(String key) throws IOException {
        for (var line : Files.readAllLines(proc("status"))) {
            if (line.startsWith(key + ":")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0;
            }
        }
        throw new IOException("the kernel does not say %s of process %d".formatted(key, pid));
    }

    /// Processor time used so far, by user and kernel together.
    Duration processorTime() throws IOException {
        var stat = Files.readString(proc("stat"));
        // The second field is the program's name in parentheses and may hold spaces; utime and
        // stime are the 14th and 15th, that is, the 12th and 13th after it.
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        var ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return Duration.ofMillis(ticks * 1000 / TICKS_PER_SECOND);
    }

    /// What the threads of one name have used so far.
    ///
    /// @param switches how often one of them gave up its processor, or lost it
    record Use(Duration processor, long switches) {
        static final Use NONE = new Use(Duration.ZERO, 0);

        Use plus(Use other) {
            return new Use(processor.plus(other.processor), switches + other.switches);
        }

        Use minus(Use other) {
            return new Use(processor.minus(other.processor), switches - other.switches);
        }
    }

    /// By what the threads are called; those that differ by numbers only are one.
    Map<String, Use> threads() throws IOException {
        var threads = new TreeMap<String, Use>();
        try (var tasks = Files.newDirectoryStream(proc("task"))) {
            for (var task : tasks) {
                try {
                    var name = Files.readString(task.resolve("comm")).strip();
                    threads.merge(name.replaceAll("[-#]?[0-9]+$", ""), use(task), Use::plus);
                } catch (NoSuchFileException _) {
                    // It has ended meanwhile.
                }
            }
        }
        return threads;
    }

    private static Use use(Path task) throws IOException {
        var nanos = Files.readString(task.resolve("schedstat")).split(" ", -1)[0];
        var switches = 0L;
        for (var line : Files.readAllLines(task.resolve("status"))) {
            if (line.contains("ctxt_switches:")) {
                switches += Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return new Use(Duration.ofNanos(Long.parseLong(nanos)), switches);
    }

    private Path proc(String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }
}
