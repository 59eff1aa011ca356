package dev.spur.agent.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.agent.step.CgroupDriver;
import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLimits;
import dev.spur.agent.step.StepPlans;
import dev.spur.agent.step.StepStatus;
import dev.spur.agent.step.Supervision;
import dev.spur.model.StepId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// Limits as jobs meet them, by whatever control groups this machine has; `dev/cgroup-v2` runs the
/// same on a machine with version 2.
@EnabledIf(
        value = "canLimit",
        disabledReason = "needs root, and a machine that lets it make control groups")
final class StepLimitsTest {
    private static final int JOB = 77;

    @TempDir Path directory;
    private final CgroupDriver cgroups = Cgroups.detect("spur-test");
    private Supervision supervision;
    private Path output;

    static boolean canLimit() {
        return Files.isWritable(Path.of("/sys/fs/cgroup"))
                && Cgroups.detect("spur-test").description().contains("memory");
    }

    @BeforeEach
    void open() {
        supervision = Supervision.in(directory.resolve("spool"), cgroups);
        output = directory.resolve("out");
    }

    @AfterEach
    void leaveNoGroup() throws Exception {
        supervision.close();
        supervision.launcher().remove(new StepKey(JOB, StepId.BATCH, 0));
        supervision.launcher().removeJob(JOB, 0);
        try (var groups = Files.find(Path.of("/sys/fs/cgroup"), 4, (path, _) -> isJob(path))) {
            assertThat(groups).isEmpty();
        }
    }

    private static boolean isJob(Path path) {
        return path.endsWith(Path.of("spur", "spur-test", "job_" + JOB));
    }

    private StepPlans script(String text) {
        return StepPlans.script(text).job(JOB).outputTo(output);
    }

    @Test
    void endsAJobThatUsesMoreMemoryThanItHas() throws Exception {
        var status =
                supervision.run(
                        script("x=$(head -c 300M /dev/zero | tr \"\\\\0\" a)")
                                .limits(new StepLimits(32L << 20, "", 0, 0, List.of()))
                                .plan());

        assertThat(status.outOfMemory()).isTrue();
        assertThat(status.tasks()).singleElement().extracting(StepStatus.Task::signal).isEqualTo(9);
        assertThat(output).content().contains("oom-kill event(s) in StepId=77.batch");
    }

    @Test
    void refusesAJobMoreProcessesThanItMayHave() throws Exception {
        var status =
                supervision.run(
                        script(
                                        """
                                        exec perl -e '
                                            for (1..200) {
                                                my $child = fork;
                                                if (!defined $child) { print "$_: $!\\n"; exit }
                                                if (!$child) { sleep 1000 }
                                            }'\
                                        """)
                                .limits(new StepLimits(0, "", 0, 50, List.of()))
                                .plan());

        assertThat(output).content().isEqualTo("50: Resource temporarily unavailable\n");
        assertThat(status.tasks()).singleElement().extracting(StepStatus.Task::code).isEqualTo(0);
    }

    @Test
    void killsEveryProcessOfAForkBomb() throws Exception {
        var status =
                supervision.run(
                        script("exec perl -e '$SIG{TERM} = \"IGNORE\"; while (1) { fork }'")
                                .limits(new StepLimits(0, "", 0, 300, List.of()))
                                .timeLimit(Duration.ofMillis(300))
                                .killWait(Duration.ZERO)
                                .plan());

        assertThat(status.timedOut()).isTrue();
        assertThat(status.hasEnded()).isTrue();
    }

    @Test
    void givesAStepNoDeviceOfOtherJobs() throws Exception {
        var own = DeviceFile.zero(directory.resolve("gpu0"));
        var foreign = DeviceFile.full(directory.resolve("gpu1"));

        supervision.run(
                script("head -c 3 %s | wc -c; head -c 3 %s".formatted(own, foreign))
                        .limits(new StepLimits(0, "", 0, 0, List.of(foreign.toString())))
                        .plan());

        assertThat(output)
                .content()
                .startsWith("3\n")
                .contains("cannot open")
                .endsWith("Operation not permitted\n");
    }

    @Test
    void bindsAStepToItsCpus() throws Exception {
        assumeTrue(
                cgroups.description().contains("cpuset"),
                "this machine has no controller for cpu sets");

        supervision.run(
                script("grep Cpus_allowed_list /proc/self/status")
                        .limits(new StepLimits(0, "0", 1, 0, List.of()))
                        .plan());

        assertThat(output).content().isEqualTo("Cpus_allowed_list:\t0\n");
    }

    @Test
    void leavesNothingRunningWhenTheSupervisorIsKilled() throws Exception {
        var started =
                supervision.start(
                        script("setsid --fork sh -c 'echo $$; exec sleep 1000'; exec sleep 1000")
                                .plan());
        var running = started.await(status -> status.state() == StepStatus.State.RUNNING);
        while (!Files.exists(output) || !Files.readString(output).endsWith("\n")) {
            Thread.onSpinWait();
        }
        var orphan =
                ProcessHandle.of(Long.parseLong(Files.readString(output).strip())).orElseThrow();

        ProcessHandle.of(running.supervisor()).orElseThrow().destroyForcibly();

        assertThat(started.awaitLoss()).isEqualTo("the step supervisor was killed");
        orphan.onExit().get();
    }
}
