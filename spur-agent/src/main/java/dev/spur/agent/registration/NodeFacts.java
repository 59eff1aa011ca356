package dev.spur.agent.registration;

import dev.spur.api.v1.NodeGres;
import dev.spur.runtime.host.ThisHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/// What a node is and has, as it tells the controller.
///
/// @param address `host:port` of its step service
/// @param bootMicros when the machine started
public record NodeFacts(
        String name,
        String address,
        String hostname,
        Hardware hardware,
        List<NodeGres> gres,
        String bootId,
        long bootMicros,
        String arch,
        String os,
        Map<String, String> labels) {

    public NodeFacts {
        gres = List.copyOf(gres);
        labels = Map.copyOf(labels);
    }

    /// Processors, memory and scratch space of a machine.
    public record Hardware(
            int cpus,
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            long memoryMb,
            long tmpMb) {

        public static Hardware ofThisMachine() throws IOException {
            var cpus = Runtime.getRuntime().availableProcessors();
            var sockets = Math.max(1, distinct("physical_package_id"));
            // Cores are numbered within their socket; the threads that share one tell them apart.
            var cores = Math.max(1, distinct("thread_siblings_list"));
            return new Hardware(
                    cpus,
                    sockets,
                    Math.max(1, cores / sockets),
                    Math.max(1, cpus / cores),
                    meminfo("MemTotal") / 1024,
                    Files.getFileStore(Path.of("/tmp")).getTotalSpace() >> 20);
        }

        private static int distinct(String file) throws IOException {
            var values = new HashSet<String>();
            var all = Path.of("/sys/devices/system/cpu");
            try (var cpus = Files.newDirectoryStream(all, "cpu[0-9]*")) {
                for (var cpu : cpus) {
                    var value = cpu.resolve("topology").resolve(file);
                    if (Files.exists(value)) {
                        values.add(Files.readString(value).strip());
                    }
                }
            }
            return values.size();
        }
    }

    /// The machine's own facts around the given ones.
    public static NodeFacts of(
            String name,
            String address,
            Hardware hardware,
            List<NodeGres> gres,
            Map<String, String> labels)
            throws IOException {
        var arch = System.getProperty("os.arch");
        return new NodeFacts(
                name,
                address,
                ThisHost.shortName(),
                hardware,
                gres,
                ThisHost.bootId(),
                machineBootMicros(),
                arch.equals("amd64") ? "x86_64" : arch,
                "Linux %s %s".formatted(kernel("osrelease"), kernel("version")),
                labels);
    }

    /// In kibibytes, 0 if the kernel does not say.
    static long meminfo(String key) throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/meminfo"))) {
            if (line.startsWith(key + ":")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }

    private static long machineBootMicros() throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/stat"))) {
            if (line.startsWith("btime ")) {
                return Long.parseLong(line.substring("btime ".length())) * 1_000_000;
            }
        }
        return 0;
    }

    private static String kernel(String file) throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel").resolve(file)).strip();
    }
}
