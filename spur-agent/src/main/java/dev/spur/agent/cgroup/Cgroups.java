package dev.spur.agent.cgroup;

import dev.spur.agent.step.CgroupDriver;
import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLimits;
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
        if (driver instanceof None) {
            log.atWarn()
                    .addKeyValue("node", node)
                    .addKeyValue("limits", driver.description())
                    .log(
                            "jobs are not kept to their memory, processors and devices: there are no control groups");
        } else {
            log.atInfo()
                    .addKeyValue("node", node)
                    .addKeyValue("limits", driver.description())
                    .log("resource limits");
        }
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
        public boolean kill(StepKey key) {
            return true;
        }

        @Override
        public void remove(StepKey key) {}

        @Override
        public void removeJob(int job, int attempt) {}
    }

    /// Writes a value into a group's file.
    static void write(Path group, String file, String value) throws IOException {
        Files.writeString(group.resolve(file), value);
    }

    /// Kills what runs in a group and in those that the job made below it.
    ///
    /// @return whether nothing did
    static boolean killAll(Path group) {
        var nothing = true;
        try (var children = Files.newDirectoryStream(group, Files::isDirectory)) {
            for (var pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
                nothing = false;
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
            for (var child : children) {
                nothing &= killAll(child);
            }
        } catch (IOException | NumberFormatException _) {
            // No such group: nothing runs in it.
        }
        return nothing;
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

    /// A group with others below it stays.
    static void removeIfUnused(Path group) {
        var _ = remove(group);
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
        var job = jobGroup(base, key.job(), key.attempt());
        return List.of(job, job.resolve("step_" + key.step()));
    }

    /// `job_12`, and `job_12.1` when it runs again: what is cleared away of one run is never the
    /// next one's.
    static Path jobGroup(Path base, int job, int attempt) {
        var name = "job_" + Integer.toUnsignedString(job);
        return base.resolve(attempt == 0 ? name : name + "." + attempt);
    }
}
