package dev.spur.agent.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.agent.step.CgroupDriver;
import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLimits;
import dev.spur.agent.step.StepPlan;
import dev.spur.agent.step.StepPlans;
import dev.spur.agent.step.StepStatus;
import dev.spur.agent.step.Supervision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// What a user of the cloud sees and reaches of a node: with the real supervisor, as root.
@EnabledIf(value = "isRoot", disabledReason = "only root keeps sessions apart")
@Timeout(120)
final class SessionTest {
    private static final int JOB = 78;
    private static final int UID = 254_321;

    @TempDir Path directory;
    private final CgroupDriver cgroups = Cgroups.detect("spur-session-test");
    private final List<StepKey> begun = new ArrayList<>();
    private Supervision supervision;
    private Path homes;
    private Path home;
    private Path out;

    static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    @BeforeEach
    void open() throws IOException {
        supervision = Supervision.in(directory.resolve("spool"), cgroups);
        homes = directory.resolve("homes");
        home = homes.resolve("grace");
        out = home.resolve("out");
    }

    @AfterEach
    void end() {
        supervision.close();
        for (var key : begun) {
            supervision.launcher().remove(key);
            supervision.launcher().removeJob(key.job(), key.attempt());
        }
    }

    @Test
    void seesItsOwnProcessesOnly() throws Exception {
        run(script(1, "ls -d /proc/[0-9]* | wc -l; cat /proc/1/comm; kill -9 1; echo alive"));

        var lines = Files.readAllLines(out);
        assertThat(Integer.parseInt(lines.getFirst())).isLessThan(8);
        assertThat(lines.get(1)).isEqualTo("spur-session");
        assertThat(lines.getLast()).isEqualTo("alive");
    }

    @Test
    void hasTemporaryFilesOfItsOwn() throws Exception {
        var outside = Files.createTempFile("spur-session", "");
        try {
            run(
                    script(
                            1,
                            "ls -A /tmp /var/tmp /dev/shm; echo secret > /tmp/mine; echo x > /dev/shm/mine"));

            assertThat(Files.readString(out)).doesNotContain(outside.getFileName().toString());
            assertThat(Path.of("/tmp/mine")).doesNotExist();
            assertThat(Path.of("/dev/shm/mine")).doesNotExist();
        } finally {
            Files.delete(outside);
        }
    }

    @Test
    void sharesThemAmongAllStepsOfTheJob() throws Exception {
        var batch = start(script(1, "echo hello > /tmp/shared; exec sleep 1000"));
        batch.await(status -> status.state() == StepStatus.State.RUNNING);

        run(
                command(
                        1,
                        3,
                        "/bin/sh",
                        "-c",
                        "while ! [ -s /tmp/shared ]; do sleep 0.01; done; cat /tmp/shared; pgrep -x sleep | wc -l"));

        assertThat(Files.readAllLines(out)).startsWith("hello").last().isEqualTo("1");
        assertThat(Files.readAllLines(out)).hasSize(2);
    }

    @Test
    void sharesNothingWithAnotherJobOfTheSameUser() throws Exception {
        var other = start(script(2, "echo hello > /tmp/shared; exec sleep 1000"));
        other.await(status -> status.state() == StepStatus.State.RUNNING);

        run(script(1, "ls /tmp; pgrep -x sleep || echo none"));

        assertThat(Files.readString(out)).doesNotContain("shared").endsWith("none\n");
    }

    @Test
    void hasAHomeThatIsItsUsersAlone() throws Exception {
        run(script(1, "cd; pwd; id -un; id -gn; echo ~grace; touch here"));

        assertThat(out).content().isEqualTo("%s\ngrace\ngrace\n%s\n".formatted(home, home));
        assertThat(Files.getPosixFilePermissions(home))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(Files.getAttribute(home, "unix:uid")).isEqualTo(UID);
        assertThat(Files.getPosixFilePermissions(homes))
                .isEqualTo(PosixFilePermissions.fromString("rwx--x--x"));
    }

    @Test
    void knowsTheUsersOfTheNodeToo() throws Exception {
        run(script(1, "getent passwd root | cut -d: -f3; getent group daemon | cut -d: -f1"));

        assertThat(out).content().isEqualTo("0\ndaemon\n");
    }

    @Test
    void takesNoHomeOfSomebodyElse() throws Exception {
        Files.createDirectory(homes);
        Files.createDirectory(home);
        Files.setAttribute(home, "unix:uid", UID + 1);

        assertThatThrownBy(() -> run(script(1, "true")))
                .hasMessageContaining("the user's home is somebody else's");
    }

    @Test
    void takesNoDirectoryOfRootsThatHoldsSomething() throws Exception {
        Files.createDirectory(homes);
        Files.createDirectory(home);
        Files.writeString(home.resolve("backup"), "root's");

        assertThatThrownBy(() -> run(script(1, "true")))
                .hasMessageContaining("the user's home is root's");
        assertThat(Files.getAttribute(home, "unix:uid")).isEqualTo(0);
    }

