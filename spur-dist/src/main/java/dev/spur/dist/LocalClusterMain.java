package dev.spur.dist;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// `spur-local-cluster up|down`: what `./spur up` and `./spur down` run.
public final class LocalClusterMain {
    private static final String PID = "cluster";

    private LocalClusterMain() {}

    public static void main(String[] args) {
        System.exit(run(args, System.out, System.err));
    }

    private static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            var words = new ArrayDeque<>(List.of(args));
            return switch (words.isEmpty() ? "" : words.removeFirst()) {
                case "up" -> up(plan(words), out);
                case "down" -> down(plan(words).layout(), out);
                default -> throw new IllegalArgumentException("expected up or down");
            };
        } catch (IllegalArgumentException | IOException e) {
            err.println("spur: error: " + e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private static ClusterPlan plan(ArrayDeque<String> words) {
        var directory = Path.of(".spur").toAbsolutePath();
        var nodes = 4;
        var gpus = "mi300x:8";
        var portBase = 6817;
        @Nullable Path config = null;
        var processes = false;
        var quiet = false;
        while (!words.isEmpty()) {
            switch (words.removeFirst()) {
                case "--dir" -> directory = Path.of(words.removeFirst());
                case "--nodes" -> nodes = number("--nodes", words.removeFirst());
                case "--gpus" -> gpus = words.removeFirst();
                case "--port-base" -> portBase = number("--port-base", words.removeFirst());
                case "--config" -> config = Path.of(words.removeFirst());
                case "--processes" -> processes = true;
                case "--quiet" -> quiet = true;
                case String other -> throw new IllegalArgumentException("unknown option " + other);
            }
        }
        var home = Path.of(System.getProperty("spur.home"));
        return new ClusterPlan(
                new Layout(home, directory, portBase), nodes, gpus, config, processes, quiet);
    }

    private static int number(String option, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "%s needs a number, was \"%s\"".formatted(option, text), e);
        }
    }

    private static int up(ClusterPlan plan, PrintStream out)
            throws IOException, InterruptedException {
        var layout = plan.layout();
        var other = running(layout);
        if (other.isPresent()) {
            throw new IOException(
                    "a cluster is already running in %s (process %d). Stop it with: ./spur down"
                            .formatted(layout.directory(), other.get().pid()));
        }
        Files.createDirectories(layout.run());
        Files.writeString(layout.pid(PID), ProcessHandle.current().pid() + "\n");
        var cluster = LocalCluster.start(plan);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(cluster)));
        var greeting = greeting(plan, cluster.nodes());
        var unfinished = layout.ready().resolveSibling("ready.new");
        Files.writeString(unfinished, greeting);
        Files.move(unfinished, layout.ready(), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        out.print(greeting);
        if (plan.quiet()) {
            Thread.sleep(Duration.ofDays(36_500));
        }
        out.println("Ctrl-C stops it.");
        while (true) {
            out.print("\r" + summary(cluster) + "\u001b[K");
            out.flush();
            Thread.sleep(Duration.ofSeconds(1));
        }
    }

    private static void stop(LocalCluster cluster) {
        try {
            Files.deleteIfExists(cluster.layout().ready());
            cluster.close();
            Files.deleteIfExists(cluster.layout().pid(PID));
        } catch (IOException e) {
            System.err.println("spur: error: " + e.getMessage());
        }
    }

    private static String greeting(ClusterPlan plan, List<String> nodes) {
        var root = dev.spur.runtime.host.Users.currentUid() == 0;
        return """
        A cluster of %d nodes is up (%s, logs in %s).
        %s
        Point your shell to it:   eval "$(./spur env%s)"
        Then try:                 sinfo; sbatch --wrap hostname; srun -N%d hostname; squeue
        """
                .formatted(
                        nodes.size(),
                        devices(plan),
                        plan.layout().directory().resolve("log"),
                        root
                                ? "It serves every user of this machine, on loopback only."
                                : "Started without root, it serves you only, on loopback.",
                        plan.layout().directory().endsWith(".spur")
                                ? ""
                                : " --dir " + plan.layout().directory(),
                        nodes.size());
    }

    private static String devices(ClusterPlan plan) {
        if (plan.config() != null) {
            return "as in " + plan.config();
        }
        return plan.gpus().equals("none") ? "no GPUs" : plan.gpus() + " pretend GPUs each";
    }

    private static String summary(LocalCluster cluster) {
        try {
            var nodes =
                    cluster.client().call(c -> c.listNodes(ListNodesRequest.getDefaultInstance()));
            var idle =
                    nodes.getNodesList().stream().filter(n -> n.getState().equals("IDLE")).count();
            var counts = new int[2];
            cluster.client()
                    .each(
                            c -> c.listJobs(ListJobsRequest.getDefaultInstance()),
                            page ->
                                    page.getJobsList()
                                            .forEach(job ->
                                                    counts[
                                                            job.getState().equals("PENDING")
                                                                    ? 0
                                                                    : 1]++));
            return "nodes: %d, %d idle   jobs: %d running, %d pending"
                    .formatted(nodes.getNodesCount(), idle, counts[1], counts[0]);
        } catch (ControllerException e) {
            return "the controller does not answer: " + e.getMessage();
        }
    }

    private static int down(Layout layout, PrintStream out)
            throws IOException, InterruptedException {
        var cluster = running(layout);
        if (cluster.isEmpty()) {
            out.printf("No cluster is running in %s.%n", layout.directory());
            return 0;
        }
        cluster.get().destroy();
        cluster.get().onExit().join();
        out.println("The cluster is down.");
        return 0;
    }

    private static Optional<ProcessHandle> running(Layout layout) throws IOException {
        if (!Files.exists(layout.pid(PID))) {
            return Optional.empty();
        }
        var pid = Long.parseLong(Files.readString(layout.pid(PID)).strip());
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .filter(process ->
                        process.info().commandLine().orElse("").contains("LocalClusterMain"));
    }
}
