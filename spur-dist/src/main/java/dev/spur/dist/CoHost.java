package dev.spur.dist;

import dev.spur.accounting.Spurdbd;
import dev.spur.agent.Spurd;
import dev.spur.cli.door.SpurDoor;
import dev.spur.cloud.SpurCloud;
import dev.spur.controller.Spurctld;
import dev.spur.rest.Spurrestd;
import dev.spur.runtime.process.Daemon;
import dev.spur.runtime.process.Running;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Several daemons in one JVM, which a laptop starts faster than as many JVMs: `co-host spurctld -f
/// F -- spur-door -f F`. Each gets the arguments it would get alone. When one of them cannot go on,
/// the process ends.
public final class CoHost {
    private static final String NEXT = "--";

    private CoHost() {}

    public static void main(String[] args) throws InterruptedException {
        Deque<Running> running = new ArrayDeque<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> running.forEach(Running::close)));
        for (var line : lines(args)) {
            try {
                var daemon = daemon(line.getFirst());
                var started = daemon.start(line.subList(1, line.size()).toArray(String[]::new));
                running.push(started); // closed in reverse order
                watch(line.getFirst(), daemon, started);
            } catch (Exception e) {
                System.err.printf("%s: error: %s%n", line.getFirst(), e.getMessage());
                System.exit(1);
            }
        }
        running.getFirst().awaitTermination();
    }

    private static List<List<String>> lines(String[] args) {
        var lines = new ArrayList<List<String>>();
        var line = new ArrayList<String>();
        for (var word : args) {
            if (word.equals(NEXT)) {
                lines.add(List.copyOf(line));
                line.clear();
            } else {
                line.add(word);
            }
        }
        lines.add(List.copyOf(line));
        return lines;
    }

    private static void watch(String program, Daemon daemon, Running started) {
        Thread.ofVirtual()
                .name("watch-" + program)
                .start(() -> {
                    try {
                        daemon.awaitEnd(started);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    private static Daemon daemon(String program) {
        return switch (program) {
            case "spurctld" -> Spurctld.daemon();
            case "spurdbd" -> Spurdbd.daemon();
            case "spurrestd" -> Spurrestd.daemon();
            case "spur-cloud-api" -> SpurCloud.daemon();
            case "spurd" -> Spurd.daemon();
            case "spur-door" -> SpurDoor.daemon();
            default -> throw new IllegalArgumentException("unknown daemon " + program);
        };
    }
}
