package dev.spur.agent.cgroup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLimits;
import dev.spur.agent.step.StepPlans;
import dev.spur.agent.step.Supervision;
import dev.spur.model.StepId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// Version 2 as far as a machine has it that keeps its controllers in version 1.
@EnabledIf(
        value = "isMounted",
        disabledReason = "this machine has no cgroup v2 tree that we may write to")
final class UnifiedCgroupTest {
    private static final Path TREE = Path.of("/sys/fs/cgroup/unified");

    @TempDir Path directory;

    static boolean isMounted() {
        return Files.isWritable(TREE.resolve("cgroup.subtree_control"));
    }

    @Test
    void putsEveryProcessOfAStepIntoItsGroupAndRemovesItAfterwards() throws Exception {
        var cgroups = Cgroups.detect(TREE, "spur-test");
        var output = directory.resolve("out");
        try (var supervision = Supervision.in(directory.resolve("spool"), cgroups)) {
            var plan = StepPlans.script("grep ^0: /proc/self/cgroup; setsid sleep 1000 &").job(78);

            var status = supervision.run(plan.outputTo(output).plan());
            supervision.launcher().remove(status.key());
            supervision.launcher().removeJob(78, 0);

            assertThat(cgroups.description()).startsWith("cgroup v2");
            assertThat(output).content().isEqualTo("0::/spur/spur-test/job_78/step_batch\n");
            assertThat(TREE.resolve("spur/spur-test/job_78")).doesNotExist();
        }
    }

    @Test
    void leavesNoGroupOfANodeWhoseAgentStopsUnlessAJobGoesOn() throws Exception {
        var cgroups = Cgroups.detect(TREE, "spur-stopped");
        var job = Cgroups.make(TREE.resolve("spur/spur-stopped"), new StepKey(80, StepId.BATCH, 0));

        cgroups.close();
        assertThat(job.getLast()).isDirectory();
        cgroups.removeJob(80, 0);
        cgroups.close();

        assertThat(TREE.resolve("spur/spur-stopped")).doesNotExist();
    }

    @Test
    void keepsDevicesOfOtherJobsFromAStepByAFilterInTheKernel() throws Exception {
        var output = directory.resolve("out");
        var own = DeviceFile.zero(directory.resolve("gpu0"));
        var foreign = DeviceFile.full(directory.resolve("gpu1"));
        try (var supervision =
                Supervision.in(directory.resolve("spool"), Cgroups.detect(TREE, "spur-test"))) {
            var plan =
                    StepPlans.script("head -c 3 %s | wc -c; head -c 3 %s".formatted(own, foreign))
                            .limits(new StepLimits(0, "", 0, 0, List.of(foreign.toString())))
                            .job(79);

            var status = supervision.run(plan.outputTo(output).plan());
            supervision.launcher().remove(status.key());
            supervision.launcher().removeJob(79, 0);

            assertThat(output).content().startsWith("3\n").endsWith("Operation not permitted\n");
        }
    }
}
