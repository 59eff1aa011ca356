package dev.spur.agent.cgroup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.step.StepPlans;
import dev.spur.agent.step.StepStatus;
import dev.spur.agent.step.Supervision;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf(
        value = "canLimitMemory",
        disabledReason = "this machine lets us make no memory control group")
final class MemoryLimitTest {
    @TempDir Path directory;

    static boolean canLimitMemory() {
        return Cgroups.detect("spur-test").description().contains("memory");
    }

    @Test
    void endsAJobThatUsesMoreMemoryThanItHas() throws Exception {
        var cgroups = Cgroups.detect("spur-test");
        var output = directory.resolve("out");
        var limits = new StepLimits(32L << 20, "", 0, 0, List.of());
        try (var supervision = Supervision.in(directory.resolve("spool"), cgroups)) {
            var status =
                    supervision.run(
                            StepPlans.script("x=$(head -c 300M /dev/zero | tr \"\\\\0\" a)")
                                    .limits(limits)
                                    .outputTo(output)
                                    .job(77)
                                    .plan());
            supervision.launcher().remove(status.key());
            supervision.launcher().removeJob(77);

            assertThat(status.outOfMemory()).isTrue();
            assertThat(status.tasks())
                    .singleElement()
                    .extracting(StepStatus.Task::signal)
                    .isEqualTo(9);
            assertThat(output).content().contains("oom-kill event(s) in StepId=77.batch");
            assertThat(Files.exists(Path.of("/sys/fs/cgroup/memory/spur/spur-test/job_77")))
                    .isFalse();
        }
    }
}