    @Test
    void takesTheEmptyHomeThatACrashLeftToRoot() throws Exception {
        Files.createDirectory(homes);
        Files.createDirectory(home);

        run(script(1, "touch ~/here"));

        assertThat(Files.getAttribute(home, "unix:uid")).isEqualTo(UID);
    }

    @Test
    void followsNoLinkToAHome() throws Exception {
        var victim = Files.createDirectory(directory.resolve("victim"));
        Files.createDirectory(homes);
        Files.createSymbolicLink(home, victim);

        assertThatThrownBy(() -> run(script(1, "true")))
                .hasMessageContaining("the user's home is somebody else's");
        assertThat(Files.getAttribute(victim, "unix:uid", LinkOption.NOFOLLOW_LINKS)).isEqualTo(0);
    }

    @Test
    void makesNoHomesWhereOthersMayWrite() throws Exception {
        Files.createDirectory(homes);
        Files.setPosixFilePermissions(homes, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> run(script(1, "true")))
                .hasMessageContaining("the directory of homes is not root's alone");
    }

    @Test
    void gainsNothingFromSetUidPrograms() throws Exception {
        var program = homes.resolve("id");
        Files.createDirectory(homes);
        Files.setPosixFilePermissions(homes, PosixFilePermissions.fromString("rwx--x--x"));
        Files.copy(Path.of("/usr/bin/id"), program);
        Files.setAttribute(program, "unix:mode", 0104755);

        run(script(1, "%s -u; grep NoNewPrivs /proc/self/status".formatted(program)));

        assertThat(out).content().doesNotStartWith("0\n").endsWith("NoNewPrivs:\t1\n");
    }

    @Test
    void reachesNothingOutsideThroughProc() throws Exception {
        run(
                script(
                        1,
                        "ls /proc/1/root/ 2>&1; ls -l /proc/1/fd 2>&1; cat /proc/1/environ 2>&1; ls /proc/self/fd | wc -l"));

        var lines = Files.readAllLines(out);
        assertThat(lines.subList(0, 3)).allSatisfy(line -> assertThat(line).contains("ermission"));
        assertThat(lines.getLast()).isEqualTo("4"); // its three and the directory it lists
    }

