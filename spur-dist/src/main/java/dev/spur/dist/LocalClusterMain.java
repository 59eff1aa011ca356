package dev.spur.dist;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.model.notation.ArraySpec;
import dev.spur.runtime.config.ConfigException;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.identity.SecretFiles;
import dev.spur.runtime.process.PidFile;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// `spur-local-cluster up|down`: what `./spur up` and `./spur down` run.
public final class LocalClusterMain {
    private static final String PID = "cluster";
    private static final int DEFAULT_PORT_BASE = 6817;
    private static final String DOWN =
            "The cluster is down. Jobs that waited are kept for the next ./spur up here; those that ran were cancelled.";

    private static boolean ending; // guarded by the stream that tells

    private LocalClusterMain() {}

    public static void main(String[] args) {
        System.exit(run(args, System.out, System.err));
    }

    private static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            var words = new ArrayDeque<>(List.of(args));
            return switch (words.isEmpty() ? "" : words.removeFirst()) {
                case "up" -> up(Wish.of(words), args, out);
                case "down" -> down(Wish.of(words).layout(DEFAULT_PORT_BASE), out);
                default -> throw new IllegalArgumentException("expected up or down");
            };
        } catch (IllegalArgumentException
                | IllegalStateException
                | IOException
                | UncheckedIOException
                | ConfigException e) {
            err.println("spur: error: " + e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    /// What was typed.
    ///
    /// @param portBase missing: any that is free
    private record Wish(
            Path directory,
            int controllers,
            int nodes,
            String gpus,
            @Nullable Integer portBase,
            @Nullable Path config,
            boolean processes,
            Set<ClusterPlan.Part> without,
            Mode mode) {
        static Wish of(ArrayDeque<String> words) {
            var directory = Path.of(".spur").toAbsolutePath();
            var controllers = 1;
            var nodes = 4;
            var gpus = "mi300x:8";
            @Nullable Integer portBase = null;
            @Nullable Path config = null;
            var processes = false;
            Set<ClusterPlan.Part> without = Set.of();
            var mode = Mode.FOREGROUND;
            while (!words.isEmpty()) {
                switch (words.removeFirst()) {
                    case "--dir" -> directory = Path.of(words.removeFirst());
                    case "--controllers" ->
                            controllers = number("--controllers", words.removeFirst());
                    case "--nodes" -> nodes = number("--nodes", words.removeFirst());
                    case "--gpus" -> gpus = words.removeFirst();
                    case "--port-base" -> portBase = number("--port-base", words.removeFirst());
                    case "--config" -> config = Path.of(words.removeFirst());
                    case "--processes" -> processes = true;
                    case "--without" -> without = ClusterPlan.Part.parse(words.removeFirst());
                    case "--detach" -> mode = Mode.DETACH;
                    case "--quiet" -> mode = Mode.QUIET;
                    case String other ->
                            throw new IllegalArgumentException("unknown option " + other);
                }
            }
            return new Wish(
                    directory,
                    Math.max(controllers, LocalCluster.controllersIn(directory)),
                    nodes,
                    gpus,
                    portBase,
                    config,
                    processes,
                    without,
                    mode);
        }

        Layout layout(int base) {
            return new Layout(Path.of(System.getProperty("spur.home")), directory, base);
        }

        /// With ports that are free, at this moment.
        ClusterPlan plan() throws IOException {
            var layout =
                    layout(
                            portBase != null
                                    ? portBase
                                    : FreePorts.base(
                                            DEFAULT_PORT_BASE,
                                            base -> layout(base).ports(controllers, nodes)));
            var plan =
                    new ClusterPlan(layout, controllers, nodes, gpus, config, processes, without);
            var taken = FreePorts.firstTaken(layout.ports(controllers, nodes));
            if (taken.isPresent()) {
                throw new IOException(
                        "port %d is taken by another program, perhaps another cluster. Choose other ports with --port-base"
                                .formatted(taken.getAsInt()));
            }
            return plan;
        }
    }

    private enum Mode {
        /// Stays, tells what happens, ends by Ctrl-C.
        FOREGROUND,
        /// Starts itself again as QUIET and returns when that is ready.
        DETACH,
        /// In the background.
        QUIET
    }

    private static int number(String option, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "%s needs a number, was \"%s\"".formatted(option, text), e);
        }
    }

    private static int up(Wish wish, String[] args, PrintStream out)
            throws IOException, InterruptedException {
        var other = running(wish.layout(DEFAULT_PORT_BASE));
        if (other.isPresent()) {
            throw new IOException(
                    "a cluster is already running in %s (process %d). Stop it with: ./spur down%s"
                            .formatted(
                                    wish.directory(),
                                    other.get().pid(),
                                    directoryOption(wish.directory())));
        }
        var plan = wish.plan();
        var layout = plan.layout();
        OwnDirectory.prepare(layout.directory());
        OwnDirectory.prepare(layout.run());
        OwnDirectory.preparePrivate(layout.logs()); // the link of the first administrator is there
        return switch (wish.mode()) {
            case DETACH -> detach(layout, args, out);
            case QUIET -> {
                ThisHost.leaveTerminal();
                start(plan, out);
                Thread.sleep(Duration.ofDays(36_500));
                yield 0;
            }
            case FOREGROUND -> {
                var cluster = start(plan, out);
                out.println("Ctrl-C stops it.");
                while (true) {
                    tell(cluster, out);
                    Thread.sleep(Duration.ofSeconds(1));
                }
            }
        };
    }

    /// One line that is written over and over, until the last words follow.
    private static void tell(LocalCluster cluster, PrintStream out) {
        var summary = summary(cluster);
        synchronized (out) {
            if (!ending) {
                out.print("\r" + summary + "\u001b[K");
                out.flush();
            }
        }
    }

    private static LocalCluster start(ClusterPlan plan, PrintStream out)
            throws IOException, InterruptedException {
        var layout = plan.layout();
        var pidFile = PidFile.take(layout.pid(PID), "a cluster");
        var cluster = LocalCluster.start(plan);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> {
                            stop(cluster, out);
                            pidFile.close();
                        }));
        var greeting = greeting(plan, cluster.nodes(), cluster.adminLink());
        var unfinished = layout.ready().resolveSibling("ready.new");
        SecretFiles.write(unfinished, greeting.getBytes(StandardCharsets.UTF_8));
        Files.move(unfinished, layout.ready(), StandardCopyOption.ATOMIC_MOVE);
        out.print(greeting);
        return cluster;
    }

    /// Starts the same again in the background, with its words going to a log, and waits for it.
    private static int detach(Layout layout, String[] args, PrintStream out)
            throws IOException, InterruptedException {
        Files.deleteIfExists(layout.ready());
        var log = layout.log("cluster");
        var command = new ArrayList<String>();
        command.add(layout.home().resolve("libexec/spur-local-cluster").toString());
        for (var word : args) {
            command.add(word.equals("--detach") ? "--quiet" : word);
        }
        var process =
                new ProcessBuilder(command)
                        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(Redirect.to(log.toFile()))
                        .redirectErrorStream(true)
                        .start();
        while (!Files.exists(layout.ready())) {
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new IOException(
                        "the cluster did not start.\n" + Files.readString(log).strip());
            }
        }
        out.print(Files.readString(layout.ready()));
        return 0;
    }

    private static void stop(LocalCluster cluster, PrintStream out) {
        try {
            synchronized (out) {
                ending = true;
                out.println("\nEnding the jobs that run, then the cluster ...");
            }
            Files.deleteIfExists(cluster.layout().ready());
            var left = cluster.stop();
            out.println(farewell(left));
        } catch (IOException e) {
            System.err.println("spur: error: " + e.getMessage());
        }
    }

    private static String farewell(List<String> left) {
        return left.isEmpty()
                ? DOWN
                : "The cluster is down, but processes of these jobs may still run: %s. The next ./spur up here ends them."
                        .formatted(String.join(", ", left));
    }

    private static String directoryOption(Path directory) {
        return directory.endsWith(".spur") ? "" : " --dir " + directory;
    }

    private static String greeting(
            ClusterPlan plan, List<String> nodes, Optional<String> adminLink) {
        var root = dev.spur.runtime.host.Users.currentUid() == 0;
        return """
        A cluster of %d nodes%s is up (%s, logs in %s).
        %s%s
        Point your shell to it:   eval "$(./spur env%s)"
        Then try:                 sinfo; sbatch --wrap hostname; srun -N%d hostname; squeue%s
        %s%s\
        """
                .formatted(
                        nodes.size(),
                        plan.controllers() == 1
                                ? ""
                                : " and %d controllers".formatted(plan.controllers()),
                        devices(plan),
                        plan.layout().logs(),
                        root
                                ? "It serves every user of this machine, on loopback only."
                                : "Started without root, it serves you only, on loopback.",
                        plan.layout().portBase() == DEFAULT_PORT_BASE
                                ? ""
                                : " Its ports begin at %d.".formatted(plan.layout().portBase()),
                        directoryOption(plan.layout().directory()),
                        nodes.size(),
                        plan.has(ClusterPlan.Part.ACCOUNTING) ? "; sacct" : "",
                        plan.has(ClusterPlan.Part.REST)
                                ? "Over HTTP:                curl http://%s/api/v1/jobs%n"
                                        .formatted(plan.layout().restAddress())
                                : "",
                        plan.has(ClusterPlan.Part.CLOUD)
                                ? "The cloud:                %s%n"
                                        .formatted(
                                                adminLink
                                                        .map(link ->
                                                                link
                                                                        + "  (makes you its administrator, once, within an hour)")
                                                        .orElse(plan.layout().cloudUrl()))
                                : "");
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
                            page -> page.getJobsList().forEach(job -> count(job, counts)));
            return "nodes: %d, %d idle   jobs: %d running, %d pending"
                    .formatted(nodes.getNodesCount(), idle, counts[1], counts[0]);
        } catch (ControllerException e) {
            return "the controller does not answer: " + e.getMessage();
        }
    }

    /// Of an array every waiting task counts.
    private static void count(Job job, int[] counts) {
        if (!job.getState().equals("PENDING")) {
            counts[1]++;
        } else if (job.getArrayPending().isEmpty()) {
            counts[0]++;
        } else {
            counts[0] += ArraySpec.parse(job.getArrayPending()).count();
        }
    }

    private static int down(Layout layout, PrintStream out) throws IOException {
        var cluster = running(layout);
        if (cluster.isEmpty()) {
            out.printf("No cluster is running in %s.%n", layout.directory());
            return 0;
        }
        out.println("Ending the jobs that run, then the cluster ...");
        cluster.get().destroy();
        cluster.get().onExit().join();
        out.println(lastWord(layout));
        return 0;
    }

    /// What the cluster itself said last, if it wrote to a log.
    private static String lastWord(Layout layout) throws IOException {
        var log = layout.log("cluster");
        if (!Files.isReadable(log)) {
            return DOWN;
        }
        return Files.readAllLines(log).stream()
                .filter(line -> line.startsWith("The cluster is down"))
                .reduce((_, last) -> last)
                .orElse(DOWN);
    }

    private static Optional<ProcessHandle> running(Layout layout) throws IOException {
        var pid = PidFile.heldBy(layout.pid(PID));
        return pid.isPresent() ? ProcessHandle.of(pid.getAsLong()) : Optional.empty();
    }
}
