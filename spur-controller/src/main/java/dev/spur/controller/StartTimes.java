package dev.spur.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.StringJoiner;

/// Where the time of a start went, for the line that tells of it: `process 412 ms, log 230 ms, …`.
final class StartTimes {
    private final StringJoiner phases = new StringJoiner(", ");
    private long last = System.nanoTime();

    /// What came before: the JVM, its classes, the configuration file.
    static StartTimes sinceProcessStart() {
        var times = new StartTimes();
        ProcessHandle.current()
                .info()
                .startInstant()
                .ifPresent(start ->
                        times.add("process", Duration.between(start, Instant.now()).toMillis()));
        return times;
    }

    void done(String phase) {
        var now = System.nanoTime();
        add(phase, Duration.ofNanos(now - last).toMillis());
        last = now;
    }

    private void add(String phase, long millis) {
        phases.add(phase + " " + millis + " ms");
    }

    @Override
    public String toString() {
        return phases.toString();
    }
}