    @Test
    void leavesNoSuperfluousRightsToTheProcessThatHoldsIt() throws Exception {
        run(script(1, "grep -E 'Cap(Prm|Eff)' /proc/1/status; grep Groups /proc/self/status"));

        assertThat(Files.readAllLines(out))
                .containsExactly(
                        "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "Groups:\t ");
    }

    @Test
    void neverRunsAsAUserOfTheSystem() {
        assertThatThrownBy(() -> run(script(1, "true").uid(999)))
                .hasMessageContaining("a session never runs as a user of the system");
    }

    @Test
    void leavesNothingBehindWhenAStepIsKilled() throws Exception {
        assumeTrue(
                Files.isWritable(Path.of("/sys/fs/cgroup"))
                        && cgroups.description().contains("memory"),
                "orphans of a step are told from those of others by control groups");
        var started = start(script(1, "setsid --fork sleep 12345; echo ready; exec sleep 12345"));
        awaitText("ready");
        var before = processesOf(UID);
        assertThat(before).hasSizeGreaterThanOrEqualTo(2);

        started.step().signal(9, false, "");
        started.await(StepStatus::hasEnded);

        assertThat(processesOf(UID)).isEmpty();
    }

    @Test
    void endsWithTheJobWhateverIsLeftInIt() throws Exception {
        var started = start(script(1, "echo ready; exec sleep 1000"));
        awaitText("ready");
        var holder = holder(1);
        assertThat(holder.isAlive()).isTrue();

        supervision.launcher().removeJob(JOB + 1, 0);

        started.await(StepStatus::hasEnded);
        holder.onExit().get();
        assertThat(processesOf(UID)).isEmpty();
        assertThat(directory.resolve("spool/sessions")).isEmptyDirectory();
    }

    @Test
    void goesOnWhenTheAgentIsAnotherOne() throws Exception {
        var started =
                start(
                        script(
                                1,
                                "echo early > /tmp/kept; while ! [ -e go ]; do sleep 0.02; done; cat /tmp/kept; exit 7"));
        var running = started.await(status -> status.state() == StepStatus.State.RUNNING);
        supervision.vanish();

        var adopted = supervision.adopt(running);
        run(command(1, 4, "/bin/sh", "-c", "cat /tmp/kept > seen; touch go"));

        var ended = adopted.await(StepStatus::hasEnded);
        assertThat(ended.tasks()).singleElement().extracting(StepStatus.Task::code).isEqualTo(7);
        assertThat(home.resolve("seen")).content().isEqualTo("early\n");
    }

    @Test
    void killsItsTasksWithTheirSupervisor() throws Exception {
        var started = start(script(1, "echo ready; exec sleep 1000"));
        var running = started.await(status -> status.state() == StepStatus.State.RUNNING);
        awaitText("ready");

        ProcessHandle.of(running.supervisor()).orElseThrow().destroyForcibly();

        assertThat(started.awaitLoss()).isEqualTo("the step supervisor was killed");
        while (!processesOf(UID).isEmpty()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void keepsTheTimeLimit() throws Exception {
        var status =
                run(
                        script(1, "exec sleep 1000")
                                .timeLimit(Duration.ofMillis(300))
                                .killWait(Duration.ZERO));

        assertThat(status.timedOut()).isTrue();
    }

    @Test
    void countsWhatItsProcessesUse() throws Exception {
        var status = run(script(1, "x=0; while [ $x -lt 300000 ]; do x=$((x+1)); done; exit 3"));

        var task = status.tasks().getFirst();
        assertThat(task.code()).isEqualTo(3);
        assertThat(task.used().userMicros()).isGreaterThan(50_000);
    }

    /// Eight people share a node with eight GPUs.
    @Test
    void opensItsOwnDeviceAndNoneOfTheOtherSeven() throws Exception {
        assumeTrue(
                cgroups.description().contains("devices"),
                "this machine has no controller for devices");
        // Not below the test's directory: sessions have another /tmp.
        var devices = Files.createTempDirectory(Path.of("/dev"), "spur-test");
        try {
            Files.setPosixFilePermissions(devices, PosixFilePermissions.fromString("rwxr-xr-x"));
            var gpus = DeviceFile.eight(devices);
            for (var own = 0; own < gpus.size(); own++) {
                start(sharer(own, gpus));
            }
            for (var own = 0; own < gpus.size(); own++) {
                var said = homes.resolve("sharer" + own).resolve("out");
                awaitText(said, "done");
                var lines = Files.readAllLines(said);
                for (var n = 0; n < gpus.size(); n++) {
                    assertThat(lines.get(n)).startsWith(n == own ? "opens " + n : "denied " + n);
                }
            }
        } finally {
            try (var made = Files.list(devices)) {
                for (var gpu : made.toList()) {
                    Files.delete(gpu);
                }
            }
            Files.delete(devices);
        }
    }

    private StepPlans sharer(int own, List<Path> gpus) {
        var user =
                new StepPlan.OwnUser(
                        "sharer" + own, homes.resolve("sharer" + own).toString(), "/bin/sh");
        var script = new StringBuilder();
        for (var n = 0; n < gpus.size(); n++) {
            script.append(
                    "said=$( (: < %s) 2>&1); case \"$said\" in *permitted*) echo denied %d;; *) echo opens %d \"$said\";; esac\n"
                            .formatted(gpus.get(n), n, n));
        }
        var denied = new ArrayList<>(gpus.stream().map(Path::toString).toList());
        denied.remove(own);
        return StepPlans.script(script + "echo done; exec sleep 1000")
                .job(JOB + 10 + own)
                .uid(UID + own)
                .in(user.home())
                .outputTo(Path.of(user.home(), "out"))
                .limits(new StepLimits(0, "", 0, 0, denied))
                .session(new StepPlan.Session(user));
    }

    private StepPlans script(int job, String text) {
        return session(StepPlans.script(text).job(JOB + job).outputTo(out));
    }

    private StepPlans command(int job, int step, String... words) {
        return session(StepPlans.command(words).step(step).job(JOB + job).outputTo(out));
    }

    private StepPlans session(StepPlans plans) {
        return plans.uid(UID)
                .in(home.toString())
                .environment("HOME=" + home)
                .session(
                        new StepPlan.Session(
                                new StepPlan.OwnUser("grace", home.toString(), "/bin/sh")));
    }

    private StepStatus run(StepPlans plans) throws Exception {
        return start(plans).await(StepStatus::hasEnded);
    }

    private Supervision.Watched start(StepPlans plans) throws Exception {
        var plan = plans.plan();
        begun.add(plan.key());
        return supervision.start(plan);
    }

    private void awaitText(String text) throws IOException {
        awaitText(out, text);
    }

    private static void awaitText(Path file, String text) throws IOException {
        while (!Files.exists(file) || !Files.readString(file).contains(text)) {
            Thread.onSpinWait();
        }
    }

    private ProcessHandle holder(int job) throws IOException {
        var line = Files.readString(directory.resolve("spool/sessions/" + (JOB + job) + ".0"));
        return ProcessHandle.of(Long.parseLong(line.split(" ", 2)[0])).orElseThrow();
    }

    private static List<ProcessHandle> processesOf(int uid) {
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    try {
                        return Files.getAttribute(
                                        Path.of("/proc", Long.toString(process.pid())), "unix:uid")
                                .equals(uid);
                    } catch (IOException _) {
                        return false;
                    }
                })
                .toList();
    }
}
