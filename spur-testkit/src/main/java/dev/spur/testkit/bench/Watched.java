package dev.spur.testkit.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

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

    private Path proc(String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }
}
