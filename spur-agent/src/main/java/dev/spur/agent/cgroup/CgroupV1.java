package dev.spur.agent.cgroup;

import dev.spur.agent.step.StepKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Control groups version 1: a tree per controller. A step joins only the trees it has limits in,
/// since each one costs a launch about a millisecond.
final class CgroupV1 implements CgroupDriver {
    private static final List<String> CONTROLLERS =
            List.of("memory", "cpuset", "cpu", "pids", "devices", "freezer");

    /// Group of this node in each controller's tree, in the order of CONTROLLERS.
    private final Map<String, Path> nodes;

    private CgroupV1(Map<String, Path> nodes) {
        this.nodes = nodes;
    }

    static CgroupV1 open(Path mount, String node) throws IOException {
        var nodes = new LinkedHashMap<String, Path>();
        for (var controller : CONTROLLERS) {
            var tree = mount.resolve(controller);
            if (!Files.exists(tree.resolve("cgroup.procs"))) {
                continue;
            }
            try {
                nodes.put(controller, Files.createDirectories(tree.resolve("spur").resolve(node)));
            } catch (IOException _) {
                // Not ours to use; the next may be.
            }
        }
        if (nodes.isEmpty()) {
            throw new IOException("no control group can be made under " + mount);
        }
        return new CgroupV1(nodes);
    }

    @Override
    public String description() {
        return "cgroup v1 (%s)".formatted(String.join(", ", nodes.keySet()));
    }

    @Override
    public StepCgroup create(StepKey key, StepLimits limits) throws IOException {
        var directories = new ArrayList<Path>();
        Path memory = null;
        if (limits.jobMemoryBytes() > 0 && nodes.containsKey("memory")) {
            memory = memory(key, limits.jobMemoryBytes());
            directories.add(memory);
        }
        if (!limits.cpus().isEmpty() && nodes.containsKey("cpuset")) {
            directories.add(cpuset(key, limits.cpus()));
        }
        if (limits.cpuCount() > 0 && nodes.containsKey("cpu")) {
            var group = make("cpu", key);
            Cgroups.write(
                    group.getParent(), "cpu.shares", Integer.toString(1024 * limits.cpuCount()));
            directories.add(group);
        }
        if (limits.processes() > 0 && nodes.containsKey("pids")) {
            var group = make("pids", key);
            Cgroups.write(group, "pids.max", Integer.toString(limits.processes()));
            directories.add(group);
        }
        if (!limits.deniedDevices().isEmpty() && nodes.containsKey("devices")) {
            directories.add(devices(key, limits.deniedDevices()));
        }
        return new StepCgroup(directories, memory);
    }

    private Path make(String controller, StepKey key) throws IOException {
        var node = nodes.get(controller);
        if (node == null) {
            throw new IOException("no tree for " + controller);
        }
        return Files.createDirectories(Cgroups.parts(node, key).getLast());
    }

    private Path memory(StepKey key, long bytes) throws IOException {
        var group = make("memory", key);
        Cgroups.write(group.getParent(), "memory.limit_in_bytes", Long.toString(bytes));
        try {
            // Without this a job over its memory would swap instead of ending.
            Cgroups.write(group.getParent(), "memory.memsw.limit_in_bytes", Long.toString(bytes));
        } catch (IOException _) {
            // Swap is not accounted on this machine.
        }
        return group;
    }

    /// A new group of this controller is empty; it gets its memory nodes from its parent.
    private Path cpuset(StepKey key, String cpus) throws IOException {
        var group = make("cpuset", key);
        var node = group.getParent().getParent();
        for (var each : List.of(node.getParent(), node, group.getParent())) {
            inherit(each, "cpuset.cpus");
            inherit(each, "cpuset.mems");
        }
        inherit(group, "cpuset.mems");
        Cgroups.write(group, "cpuset.cpus", cpus);
        return group;
    }

    private static void inherit(Path group, String file) throws IOException {
        if (Files.readString(group.resolve(file)).isBlank()) {
            Files.writeString(
                    group.resolve(file), Files.readString(group.getParent().resolve(file)));
        }
    }

    private Path devices(StepKey key, List<String> denied) throws IOException {
        var group = make("devices", key);
        for (var file : denied) {
            var numbers = DeviceNumbers.of(Path.of(file));
            if (numbers != null) {
                Cgroups.write(group, "devices.deny", numbers + " rwm");
            }
        }
        return group;
    }

    @Override
    public void kill(StepKey key) {
        nodes.values().forEach(node -> Cgroups.killAll(Cgroups.parts(node, key).getLast()));
    }

    @Override
    public void remove(StepKey key) {
        nodes.values().forEach(node -> Cgroups.removeTree(Cgroups.parts(node, key).getLast()));
    }

    @Override
    public void removeJob(int job) {
        for (var node : nodes.values()) {
            Cgroups.removeTree(node.resolve("job_" + Integer.toUnsignedString(job)));
        }
    }

    /// `c 195:3`, as the devices controller names a device.
    private static final class DeviceNumbers {
        private DeviceNumbers() {}

        static @Nullable String of(Path file) throws IOException {
            if (!Files.exists(file)) {
                return null;
            }
            var device = (Long) Files.getAttribute(file, "unix:rdev");
            var major = device >> 8 & 0xfff;
            var minor = device & 0xff | device >> 12 & 0xfff00;
            return "c %d:%d".formatted(major, minor);
        }
    }
}
