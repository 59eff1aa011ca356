package dev.spur.testkit.bench;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostRole;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// A controller in a process of its own, for a cluster of thousands of nodes that only
/// [SimulatedAgents] run.
final class ManyNodes implements AutoCloseable {
    static final int CPUS = 8;
    static final int MEMORY_MB = 16_000;

    private static final Duration STARTS_WITHIN = Duration.ofSeconds(60);

    private final HostAndPort address;
    private final List<String> names;
    private final SimulatedHosts hosts;
    private final HostIdentity administrator;
    private final ProcessBuilder start;
    private final Path log;
    private Process controller;

    private ManyNodes(
            HostAndPort address,
            List<String> names,
            SimulatedHosts hosts,
            HostIdentity administrator,
            ProcessBuilder start,
            Path log)
            throws IOException, InterruptedException {
        this.address = address;
        this.names = names;
        this.hosts = hosts;
        this.administrator = administrator;
        this.start = start;
        this.log = log;
        this.controller = start.start();
        awaitStart();
    }

    /// @param home the distribution
    /// @param directory what the controller keeps
    static ManyNodes start(Path home, Path directory, int port, int count)
            throws IOException, InterruptedException {
        var address = new HostAndPort("127.0.0.1", port);
        var names = IntStream.rangeClosed(1, count).mapToObj("node%05d"::formatted).toList();
        Files.createDirectories(directory);
        var file = Files.writeString(directory.resolve("spur.conf"), configuration(address, count));
        var state = directory.resolve("controller");
        var cluster = ConfigFile.load(file).config().clusterName();
        var ca = ClusterCa.openOrCreate(state, cluster, InstantSource.system());
        var hosts = SimulatedHosts.issue(ca, directory.resolve("agents"), names);
        var administrator = ca.createIdentity(directory.resolve("door"), "door", HostRole.ADMIN);
        var log = directory.resolve("spurctld.log");
        var command =
                new ProcessBuilder(
                                home.resolve("bin/spurctld").toString(),
                                "-D",
                                "--config",
                                file.toString(),
                                "--listen",
                                address.toString(),
                                "--state-dir",
                                state.toString(),
                                "--log-level",
                                "warn")
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.appendTo(log.toFile()));
        return new ManyNodes(address, names, hosts, administrator, command, log);
    }

    private static String configuration(HostAndPort address, int count) {
        var nodes = "node[00001-%05d]".formatted(count);
        return """
        cluster_name = "many"

        [controller]
        listen_addr = "%s"
        raft_listen_addr = "127.0.0.1:%d"
        hosts = ["127.0.0.1"]
        max_array_size = 100001

        [[partitions]]
        name = "debug"
        default = true
        nodes = "%s"

        [[nodes]]
        names = "%s"
        cpus = %d
        sockets = 1
        cores_per_socket = %d
        threads_per_core = 1
        memory_mb = %d
        """
                .formatted(address, address.port() + 4, nodes, nodes, CPUS, CPUS, MEMORY_MB);
    }

    private void awaitStart() throws IOException, InterruptedException {
        var deadline = System.nanoTime() + STARTS_WITHIN.toNanos();
        while (!isListening()) {
            if (!controller.isAlive() || System.nanoTime() > deadline) {
                close();
                throw new IOException("the controller did not start: " + Files.readString(log));
            }
            Thread.sleep(Duration.ofMillis(50));
        }
    }

    /// Ends the controller in good order and starts it on what it left; returns when it listens.
    void restart() throws IOException, InterruptedException {
        close();
        controller = start.start();
        awaitStart();
    }

    private boolean isListening() {
        try (var probe = new Socket(address.host(), address.port())) {
            return probe.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    HostAndPort address() {
        return address;
    }

    List<String> names() {
        return names;
    }

    SimulatedHosts hosts() {
        return hosts;
    }

    /// A host whose word about its users the controller takes.
    HostIdentity administrator() {
        return administrator;
    }

    Watched controller() {
        return new Watched(controller.pid());
    }

    @Override
    public void close() {
        controller.destroy();
        try {
            if (!controller.waitFor(10, TimeUnit.SECONDS)) {
                controller.destroyForcibly();
            }
        } catch (InterruptedException e) {
            controller.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
