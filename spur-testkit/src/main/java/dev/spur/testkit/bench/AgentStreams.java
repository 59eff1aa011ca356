package dev.spur.testkit.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// What thousands of agents cost a real controller: memory, the time to take them in, and the
/// processor time of their heartbeats.
///
///     AgentStreams --home spur-dist/target/spur --dir DIR [--agents 10000] [--port 28817] [--seconds 30]
public final class AgentStreams {
    /// What this process needs besides its sockets.
    private static final int SPARE_FILES = 400;

    private AgentStreams() {}

    static void main(String... arguments) throws Exception {
        var settings = Settings.of(arguments);
        var home = Path.of(settings.required("home")).toAbsolutePath();
        var directory = Path.of(settings.required("dir")).toAbsolutePath();
        var agents = possible(settings.number("agents", 10_000));
        try (var cluster =
                ManyNodes.start(home, directory, settings.number("port", 28_817), agents)) {
            measure(cluster, Duration.ofSeconds(settings.number("seconds", 30)));
        }
    }

    private static int possible(int wanted) throws IOException {
        var files = openFiles();
        if (wanted <= files - SPARE_FILES) {
            return wanted;
        }
        System.out.printf(
                "only %d agents: the limit of open files here is %d (ulimit -n)%n",
                files - SPARE_FILES, files);
        return files - SPARE_FILES;
    }

    private static int openFiles() throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/self/limits"))) {
            if (line.startsWith("Max open files")) {
                var soft = line.substring("Max open files".length()).strip().split(" +", -1)[0];
                return soft.equals("unlimited") ? Integer.MAX_VALUE : Integer.parseInt(soft);
            }
        }
        throw new IOException("the kernel does not say how many files may be open");
    }

    private static void measure(ManyNodes cluster, Duration steady)
            throws IOException, InterruptedException {
        var count = cluster.names().size();
        var controller = cluster.controller();
        var before = controller.residentMb();
        print("controller, %,d nodes known, no agent".formatted(count), before, "MB");

        var begin = System.nanoTime();
        var usedBefore = controller.processorTime();
        try (var agents = SimulatedAgents.connect(cluster)) {
            print("until all are registered", (System.nanoTime() - begin) / 1e9, "s");
            print("  processor time of the controller", since(controller, usedBefore), "s");
            print("controller, all registered", controller.residentMb(), "MB");

            var usedThen = controller.processorTime();
            var beatsThen = agents.heartbeats();
            Thread.sleep(steady);
            var beats = agents.heartbeats() - beatsThen;
            print("heartbeats", beats / (double) steady.toSeconds(), "/s");
            print(
                    "  processor time of the controller in %d s".formatted(steady.toSeconds()),
                    since(controller, usedThen),
                    "s");
            var after = controller.residentMb();
            print("controller after that", after, "MB");
            print("  at its highest", controller.highestResidentMb(), "MB");
            print("  for the streams alone", after - before, "MB");
            print("  for each stream", (after - before) * 1024 / count, "KB");
            System.out.println(agents.losses());
        }
    }

    private static double since(Watched process, Duration before) throws IOException {
        return process.processorTime().minus(before).toMillis() / 1e3;
    }

    private static void print(String what, double value, String unit) {
        System.out.printf("%-52s %10.1f %s%n", what, value, unit);
    }
}
