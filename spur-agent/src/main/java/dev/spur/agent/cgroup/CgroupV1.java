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
        var tree = nodes.get("memory");
        if (limits.jobMemoryBytes() > 0 && tree != null) {
            memory = memory(Group.make(tree, key), limits.jobMemoryBytes());
            directories.add(memory);
        }
        tree = nodes.get("cpuset");
        if (!limits.cpus().isEmpty() && tree != null) {
            directories.add(cpuset(tree, Group.make(tree, key), limits.cpus()));
        }
        tree = nodes.get("cpu");
        if (limits.cpuCount() > 0 && tree != null) {
            var group = Group.make(tree, key);
            Cgroups.write(group.job, "cpu.shares", Integer.toString(1024 * limits.cpuCount()));
            directories.add(group.step);
        }
        tree = nodes.get("pids");
        if (limits.processes() > 0 && tree != null) {
            var group = Group.make(tree, key);
            Cgroups.write(group.step, "pids.max", Integer.toString(limits.processes()));
            directories.add(group.step);
        }
        tree = nodes.get("devices");
        if (!limits.deniedDevices().isEmpty() && tree != null) {
            directories.add(devices(Group.make(tree, key), limits.deniedDevices()));
        }
        return new StepCgroup(directories, memory);
    }

    /// The two levels of a step in one tree.
    private record Group(Path job, Path step) {
        static Group make(Path node, StepKey key) throws IOException {
            var parts = Cgroups.parts(node, key);
            Files.createDirectories(parts.getLast());
            return new Group(parts.getFirst(), parts.getLast());
        }
    }

    private static Path memory(Group group, long bytes) throws IOException {
        Cgroups.write(group.job, "memory.limit_in_bytes", Long.toString(bytes));
        try {
            // Without this a job over its memory would swap instead of ending.
            Cgroups.write(group.job, "memory.memsw.limit_in_bytes", Long.toString(bytes));
        } catch (IOException _) {
            // Swap is not accounted on this machine.
        }
        return group.step;
    }

    /// A new group of this controller is empty; it takes over what the one above it has.
    private static Path cpuset(Path node, Group group, String cpus) throws IOException {
        for (var file : List.of("cpuset.cpus", "cpuset.mems")) {
            var root = Files.readString(node.resolve("../..").resolve(file));
            for (var level : List.of(node.resolve(".."), node, group.job)) {
                if (Files.readString(level.resolve(file)).isBlank()) {
                    Cgroups.write(level, file, root);
                }
            }
        }
        Cgroups.write(
                group.step, "cpuset.mems", Files.readString(group.job.resolve("cpuset.mems")));
        Cgroups.write(group.step, "cpuset.cpus", cpus);
        return group.step;
    }

    private static Path devices(Group group, List<String> denied) throws IOException {
        for (var file : denied) {
            var numbers = DeviceNumbers.of(Path.of(file));
            if (numbers != null) {
                Cgroups.write(group.step, "devices.deny", numbers + " rwm");
            }
        }
        return group.step;
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
