package dev.spur.agent.cgroup;

import dev.spur.agent.step.CgroupDriver;
import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Control groups version 2: one tree, controllers switched on level by level.
///
/// The agent's own processes stay outside of the node's group, since a group with processes cannot
/// give controllers to its children.
final class CgroupV2 implements CgroupDriver {
    private static final List<String> WANTED = List.of("memory", "cpuset", "cpu", "pids");

    private final Path node;
    private final Set<String> controllers;

    private CgroupV2(Path node, Set<String> controllers) {
        this.node = node;
        this.controllers = controllers;
    }

    static CgroupV2 open(Path mount, String node) throws IOException {
        var group = mount.resolve("spur").resolve(node);
        try {
            Files.createDirectories(group);
        } catch (IOException e) {
            throw new IOException("no control group can be made under " + mount, e);
        }
        var controllers = new LinkedHashSet<>(WANTED);
        for (var level : List.of(mount, mount.resolve("spur"), group)) {
            controllers.retainAll(enable(level, controllers));
        }
        return new CgroupV2(group, controllers);
    }

    /// Switches controllers on for the children of a group; returns those that are on.
    private static List<String> enable(Path group, Set<String> controllers) throws IOException {
        for (var controller : controllers) {
            try {
                Cgroups.write(group, "cgroup.subtree_control", "+" + controller);
            } catch (IOException _) {
                // Not available here: what can be enabled is read back below.
            }
        }
        return Arrays.asList(
                Files.readString(group.resolve("cgroup.subtree_control")).strip().split(" "));
    }

    @Override
    public String description() {
        return "cgroup v2 (%s, devices, freezer)".formatted(String.join(", ", controllers));
    }

    @Override
    public StepCgroup create(StepKey key, StepLimits limits) throws IOException {
        var parts = Cgroups.parts(node, key);
        var job = parts.getFirst();
        var step = parts.getLast();
        Files.createDirectories(job);
        if (!controllers.isEmpty()) {
            Cgroups.write(job, "cgroup.subtree_control", "+" + String.join(" +", controllers));
        }
        Files.createDirectories(step);
        if (limits.jobMemoryBytes() > 0 && controllers.contains("memory")) {
            limitMemory(job, limits.jobMemoryBytes());
        }
        if (!limits.cpus().isEmpty() && controllers.contains("cpuset")) {
            Cgroups.write(step, "cpuset.cpus", limits.cpus());
        }
        if (limits.cpuCount() > 0 && controllers.contains("cpu")) {
            Cgroups.write(
                    job, "cpu.weight", Integer.toString(Math.min(10_000, 100 * limits.cpuCount())));
        }
        if (limits.jobProcesses() > 0 && controllers.contains("pids")) {
            Cgroups.write(job, "pids.max", Integer.toString(limits.jobProcesses()));
        }
        return new StepCgroup(
                List.of(step),
                controllers.contains("memory") ? step : null,
                DeviceNumbers.of(limits.deniedDevices()));
    }

    private static void limitMemory(Path job, long bytes) throws IOException {
        Cgroups.write(job, "memory.max", Long.toString(bytes));
        try {
            Cgroups.write(job, "memory.swap.max", "0");
        } catch (IOException _) {
            // Swap is not accounted on this machine.
        }
    }

    @Override
    public boolean kill(StepKey key) {
        var step = Cgroups.parts(node, key).getLast();
        try {
            Cgroups.write(step, "cgroup.kill", "1");
        } catch (IOException _) {
            // Linux before 5.14 has no such file: one by one, as below
        }
        return Cgroups.killAll(step);
    }

    @Override
    public void remove(StepKey key) {
        Cgroups.removeTree(Cgroups.parts(node, key).getLast());
    }

    @Override
    public void removeJob(int job, int attempt) {
        Cgroups.removeTree(Cgroups.jobGroup(node, job, attempt));
    }

    @Override
    public void close() {
        Cgroups.removeIfUnused(node);
    }
}
