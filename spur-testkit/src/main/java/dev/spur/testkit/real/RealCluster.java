package dev.spur.testkit.real;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.ControllerPeer;
import dev.spur.api.v1.PingRequest;
import dev.spur.dist.ClusterPlan;
import dev.spur.dist.Layout;
import dev.spur.dist.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The assembled distribution, one process per daemon, in a directory of its own.
public final class RealCluster implements AutoCloseable {
    /// Agents count their ports from the base: leave room for them when looking for a free one.
    private static final int PORTS = 200;

    private final LocalCluster cluster;
    private final Path work;

    private RealCluster(LocalCluster cluster, Path work) {
        this.cluster = cluster;
        this.work = work;
    }

    public static RealCluster start(int nodes) {
        return start(nodes, null);
    }

    /// Starts a cluster with a configuration of the test's own.
    ///
    /// @param config a spur.conf, or null for the one `./spur up` makes
    public static RealCluster start(int nodes, @Nullable Path config) {
        return start(distribution(), 1, nodes, config);
    }

    /// Starts a cluster with several controllers.
    ///
    /// @param config a spur.conf, or null for the one `./spur up` makes
    public static RealCluster ofControllers(int controllers, int nodes, @Nullable Path config) {
        return start(distribution(), controllers, nodes, config);
    }

    /// Starts a cluster that keeps accounts of what it does.
    public static RealCluster withAccounting(int nodes, @Nullable Path config) {
        return start(distribution(), 1, nodes, config, Set.of(), true);
    }

    /// Starts everything in few processes, as `./spur up` does: what faces people is `edge`.
    public static RealCluster inFewProcesses(int nodes) {
        return start(distribution(), 1, nodes, null, Set.of(), false);
    }

    /// Starts a cluster with accounts that is also reached over HTTP.
    public static RealCluster withRest(int nodes) {
        return start(distribution(), 1, nodes, null, Set.of(ClusterPlan.Part.CLOUD), true);
    }

    /// @param home the assembled distribution
    public static RealCluster start(Path home, int controllers, int nodes, @Nullable Path config) {
        return start(
                home,
                controllers,
                nodes,
                config,
                Set.of(ClusterPlan.Part.ACCOUNTING, ClusterPlan.Part.REST),
                true);
    }

    private static RealCluster start(
            Path home,
            int controllers,
            int nodes,
            @Nullable Path config,
            Set<ClusterPlan.Part> without,
            boolean processes) {
        try {
            var directory = Files.createTempDirectory("spur");
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            var work = Files.createDirectory(directory.resolve("work"));
            Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxrwxrwx"));
            var layout = new Layout(home, directory, freePortBase());
            var plan =
                    new ClusterPlan(
                            layout, controllers, nodes, "mi300x:8", config, processes, without);
            return new RealCluster(LocalCluster.start(plan), work);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the cluster started", e);
        }
    }

    /// Where the assembly put what runs; the module directory is the working directory of its
    /// tests.
    private static Path distribution() {
        var assembled = Path.of("../spur-dist/target/spur").toAbsolutePath().normalize();
        if (!Files.isExecutable(assembled.resolve("bin/spur"))) {
            throw new IllegalStateException(
                    "%s is not built: run dev/build first".formatted(assembled));
        }
        return assembled;
    }

    private static int freePortBase() throws IOException {
        for (var base = 20_000; base < 60_000; base += PORTS) {
            try (var probe = new ServerSocket(base)) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // taken, perhaps by another cluster: the next range
            }
        }
        throw new IOException("no free range of ports");
    }

    /// A directory every user may write into; commands start there.
    public Path work() {
        return work;
    }

    public ControllerClient client() {
        return cluster.client();
    }

    public LocalCluster local() {
        return cluster;
    }

    /// Runs a command as the user of the tests and waits for it.
    public Ran run(String... command) {
        return run(Map.of(), "", command);
    }

    public Ran shell(String line) {
        return run("sh", "-c", line);
    }

    public Ran run(Map<String, String> environment, String input, String... command) {
        return run(environment, input, List.of(command));
    }

    /// Runs a command as another user, who need not exist by name.
    public Ran runAs(int uid, String... command) {
        var line =
                new ArrayList<>(
                        List.of(
                                "setpriv",
                                "--reuid=" + uid,
                                "--regid=" + uid,
                                "--clear-groups",
                                "--"));
        line.addAll(List.of(command));
        return run(Map.of(), "", line);
    }

    private Ran run(Map<String, String> environment, String input, List<String> command) {
        try {
            var process = start(environment, command);
            try (var stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // the command did not read its input: its exit code says what matters
            }
            var err = new StringBuilder();
            var reader =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    err.append(
                                            new String(
                                                    process.getErrorStream().readAllBytes(),
                                                    StandardCharsets.UTF_8));
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
            var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var code = process.waitFor();
            reader.join();
            return new Ran(out, err.toString(), code);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + command + " ran", e);
        }
    }

    /// Starts a command and leaves it running.
    public Process start(Map<String, String> environment, List<String> command) throws IOException {
        var builder = new ProcessBuilder(ours(command)).directory(work.toFile());
        builder.environment().putAll(environment(environment));
        return builder.start();
    }

    /// Java looks a program up on the path of the tests, where another Slurm may be installed.
    private List<String> ours(List<String> command) {
        var program = cluster.layout().home().resolve("bin").resolve(command.getFirst());
        if (!Files.isExecutable(program)) {
            return command;
        }
        var resolved = new ArrayList<>(command);
        resolved.set(0, program.toString());
        return resolved;
    }

    private Map<String, String> environment(Map<String, String> more) {
        var all = new HashMap<String, String>();
        var layout = cluster.layout();
        all.put("PATH", layout.home().resolve("bin") + ":" + System.getenv("PATH"));
        all.putAll(cluster.environment());
        all.put("TZ", "UTC");
        all.putAll(more);
        return all;
    }

    /// The controller that leads, by the name of its process.
    public String leader() {
        var leader =
                client()
                        .call(c -> c.ping(PingRequest.getDefaultInstance()))
                        .getControllersList()
                        .stream()
                        .filter(ControllerPeer::getLeader)
                        .map(ControllerPeer::getName)
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("no controller leads"));
        return process(leader);
    }

    /// The process of a controller: `ctl1` is `spurctld`, `ctl2` is `spurctld2`.
    public static String process(String controller) {
        var number = controller.substring("ctl".length());
        return number.equals("1") ? "spurctld" : "spurctld" + number;
    }

    /// Ends a daemon without warning; the local cluster starts it again.
    public void kill(String daemon) {
        ProcessHandle.of(cluster.daemon(daemon).pid()).ifPresent(ProcessHandle::destroyForcibly);
    }

    /// Stops a daemon without ending it, or lets it go on: `STOP`, `CONT`.
    public void signal(String daemon, String signal) {
        var sent = run("kill", "-" + signal, Long.toString(cluster.daemon(daemon).pid()));
        if (sent.exitCode() != 0) {
            throw new IllegalStateException(sent.err());
        }
    }

    @Override
    public void close() {
        cluster.close();
        try (var files = Files.walk(cluster.layout().directory())) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            // a supervisor may still be writing its last word; the directory is temporary
        }
    }
}
