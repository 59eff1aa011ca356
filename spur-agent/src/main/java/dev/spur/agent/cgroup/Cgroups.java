package dev.spur.agent.cgroup;

import dev.spur.agent.step.StepKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds out what the machine allows.
public final class Cgroups {
    private static final Logger log = LoggerFactory.getLogger(Cgroups.class);
    private static final Path MOUNT = Path.of("/sys/fs/cgroup");

    private Cgroups() {}

    /// The best driver that works here, said in one line of the log.
    public static CgroupDriver detect(String node) {
        return detect(MOUNT, node);
    }

    static CgroupDriver detect(Path mount, String node) {
        var driver = choose(mount, node);
        log.atInfo()
                .addKeyValue("node", node)
                .addKeyValue("limits", driver.description())
                .log("resource limits");
        return driver;
    }

    private static CgroupDriver choose(Path mount, String node) {
        try {
            if (Files.exists(mount.resolve("cgroup.controllers"))) {
                return CgroupV2.open(mount, node);
            }
            return CgroupV1.open(mount, node);
        } catch (IOException e) {
            return new None("none: " + e.getMessage());
        }
    }

    public static CgroupDriver none() {
        return new None("none: switched off");
    }

    private record None(String description) implements CgroupDriver {
        @Override
        public StepCgroup create(StepKey key, StepLimits limits) {
            return StepCgroup.NONE;
        }

        @Override
        public void kill(StepKey key) {}

        @Override
        public void remove(StepKey key) {}

        @Override
        public void removeJob(int job) {}
    }

    /// Writes a value into a group's file.
    static void write(Path group, String file, String value) throws IOException {
        Files.writeString(group.resolve(file), value);
    }

    static void killAll(Path group) {
        try {
            for (var pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
        } catch (IOException | NumberFormatException _) {
            // No such group: nothing runs in it.
        }
    }

    /// Groups are removed from the inside out; one in which something still runs stays. Most have
    /// no others below them: that is tried first.
    static void removeTree(Path group) {
        if (!Files.exists(group) || remove(group).isEmpty()) {
            return;
        }
        try (var children = Files.newDirectoryStream(group, Files::isDirectory)) {
            children.forEach(Cgroups::removeTree);
        } catch (IOException _) {
            return;
        }
        remove(group)
                .ifPresent(cause ->
                        log.atDebug()
                                .addKeyValue("group", group)
                                .addKeyValue("cause", cause.toString())
                                .log("group stays"));
    }

    /// Returns why it stays, if it does.
    private static Optional<IOException> remove(Path group) {
        try {
            Files.deleteIfExists(group);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
    }

    /// The two levels of a step below its node's group, made where they are missing.
    static List<Path> make(Path base, StepKey key) throws IOException {
        var parts = parts(base, key);
        for (var part : parts) {
            if (!Files.exists(part)) {
                Files.createDirectories(part); // another step of the job may be making it, too
            }
        }
        return parts;
    }

    static List<Path> parts(Path base, StepKey key) {
        var job = base.resolve("job_" + Integer.toUnsignedString(key.job()));
        return List.of(job, job.resolve("step_" + key.step()));
    }
}
