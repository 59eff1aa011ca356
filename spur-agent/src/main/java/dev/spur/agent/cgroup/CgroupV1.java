package dev.spur.agent.cgroup;

import dev.spur.agent.step.CgroupDriver;
import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// Control groups version 1: a tree per controller. A step joins only the trees it needs.
final class CgroupV1 implements CgroupDriver {
    /// In the order of joining. The freezer comes first since every step is in it: it is asked for
    /// the step's processes.
    private enum Controller {
        FREEZER,
        PIDS,
        MEMORY,
        CPUSET,
        CPU,
        DEVICES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean isNeeded(StepLimits limits) {
            return switch (this) {
                case FREEZER -> true;
                case PIDS -> limits.jobProcesses() > 0;
                case MEMORY -> limits.jobMemoryBytes() > 0;
                case CPUSET -> !limits.cpus().isEmpty();
                case CPU -> limits.cpuCount() > 0;
                case DEVICES -> !limits.deniedDevices().isEmpty();
            };
        }
    }

    /// Group of this node in each controller's tree.
    private final Map<Controller, Path> nodes;

    private CgroupV1(Map<Controller, Path> nodes) {
        this.nodes = nodes;
    }

    static CgroupV1 open(Path mount, String node) throws IOException {
        var nodes = new EnumMap<Controller, Path>(Controller.class);
        for (var controller : Controller.values()) {
            var tree = mount.resolve(controller.toString());
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
        return nodes.keySet().stream()
                .map(Controller::toString)
                .collect(Collectors.joining(", ", "cgroup v1 (", ")"));
    }

    @Override
    public StepCgroup create(StepKey key, StepLimits limits) throws IOException {
        var directories = new ArrayList<Path>();
        Path memory = null;
        for (var tree : nodes.entrySet()) {
            var controller = tree.getKey();
            if (controller.isNeeded(limits)) {
                var group = Group.make(tree.getValue(), key);
                limit(controller, group, limits);
                directories.add(group.step);
                memory = controller == Controller.MEMORY ? group.step : memory;
            }
        }
        return new StepCgroup(directories, memory, List.of());
    }

    private static void limit(Controller controller, Group group, StepLimits limits)
            throws IOException {
        switch (controller) {
            case FREEZER -> {}
            case PIDS ->
                    Cgroups.write(group.job, "pids.max", Integer.toString(limits.jobProcesses()));
            case MEMORY -> limitMemory(group, limits.jobMemoryBytes());
            case CPUSET -> bind(group, limits.cpus());
            case CPU ->
                    Cgroups.write(
                            group.job, "cpu.shares", Integer.toString(1024 * limits.cpuCount()));
            case DEVICES -> {
                for (var device : DeviceNumbers.of(limits.deniedDevices())) {
                    Cgroups.write(group.step, "devices.deny", device + " rwm");
                }
            }
        }
    }

    /// The three levels of a step in one tree.
    private record Group(Path node, Path job, Path step) {
        static Group make(Path node, StepKey key) throws IOException {
            var parts = Cgroups.make(node, key);
            return new Group(node, parts.getFirst(), parts.getLast());
        }
    }

    private static void limitMemory(Group group, long bytes) throws IOException {
        Cgroups.write(group.job, "memory.limit_in_bytes", Long.toString(bytes));
        try {
            // Without this a job over its memory would swap instead of ending.
            Cgroups.write(group.job, "memory.memsw.limit_in_bytes", Long.toString(bytes));
        } catch (IOException _) {
            // Swap is not accounted on this machine.
        }
    }

    /// A new group of this controller is empty; it takes over what the one above it has.
    private static void bind(Group group, String cpus) throws IOException {
        for (var file : List.of("cpuset.cpus", "cpuset.mems")) {
            var root = Files.readString(group.node.resolve("../..").resolve(file));
            for (var level : List.of(group.node.resolve(".."), group.node, group.job)) {
                if (Files.readString(level.resolve(file)).isBlank()) {
                    Cgroups.write(level, file, root);
                }
            }
        }
        Cgroups.write(
                group.step, "cpuset.mems", Files.readString(group.job.resolve("cpuset.mems")));
        Cgroups.write(group.step, "cpuset.cpus", cpus);
    }

    /// Frozen, a step cannot give birth while it is being killed; what was killed dies when it
    /// thaws.
    @Override
    public boolean kill(StepKey key) {
        var nothing = true;
        setFreezer(key, "FROZEN");
        for (var node : nodes.values()) {
            nothing &= Cgroups.killAll(Cgroups.parts(node, key).getLast());
        }
        setFreezer(key, "THAWED");
        return nothing;
    }

    private void setFreezer(StepKey key, String state) {
        var tree = nodes.get(Controller.FREEZER);
        if (tree == null) {
            return;
        }
        try {
            Cgroups.write(Cgroups.parts(tree, key).getLast(), "freezer.state", state);
        } catch (IOException _) {
            // No such group: nothing runs in it.
        }
    }

    @Override
    public void remove(StepKey key) {
        nodes.values().forEach(node -> Cgroups.removeTree(Cgroups.parts(node, key).getLast()));
    }

    @Override
    public void removeJob(int job, int attempt) {
        for (var node : nodes.values()) {
            Cgroups.removeTree(Cgroups.jobGroup(node, job, attempt));
        }
    }

    @Override
    public void close() {
        nodes.values().forEach(Cgroups::removeIfUnused);
    }
}
